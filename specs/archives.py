"""Reads the specs out of an archive, in bounded memory and without writing a file."""

from __future__ import annotations

import gzip
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from specs.found import MAX_FILES, MAX_TEXT, looks_like_spec, may_hold_spec, skipped_folder
from specs.problems import InputError

ENDINGS = (".jar", ".zip", ".whl", ".tar.gz", ".tgz")
MAX_TOTAL = 256 << 20  # bytes that are unpacked, as they come out, whatever the headers say

_ABSOLUTE = re.compile(r"^(?:[/\\]|[A-Za-z]:)")


def is_archive(path: Path) -> bool:
    """Whether a file is an archive by its name."""
    return path.name.lower().endswith(ENDINGS)


def read_archive(path: Path, *, tests: bool = False) -> list[tuple[str, bytes]]:
    """The (path inside, text) of every spec in an archive, by path.

    Raises InputError for a damaged or encrypted archive, for a name that leads out of it, for a name that
    stands there twice, and for more files or bytes than are unpacked here.
    """
    members = _zip(path, tests) if path.name.lower().endswith((".jar", ".zip", ".whl")) else _tar(path, tests)
    found: dict[str, bytes] = {}
    total = 0
    try:
        for name, text in members:
            total += len(text)
            if total > MAX_TOTAL:
                raise InputError(f"more than {MAX_TOTAL >> 20} MiB of JSON come out of it", str(path))
            if name in found:
                raise InputError(f"{_shown(name)} stands in it twice", str(path))
            if looks_like_spec(text, may_hold_spec(name)):
                found[name] = text
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
    ) as error:
        raise InputError(f"the archive is damaged ({error or 'it ends too early'})", str(path)) from None
    except RuntimeError:
        raise InputError("the archive is encrypted", str(path)) from None
    return sorted(found.items())


def _zip(path: Path, tests: bool) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _count(path, len(members))
        for member in members:
            name = _name(path, member.filename)
            kind = member.external_attr >> 16
            if stat.S_ISLNK(kind) or member.is_dir() or not _wanted(name, tests):
                continue
            with archive.open(member) as stream:
                yield name, _read(path, name, stream)


def _tar(path: Path, tests: bool) -> Iterator[tuple[str, bytes]]:
    with gzip.open(path) as unzipped, tarfile.open(fileobj=unzipped, mode="r:") as archive:
        unpacked = 0
        for count, member in enumerate(archive, 1):
            _count(path, count)
            unpacked += member.size
            if unpacked > MAX_TOTAL * 4:
                raise InputError(f"more than {MAX_TOTAL * 4 >> 20} MiB come out of it", str(path))
            name = _name(path, member.name)
            stream = archive.extractfile(member) if member.isfile() and _wanted(name, tests) else None
            if stream is not None:
                yield name, _read(path, name, stream)
        # A tar may end before its file does; what was cut off after that shows only at the very end.
        while block := unzipped.read(1 << 16):
            unpacked += len(block)
            if unpacked > MAX_TOTAL * 4:
                raise InputError(f"more than {MAX_TOTAL * 4 >> 20} MiB come out of it", str(path))


def _read(path: Path, name: str, stream: IO[bytes]) -> bytes:
    text = stream.read(MAX_TEXT + 1)
    if len(text) > MAX_TEXT:
        raise InputError(f"{_shown(name)} in it is larger than {MAX_TEXT >> 20} MiB", str(path))
    return text


def _count(path: Path, count: int) -> None:
    if count > MAX_FILES:
        raise InputError(f"it holds more than {MAX_FILES} files", str(path))


def _name(path: Path, name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if _ABSOLUTE.match(name) or ".." in parts or "\0" in name:
        raise InputError(f"the name {_shown(name)} in it leads out of the archive", str(path))
    return "/".join(part for part in parts if part not in ("", "."))


def _wanted(name: str, tests: bool) -> bool:
    *folders, file = name.split("/")
    return file.endswith(".json") and not any(skipped_folder(folder, tests) for folder in folders)


def _shown(name: str) -> str:
    return ascii(name[:80])
