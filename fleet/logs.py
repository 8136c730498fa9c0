"""The files of logs: finds them, decompresses them, and reads their lines."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from wirebook.specs.limits import MAX_LINE
from wirebook.specs.problems import InputError

NOT_GZIP = "is compressed: only gzip is read, by Spark if the name ends in .gz"
_GZIP = b"\x1f\x8b"
# Hadoop decompresses some of them, by the ends of names.
_OTHERS = (".bz2", ".deflate", ".lz4", ".snappy", ".xz", ".zip", ".zst")
_LONGEST = MAX_LINE + 2  # with the line end


def is_address(name: str) -> bool:
    """Whether a name is that of a file system of Hadoop, such as s3a://; file:// is this
    machine's."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme != "file"


def check_name(file: str) -> None:
    """Raise InputError if a file is compressed with something else than gzip, by its name."""
    if file.endswith(_OTHERS):
        raise InputError(NOT_GZIP, file)


def log_files(names: Sequence[str], output: Path) -> list[Path]:
    """The files that names refer to, each once: files, and all below folders but hidden ones and
    the output.

    Raises InputError if a name does not exist, a folder contains no file, or a file cannot be read.
    """
    files_by_target: dict[str, Path] = {}
    for name in names:
        path = Path(os.path.abspath(name.removeprefix("file://")))
        if not path.exists():
            raise InputError("there is no such file or folder", name)
        below = sorted(_below(path)) if path.is_dir() else [path]
        files = [file for file in below if not file.is_relative_to(os.path.abspath(output))]
        if not files:
            raise InputError("there is no log in this folder", name)
        for file in files:
            check_name(str(file))
            if not file.is_file():
                raise InputError("this is not a regular file", str(file))
            if not os.access(file, os.R_OK):
                raise InputError("this file cannot be read: permission denied", str(file))
            files_by_target.setdefault(os.path.realpath(file), file)
    return list(files_by_target.values())


def _below(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it. Raises OSError."""
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if not path.is_dir():
            yield path
        elif not path.is_symlink():
            yield from _below(path)


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, which may be compressed with gzip. Those beyond the limit are cut off
    after it.

    Raises OSError, and InputError for a compressed file that is cut off or corrupt.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.peek(len(_GZIP)).startswith(_GZIP)
            log = gzip.GzipFile(fileobj=file) if is_packed else file
            while line := log.readline(_LONGEST):
                while not line.endswith(b"\n") and (more := log.readline(_LONGEST)):
                    line = line[:-1] + more[-1:]
                yield line.removesuffix(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("this compressed file is cut off or corrupt", str(path)) from None
