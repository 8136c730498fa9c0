"""Reads the specs from an archive, in bounded memory and without writing a file."""

from __future__ import annotations

import gzip
import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from wirebook.specs.limits import MAX_FILES, MAX_TAR_HEADER, MAX_TEXT, MAX_TOTAL, MAX_ZIP_DIRECTORY
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    TARS,
    ZIPS,
    SpecText,
    candidate,
    candidate_file,
    collect,
    is_spec,
    place_of,
    shown,
    spec_text,
)
from wirebook.specs.sources.git_objects import LINK, TreeEntry
from wirebook.specs.sources.links import linked_files

_BLOCK = 64 << 10
_HEAD = 512  # bytes; the first block of a tar has a magic number at 257
_MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gzip",
}
_ENTRY = b"PK\x01\x02"
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
# The exceptions of the standard library for damaged or forged archives, including RecursionError,
# NotImplementedError (both RuntimeErrors) and UnicodeDecodeError (a ValueError).
_FAULTS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error,
    EOFError, OSError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by its first bytes or by its name. Raises OSError."""
    if path.name.lower().endswith(ZIPS + TARS):
        return True
    with open(path, "rb") as file:
        return _kind(file) is not None


def _kind(file: IO[bytes]) -> str | None:
    """The kind of an archive by its first bytes: "zip", "tar", or "gzip" for a packed tar."""
    head = file.read(_HEAD)
    file.seek(0)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    return "tar" if head[257:262] == b"ustar" else None


def read_archive(path: Path, *, tests: bool = False) -> list[SpecText]:
    """Read every spec in an archive, by its path inside; nested archives are ignored.

    A spec of a folder that is skipped is read if a link leads to it, by the path of that link. Raises
    InputError for a damaged or encrypted archive, for a name or link that points outside it, for a link in
    the place of a spec to a file that is none, for a duplicate name, and for more files or bytes than the
    limits. The bytes that are unpacked count, not those that a header declares.
    """
    members = _Members(path, tests)
    try:
        with open(path, "rb") as file:
            try:
                # A zip may begin with anything, because it is read from its end.
                kind = _kind(file) or ("zip" if path.name.lower().endswith(ZIPS) else None)
                if kind is None:
                    raise ValueError("it does not begin like an archive")
                if kind == "zip":
                    texts = _zip(file, members)
                else:
                    texts = _tar(_unpacked(file, kind), members, packed=kind == "gzip")
                return collect(chain(texts, members.linked()), str(path))
            except _FAULTS as error:
                why = " ".join(str(error).split()) or type(error).__name__
                raise InputError(f"the archive is damaged ({why[:120]})", str(path)) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None


def _unpacked(file: IO[bytes], kind: str) -> IO[bytes] | gzip.GzipFile:
    """The content of a tar."""
    return gzip.GzipFile(fileobj=file) if kind == "gzip" else file


class _Members:
    """Checks the members of an archive: their names, their number, and their unpacked size."""

    def __init__(self, path: Path, tests: bool) -> None:
        self.path = path
        self.tests = tests
        self.count = 0
        self.total = 0
        self.seen: set[str] = set()
        # The specs of skipped folders.
        self.skipped: dict[str, bytes] = {}
        # By the path of each link, where it leads to from there, and from the top.
        self.links: dict[str, tuple[str, str]] = {}

    def error(self, message: str) -> InputError:
        return InputError(message, str(self.path))

    def name(self, name: str) -> str:
        """The clean path of another member. Raises InputError if it points outside the archive."""
        self.count += 1
        if self.count > MAX_FILES:
            raise self.error(f"it holds more than {MAX_FILES} files")
        parts = name.replace("\\", "/").split("/")
        if _ABSOLUTE.match(name) or ".." in parts or "\0" in name:
            raise self.error(f"the name {name[:80]!a} in it points outside the archive")
        clean = "/".join(part for part in parts if part not in ("", "."))
        return shown(clean.encode("utf-8", "surrogateescape"))

    def link(self, name: str, target: str, *, top: bool = False) -> None:
        """Record a link. With `top`, its target is relative to the top, like that of a hard link, not to the
        folder of the link. It replaces another link of its name, as when the archive is unpacked. Raises
        InputError if it points outside the archive, or if there is a spec of its name.
        """
        target = target.replace("\\", "/")
        folder = "/".join(name.split("/")[:-1])
        inside = posixpath.normpath(target if top else posixpath.join(folder, target))
        if _ABSOLUTE.match(target) or inside.split("/")[0] == "..":
            raise self.error(f"the link {name[:80]!a} in it points outside the archive")
        if name in self.seen:
            raise self.error(f"{name[:80]!a} is in it twice, as a file and as a link")
        self.links[name] = (posixpath.relpath(inside, folder or ".") if top else target, inside)

    def linked(self) -> Iterator[SpecText]:
        """The specs that are not read by their own names, by the paths of links. The targets of other links
        are read by their own names.

        Raises InputError if a link in the place of a spec leads to a file that is not read.
        """
        if not self.links:
            return
        names = {name.encode(): name for name in (*self.seen, *self.skipped, *self.links)}
        entries = {path: TreeEntry(LINK if name in self.links else "", name) for path, name in names.items()}
        targets = {name.encode(): target.encode() for name, (target, _) in self.links.items()}
        linked = linked_files(entries, targets, str(self.path))
        in_place_of_specs = {name for name in self.links if self.may_be_spec(name)}
        for name in in_place_of_specs - linked.places.keys():
            _, inside = self.links[name]
            if inside not in self.seen and inside not in in_place_of_specs:
                raise self.error(f"the link {name[:80]!a} in it points to a file that is not read")
        for path, name in linked.objects.items():
            if name in self.skipped and self.may_be_spec(path):
                yield spec_text(path, self.skipped[name])

    def may_be_spec(self, name: str) -> bool:
        """Whether a file may be a spec by its name."""
        return candidate(name, self.tests)

    def wanted(self, name: str, *, linked: bool = False) -> bool:
        """Whether a file may be a spec, with `linked` only if a link leads to it.

        Raises InputError for a duplicate name.
        """
        if not self.may_be_spec(name):
            return linked and candidate_file(name)
        if name in self.seen or name in self.links:
            kinds = ", as a link and as a file" if name in self.links else ""
            raise self.error(f"{name[:80]!a} is in it twice{kinds}")
        self.seen.add(name)
        return True

    def unpacked(self, count: int) -> None:
        """Count unpacked bytes. Raises InputError if they exceed the limit."""
        self.total += count
        if self.total > MAX_TOTAL:
            raise self.error(f"more than {MAX_TOTAL >> 20} MiB when unpacked")

    def text(self, name: str, read: Callable[[int], bytes]) -> SpecText | None:
        """The text of a member if it is a spec, read up to the maximum size of a spec; that of one in a
        skipped folder is kept for links.
        """
        blocks: list[bytes] = []
        size = 0
        while size <= MAX_TEXT and (block := read(_BLOCK)):
            blocks.append(block)
            size += len(block)
        text = b"".join(blocks)
        whole = size <= MAX_TEXT
        if not is_spec(text, place_of(name), whole=whole):
            return None
        if name not in self.seen:
            # A beginning is no spec that can be read.
            self.skipped[name] = text if whole else text[:_BLOCK]
            return None
        if not whole:
            raise self.error(f"{name[:80]!a} in it is larger than {MAX_TEXT >> 20} MiB, too large for a spec")
        return spec_text(name, text)


class _Directory:
    """A file for zipfile that refuses to load a central directory that is too large."""

    def __init__(self, file: IO[bytes], members: _Members) -> None:
        self._file = file
        self._members = members
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, count: int = -1) -> bytes:
        if count > MAX_ZIP_DIRECTORY:
            raise self._members.error(f"it holds more than {MAX_FILES} files")
        data = self._file.read(count)
        if len(data) > MAX_FILES and data.count(_ENTRY) > MAX_FILES:
            raise self._members.error(f"it holds more than {MAX_FILES} files")
        return data

    def close(self) -> None:
        """The caller closes the file."""


def _zip(file: IO[bytes], members: _Members) -> Iterator[SpecText]:
    with zipfile.ZipFile(_Directory(file, members)) as archive:
        every_member = archive.infolist()
        has_links = any(map(_is_link, every_member))
        for member in every_member:
            name = members.name(member.filename)
            link = _is_link(member)
            if not link and (member.filename.endswith("/") or not members.wanted(name, linked=has_links)):
                continue
            if member.flag_bits & 1:
                raise members.error(f"{name[:80]!a} in it is encrypted")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise members.error(f"{name[:80]!a} in it has an unsupported compression")
            with archive.open(member) as stream:
                if link:
                    members.link(name, shown(stream.read(_BLOCK)))
                    continue
                text = members.text(name, _counted(stream, members))
            if text is not None:
                yield text


def _is_link(member: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(member.external_attr >> 16)


def _counted(stream: IO[bytes], members: _Members) -> Callable[[int], bytes]:
    def read(count: int) -> bytes:
        block = stream.read(count)
        members.unpacked(len(block))
        return block

    return read


class _Unpacked:
    """An unpacked tar as a stream for tarfile: counted, forward only, with headers of limited size."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, members: _Members) -> None:
        self._stream = stream
        self._members = members
        self._at = 0
        self.allowed = MAX_TAR_HEADER
        self.last = b""

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> int:
        if offset < self._at:
            raise tarfile.ReadError("it points back")
        while self._at < offset and self._take(min(_BLOCK, offset - self._at)):
            pass
        return self._at

    def read(self, count: int) -> bytes:
        self.allowed -= count
        if count < 0 or self.allowed < 0:
            raise self._members.error("a header in it is too large")
        self.last = self._take(count)
        return self.last

    def rest(self) -> Iterator[bytes]:
        """The remaining content, in blocks."""
        while block := self._take(_BLOCK):
            yield block

    def _take(self, count: int) -> bytes:
        block = self._stream.read(count)
        self._at += len(block)
        self._members.unpacked(len(block))
        return block


def _tar(stream: IO[bytes] | gzip.GzipFile, members: _Members, *, packed: bool) -> Iterator[SpecText]:
    unpacked = _Unpacked(stream, members)
    with tarfile.open(fileobj=unpacked, mode="r:") as archive:  # type: ignore[call-overload]
        while member := archive.next():
            # tarfile would keep all of them.
            archive.members = []
            name = members.name(member.name)
            if member.issym() or member.islnk():
                target = shown(member.linkname.encode("utf-8", "surrogateescape"))
                members.link(name, target, top=member.islnk())
            elif member.isfile() and members.wanted(name, linked=True):
                if member.issparse():
                    raise members.error(f"{name[:80]!a} in it has an unsupported compression")
                content = archive.extractfile(member)
                assert content is not None
                unpacked.allowed = MAX_TOTAL
                text = members.text(name, content.read)
                if text is not None:
                    yield text
            unpacked.allowed = MAX_TAR_HEADER
    # Some writers omit the end marker; a truncated compressed tar lacks it, too.
    cut_off = not packed and not unpacked.last
    # tarfile treats a damaged header as the end; nothing may follow a real end.
    if cut_off or unpacked.last.strip(b"\0") or any(block.strip(b"\0") for block in unpacked.rest()):
        raise members.error("the archive is damaged (it does not end where it should)")
