"""Reads the specs out of an archive, in bounded memory and without writing a file."""

from __future__ import annotations

import lzma
import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from wirebook.specs.limits import MAX_FILES, MAX_TEXT, MAX_TOTAL
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    TARS,
    ZIPS,
    SpecText,
    collect,
    shown,
    spec_text,
)
from wirebook.specs.reading.formats import KAFKA_JSON, Format, claimed, format_named
from wirebook.specs.sources.unpacking import Readable, unpack

_MAX_DIRECTORY = 32 << 20  # bytes of a zip's table of contents: 300 for each of 100,000 files
_MAX_HEADER = 1 << 20  # bytes that describe one member of a tar
_BLOCK = 64 << 10
_HEAD = 512  # bytes, of which the first block of a tar has a mark at 257
_MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_ENTRY = b"PK\x01\x02"
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
# What the standard library raises for archives that are damaged or forged: also RecursionError,
# NotImplementedError (both RuntimeErrors) and UnicodeDecodeError (a ValueError).
_FAULTS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error,
    EOFError, OSError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by what it begins with or by its name. Raises OSError."""
    if path.name.lower().endswith(ZIPS + TARS):
        return True
    with open(path, "rb") as file:
        return _kind(file) is not None


def _kind(file: IO[bytes]) -> str | None:
    """What kind of archive a file is by its first bytes: "zip", "tar", or how a tar in it is packed."""
    head = file.read(_HEAD)
    file.seek(0)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    return "tar" if head[257:262] == b"ustar" else None


def read_archive(
    path: Path, formats: Sequence[Format] = (format_named(KAFKA_JSON),), *, tests: bool = False
) -> list[SpecText]:
    """Every spec of some formats in an archive, by its path inside; archives in it are not opened.

    Raises InputError for a damaged or encrypted archive, for a name or link that leads out of it, for a link
    in the place of a spec to what is not read by its own name, for a name that appears in it twice, and for
    more files or bytes than are unpacked here. What counts are the bytes that come out, not those that a
    header promises.
    """
    members = _Members(path, formats, tests)
    try:
        with open(path, "rb") as file:
            try:
                # A zip may begin with anything: it is read from its end.
                kind = _kind(file) or ("zip" if path.name.lower().endswith(ZIPS) else None)
                if kind is None:
                    raise ValueError("it does not begin like an archive")
                if kind == "zip":
                    texts = _zip(file, members)
                else:
                    texts = _tar(unpack(file, kind), members, packed=kind != "tar")
                found = collect(texts, str(path))
                members.whole()
                return found
            except _FAULTS as error:
                why = " ".join(str(error).split()) or type(error).__name__
                raise InputError(f"the archive is damaged ({why[:120]})", str(path)) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None


class _Members:
    """Judges the members of one archive: their names, how many there are, how much comes out of them."""

    def __init__(self, path: Path, formats: Sequence[Format], tests: bool) -> None:
        self.path = path
        self.formats = formats
        self.tests = tests
        self.count = 0
        self.total = 0
        self.seen: set[str] = set()
        self.links: dict[str, str] = {}

    def error(self, message: str) -> InputError:
        return InputError(message, str(self.path))

    def name(self, name: str) -> str:
        """The clean path of one more member; raises InputError if it leads out of the archive."""
        self.count += 1
        if self.count > MAX_FILES:
            raise self.error(f"it holds more than {MAX_FILES} files")
        parts = name.replace("\\", "/").split("/")
        if _ABSOLUTE.match(name) or ".." in parts or "\0" in name:
            raise self.error(f"the name {name[:80]!a} in it leads out of the archive")
        clean = "/".join(part for part in parts if part not in ("", "."))
        return shown(clean.encode("utf-8", "surrogateescape"))

    def link(self, name: str, target: str, *, top: bool = False) -> None:
        """Links are never followed: what they lead to is read by its own name. Raises InputError for one that
        leads out of the archive.

        With `top` the target is relative to the top, as that of a hard link, not to the folder of the link.
        """
        folders = [] if top else name.split("/")[:-1]
        inside = posixpath.normpath("/".join((*folders, target.replace("\\", "/"))))
        if _ABSOLUTE.match(target) or inside.split("/")[0] == "..":
            raise self.error(f"the link {name[:80]!a} in it leads out of the archive")
        if any(item.may_claim(name, tests=self.tests) for item in self.formats):
            self.links[name] = inside

    def whole(self) -> None:
        """Raise InputError if a link stands for a file that is not looked at by its own name."""
        for name, target in self.links.items():
            if target not in self.seen and target not in self.links:
                raise self.error(f"the link {name[:80]!a} in it stands for a file that is not read")

    def wanted(self, name: str) -> bool:
        """Whether a file may be a spec; raises InputError if its name has been there before."""
        if not any(item.may_claim(name, tests=self.tests) for item in self.formats):
            return False
        if name in self.seen:
            raise self.error(f"{name[:80]!a} is in it twice")
        self.seen.add(name)
        return True

    def unpacked(self, count: int) -> None:
        """Count bytes that came out; raises InputError if they are too many."""
        self.total += count
        if self.total > MAX_TOTAL:
            raise self.error(f"more than {MAX_TOTAL >> 20} MiB come out of it")

    def text(self, name: str, read: Callable[[int], bytes]) -> SpecText | None:
        """The text of a member where that is a spec, read no further than a spec may go."""
        blocks: list[bytes] = []
        size = 0
        while size <= MAX_TEXT and (block := read(_BLOCK)):
            blocks.append(block)
            size += len(block)
        text = b"".join(blocks)
        whole = size <= MAX_TEXT
        if not claimed(self.formats, name, text, whole=whole):
            return None
        if not whole:
            raise self.error(f"{name[:80]!a} in it is larger than {MAX_TEXT >> 20} MiB, too large for a spec")
        return spec_text(name, text)


class _Directory:
    """A file as zipfile needs it, that refuses to load a table of contents that is too large."""

    def __init__(self, file: IO[bytes], members: _Members) -> None:
        self._file = file
        self._members = members
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, count: int = -1) -> bytes:
        if count > _MAX_DIRECTORY:
            raise self._members.error(f"it holds more than {MAX_FILES} files")
        data = self._file.read(count)
        if len(data) > MAX_FILES and data.count(_ENTRY) > MAX_FILES:
            raise self._members.error(f"it holds more than {MAX_FILES} files")
        return data

    def close(self) -> None:
        """The caller closes the file."""


def _zip(file: IO[bytes], members: _Members) -> Iterator[SpecText]:
    with zipfile.ZipFile(_Directory(file, members)) as archive:
        for member in archive.infolist():
            name = members.name(member.filename)
            link = stat.S_ISLNK(member.external_attr >> 16)
            if not link and (member.filename.endswith("/") or not members.wanted(name)):
                continue
            if member.flag_bits & 1:
                raise members.error(f"{name[:80]!a} in it is encrypted")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise members.error(f"{name[:80]!a} in it is packed in a way that is not read here")
            with archive.open(member) as stream:
                if link:
                    members.link(name, stream.read(_BLOCK).decode(errors="replace"))
                    continue
                text = members.text(name, _counted(stream, members))
            if text is not None:
                yield text


def _counted(stream: IO[bytes], members: _Members) -> Callable[[int], bytes]:
    def read(count: int) -> bytes:
        block = stream.read(count)
        members.unpacked(len(block))
        return block

    return read


class _Unpacked:
    """What comes out of a packed tar, as tarfile needs it: counted, forward only, headers of a sane size."""

    def __init__(self, stream: Readable, members: _Members) -> None:
        self._stream = stream
        self._members = members
        self._at = 0
        self.allowed = _MAX_HEADER
        self.last = b""

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> int:
        if offset < self._at:
            raise tarfile.ReadError("it leads back")
        while self._at < offset and self._take(min(_BLOCK, offset - self._at)):
            pass
        return self._at

    def read(self, count: int) -> bytes:
        self.allowed -= count
        if count < 0 or self.allowed < 0:
            raise self._members.error("a header in it is larger than headers are")
        self.last = self._take(count)
        return self.last

    def rest(self) -> Iterator[bytes]:
        """All that follows, in blocks."""
        while block := self._take(_BLOCK):
            yield block

    def _take(self, count: int) -> bytes:
        block = self._stream.read(count)
        self._at += len(block)
        self._members.unpacked(len(block))
        return block


def _tar(stream: Readable, members: _Members, *, packed: bool) -> Iterator[SpecText]:
    unpacked = _Unpacked(stream, members)
    with tarfile.open(fileobj=unpacked, mode="r:") as archive:  # type: ignore[call-overload]
        while member := archive.next():
            # tarfile would keep them all.
            archive.members = []
            name = members.name(member.name)
            if member.issym() or member.islnk():
                members.link(name, member.linkname, top=member.islnk())
            elif member.isfile() and members.wanted(name):
                if member.issparse():
                    raise members.error(f"{name[:80]!a} in it is packed in a way that is not read here")
                content = archive.extractfile(member)
                assert content is not None
                unpacked.allowed = MAX_TOTAL
                text = members.text(name, content.read)
                if text is not None:
                    yield text
            unpacked.allowed = _MAX_HEADER
    # Some write no end. Of a packed tar that was cut off the packing has none either.
    cut_off = not packed and not unpacked.last
    # tarfile treats a damaged header as the end; nothing may follow a real end.
    if cut_off or unpacked.last.strip(b"\0") or any(block.strip(b"\0") for block in unpacked.rest()):
        raise members.error("the archive is damaged (its end is not where it says)")
