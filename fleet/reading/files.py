"""The files of a log: finds, decompresses and opens them."""

from __future__ import annotations

import glob
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from wirebook.specs.problems import InputError

_GZIP = b"\x1f\x8b"
# A frame of Zstandard, and one that is skipped (RFC 8878, 3.1).
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_BLOCK = 1 << 16
_LOCAL = "file://"


class ByteSource(Protocol):
    """A source of bytes: `read` returns at most `size` of them, and none at the end."""

    def read(self, size: int, /) -> bytes: ...


class DamagedFile(Exception):  # noqa: N818  what a file is, not a failure
    """Raised for a compressed file that is truncated or corrupt, rather than unreadable."""


class Packing(StrEnum):
    """How a file is compressed, detected from its first bytes."""

    PLAIN = "plain"
    GZIP = "gzip"
    ZSTD = "zstd"


def log_files(names: Sequence[str], is_apart: Callable[[Path], bool] = lambda _: False) -> list[Path]:
    """Return all files that the names refer to: files, and the files below folders, except hidden ones.

    Folders for which `is_apart` returns true are skipped. Raises InputError if a name does not exist, a
    folder contains no file, or a file cannot be read.
    """
    files_by_target: dict[str, Path] = {}
    apart = 0

    def noted(folder: Path) -> bool:
        nonlocal apart
        apart += (is_it := is_apart(folder))
        return is_it

    for name in names:
        # Executors of a cluster start in folders of their own.
        local = name.removeprefix(_LOCAL)
        if "://" in local:
            raise InputError("only Spark reads addresses: mount this file system", name)
        paths = _named(os.path.abspath(local))
        if not paths:
            raise InputError("there is no such file or folder", name)
        before = apart
        files: list[Path] = []
        for path in paths:
            if not path.is_dir():
                files.append(path)
            elif not noted(path):
                files += sorted(_below(path, noted))
        if not files and before == apart:
            raise InputError("there is no log in this folder", name)
        for file in files:
            # Planning the logs reports a link to nothing in a folder.
            if file in paths or not _is_dangling(file):
                _check(file)
            files_by_target.setdefault(os.path.realpath(file), file)
    return list(files_by_target.values())


def _check(file: Path) -> None:
    """Raise InputError unless this is a file that can be read."""
    if not file.is_file():
        raise InputError("this is not a regular file", str(file))
    if not os.access(file, os.R_OK):
        raise InputError("this file cannot be read: permission denied", str(file))


def _named(name: str) -> list[Path]:
    """The path of this name or, if it does not exist, those that match it as a pattern."""
    path = Path(name)
    return [path] if path.exists() else [Path(match) for match in sorted(glob.glob(name))]


def _below(folder: Path, is_apart: Callable[[Path], bool]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(f"cannot be read: {error.strerror}", str(error.filename or folder))

    for above, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not is_apart(Path(above, name))
        )
        for name in names:
            path = Path(above, name)
            if not name.startswith(".") and (path.is_file() or _is_dangling(path)):
                yield path


def _is_dangling(path: Path) -> bool:
    """Whether this is a symbolic link to nothing."""
    return path.is_symlink() and not path.exists()


def packing_of(path: Path) -> Packing:
    """Detect how a file is compressed. Raises OSError."""
    with path.open("rb") as file:
        return packing_by(file.read(4))


def packing_by(start: bytes) -> Packing:
    """How a file that begins like this is compressed."""
    if start.startswith(_GZIP):
        return Packing.GZIP
    return Packing.ZSTD if _ZSTD.match(start) else Packing.PLAIN


@contextmanager
def unpacked(path: Path, packing: Packing) -> Iterator[BinaryIO]:
    """Open a file and decompress it. Raises OSError, InputError if a package is missing, and DamagedFile
    where it is read.
    """
    try:
        if packing is Packing.GZIP:
            with _Gunzipped(path) as file:
                yield cast(BinaryIO, file)
        elif packing is Packing.ZSTD:
            with _zstd(path) as file:
                yield file
        else:
            with path.open("rb", buffering=0) as plain, BufferedReader(plain, _BLOCK) as buffered:
                yield cast(BinaryIO, buffered)
    except (EOFError, zlib.error) as error:
        raise DamagedFile from error
    except OSError as error:
        # Errors of the system have a number; those of gzip and of pyarrow have none.
        if error.errno is None:
            raise DamagedFile from error
        raise


class _Gunzipped(AbstractContextManager["_Gunzipped"]):
    """The text of a file that is compressed with gzip, up to damage.

    A call that meets damage returns nothing of what is before it, so that is read again byte by byte.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = gzip.GzipFile(path, "rb")
        self.offset = 0
        self.is_damaged = False

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def read(self, size: int, /) -> bytes:
        """The next `size` bytes, fewer at the end."""
        text = b""
        while len(text) < size and (block := self.read1(size - len(text))):
            text += block
        return text

    def read1(self, size: int, /) -> bytes:
        """Some of the next `size` bytes, none at the end. Raises EOFError, OSError and zlib.error."""
        try:
            block = self.file.read1(1 if self.is_damaged else size)
        except zlib.error:
            if self.is_damaged:
                raise
            self.is_damaged = True
            self.file.close()
            self.file = gzip.GzipFile(self.path, "rb")
            skip(self.file, self.offset)
            return self.read1(size)
        self.offset += len(block)
        return block


def _zstd(path: Path) -> BinaryIO:
    # pyarrow is installed wherever the tables of a fleet are written, and it decompresses zstd.
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise InputError(
            "this is compressed with zstd, which needs the package pyarrow: pip install 'wirebook[spark]'",
            str(path),
        ) from None
    return cast(BinaryIO, pa.input_stream(str(path), compression="zstd"))


def some(file: ByteSource, size: int) -> bytes:
    """The next bytes, at most `size` of them: what is decompressed at once, so that damage loses less."""
    block: bytes = getattr(file, "read1", file.read)(size)
    return block


def skip(file: ByteSource, length: int) -> None:
    """Advance by a number of bytes in a file that may not support seeking."""
    if isinstance(file, BufferedReader):
        file.seek(length, os.SEEK_CUR)
        return
    while length > 0:
        block = some(file, min(length, 1 << 20))
        if not block:
            return
        length -= len(block)
