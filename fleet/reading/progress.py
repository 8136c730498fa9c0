"""How far each file has been read, so that nothing counts twice when it grows, moves or is compressed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from wirebook.fleet.reading.containers import LONGEST_PART, part_of
from wirebook.fleet.reading.files import DamagedFile, Packing, packing_of, skip, unpacked

PREFIX = 1 << 16
SUFFIX = 1 << 12
_LOOKED_BACK = 16  # lines of one stream of a container, to find a line of the other that is incomplete


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A file as of the last read: its text up to `offset`, identified by digests of its start and end.

    The end is that of the text up to `offset`. `size`, `modified` and `inode` are those of the file: if they
    still match, it was not touched.
    """

    path: str
    packing: str
    size: int
    modified: int
    inode: int
    offset: int
    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class FilePiece:
    """A part of a file to read: its text from `start` to `end`, or to the end of the file (None).

    `check` is the suffix of a position (`FilePosition.suffix`) that the file has unless it was replaced
    since: in a plain file at the end of the piece, in a compressed file at its start.
    """

    path: str
    packing: Packing
    start: int
    end: int | None
    check: str = ""


@dataclass(slots=True)
class Plan:
    """What to read, and how far each file has been read afterwards.

    The position in a compressed file is known only after it is read. `unfinished` counts the bytes of last
    lines without a line end: they are read once they have one. `copies` have the same text as other files,
    `vanished` no longer exist.
    """

    pieces: list[FilePiece]
    positions: list[FilePosition]
    unfinished: dict[str, int]
    copies: list[str]
    vanished: list[str]
    files: int = 0
    unchanged: int = 0


def plan(paths: Iterable[Path], known: Iterable[FilePosition]) -> Plan:
    """Plan what to read of some files beyond the known positions. Raises OSError, InputError."""
    result = Plan([], [], {}, [], [])
    places = _Places(known)
    files = [(path, packing) for path in paths if (packing := _packing(path, result)) is not None]
    # A compressed file may be a plain one that was read before, or that is being read now.
    for path, packing in sorted(files, key=lambda item: item[1] is not Packing.PLAIN):
        result.files += 1
        try:
            _plan_file(path, packing, places, result)
        except FileNotFoundError:
            result.vanished.append(str(path))
    # Files that are missing now may reappear under another name.
    result.positions = [*places.all, *result.positions]
    return result


def _packing(path: Path, result: Plan) -> Packing | None:
    try:
        return packing_of(path)
    except FileNotFoundError:
        result.vanished.append(str(path))
        return None


def _plan_file(path: Path, packing: Packing, places: _Places, result: Plan) -> None:
    state = path.stat()
    stamp = (str(path), state.st_size, state.st_mtime_ns, state.st_ino)
    touched = places.by_stamp.get(stamp)
    if touched is not None and touched.packing == packing:
        result.unchanged += 1
        result.positions.append(touched)
        if packing is Packing.PLAIN and state.st_size > touched.offset:
            result.unfinished[str(path)] = state.st_size - touched.offset
        return
    before = _known(path, packing, places)
    start = before.offset if before is not None else 0
    if packing is not Packing.PLAIN:
        if before is not None and before.path != str(path) and before.path in places.planned:
            result.copies.append(str(path))
        elif before is None and places.is_copy(path, packing):
            result.copies.append(str(path))
            return
        result.pieces.append(FilePiece(str(path), packing, start, None, before.suffix if before else ""))
        return
    end = max(start, complete_end(path, state.st_size))
    if state.st_size > end:
        result.unfinished[str(path)] = state.st_size - end
    if end == 0:
        return
    position = replace(
        position_at(path, packing, end), size=state.st_size, modified=state.st_mtime_ns, inode=state.st_ino
    )
    if end > start:
        result.pieces.append(FilePiece(str(path), packing, start, end, position.suffix))
    elif before is not None and before.path in places.planned:
        result.copies.append(str(path))
    result.positions.append(position)
    places.add(position, planned=True)


class _Places:
    """The known positions, indexed by the properties that identify a file."""

    def __init__(self, positions: Iterable[FilePosition]) -> None:
        self.by_stamp: dict[tuple[str, int, int, int], FilePosition] = {}
        self.by_prefix: dict[int, dict[str, list[FilePosition]]] = {}
        self.all: list[FilePosition] = []
        self.planned: set[str] = set()
        self.packed: dict[str, list[tuple[Path, Packing]]] = {}
        for position in positions:
            self.add(position)

    def add(self, position: FilePosition, *, planned: bool = False) -> None:
        """Identify the file from now on; `planned` means that this run reads it."""
        stamp = (position.path, position.size, position.modified, position.inode)
        self.by_stamp[stamp] = position
        length = min(PREFIX, position.offset)
        self.by_prefix.setdefault(length, {}).setdefault(position.prefix, []).append(position)
        if planned:
            self.planned.add(position.path)
        else:
            self.all.append(position)

    def candidates(self, start: bytes) -> Iterator[FilePosition]:
        """The files that begin with this text; those read furthest come first."""
        positions: list[FilePosition] = []
        for length, by_digest in self.by_prefix.items():
            if 0 < length <= len(start):
                positions += by_digest.get(_digest(start[:length]), ())
        yield from sorted(positions, key=lambda position: -position.offset)

    def is_copy(self, path: Path, packing: Packing) -> bool:
        """Whether another new compressed file of this run has the same text; one with the same start may.

        Empty files are not copies: nothing in them could count twice.
        """
        start = _start(path, packing)
        if not start:
            return False
        others = self.packed.setdefault(_digest(start), [])
        if others:
            whole = _text_digest(path, packing)
            if any(_text_digest(*other) == whole for other in others):
                return True
        others.append((path, packing))
        return False


def _known(path: Path, packing: Packing, places: _Places) -> FilePosition | None:
    """How far a file was read before, under any name and compression; None if it is new."""
    for position in places.candidates(_start(path, packing)):
        with suppress(DamagedFile):
            if position_at(path, packing, position.offset).suffix == position.suffix:
                return position
    return None


def position_at(path: Path, packing: Packing, offset: int) -> FilePosition:
    """The position of a file read up to an offset of its text, without size and times."""
    with unpacked(path, packing) as file:
        prefix = file.read(min(PREFIX, offset))
        rest = offset - len(prefix)
        if rest > SUFFIX:
            skip(file, rest - SUFFIX)
            suffix = file.read(SUFFIX)
        else:
            suffix = (prefix + file.read(rest))[-SUFFIX:]
    return _position(str(path), packing, offset if len(suffix) == min(SUFFIX, offset) else -1, prefix, suffix)


def _position(path: str, packing: Packing, offset: int, prefix: bytes, suffix: bytes) -> FilePosition:
    return FilePosition(path, packing, 0, 0, 0, offset, _digest(prefix), _suffix(offset, suffix))


def complete_end(path: Path, size: int) -> int:
    """The end of the last complete line of a plain file, with all parts that a container splits it into."""
    with path.open("rb") as file:
        return whole_before(file, _last_end(file, size))


def whole_before(file: BinaryIO, end: int) -> int:
    """The last end of a line, up to `end`, at which no stream of a container is amid the parts of a line."""
    at, closed, left = end, set[bytes](), _LOOKED_BACK
    while at > 0 and left:
        line = _line_before(file, at)
        part = part_of(line)
        if part is None:
            break
        at, left = at - len(line), left - 1
        stream, is_open = part
        if stream in closed:
            continue
        if is_open:
            end, closed, left = at, set(), _LOOKED_BACK
        else:
            closed.add(stream)
        if len(closed) > 1:
            break
    return end


def _line_before(file: BinaryIO, end: int) -> bytes:
    """The line that ends there, with its line end, or the end of a line too long to be a container's."""
    start = max(0, end - LONGEST_PART)
    file.seek(start)
    text = file.read(end - start)
    return text[text.rfind(b"\n", 0, len(text) - 1) + 1 :]


def _last_end(file: BinaryIO, size: int) -> int:
    """The end of the last line that has a line end."""
    at = size
    while at > 0:
        block = min(at, 1 << 16)
        file.seek(at - block)
        line_end = file.read(block).rfind(b"\n")
        if line_end >= 0:
            return at - block + line_end + 1
        at -= block
    return 0


class Recorded:
    """Keeps the parts of a compressed file's text that its position needs, while the file is read.

    `line_end` is the end of the last complete line.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.take: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self.prefix = b""
        self.suffix = b""
        self.offset = 0
        self.line_end = 0

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size` of them; empty at the end."""
        block = self.take(size)
        self.line_end = self.offset + block.rfind(b"\n") + 1 if b"\n" in block else self.line_end
        self.offset += len(block)
        if len(self.prefix) < PREFIX:
            self.prefix += block[: PREFIX - len(self.prefix)]
        self.suffix = block[-SUFFIX:] if len(block) >= SUFFIX else (self.suffix + block)[-SUFFIX:]
        return block

    @property
    def check(self) -> str:
        """The suffix of the position reached so far."""
        return _suffix(self.offset, self.suffix)

    def position(self, piece: FilePiece, state: os.stat_result) -> FilePosition | None:
        """The position reached so far, with the size and times of `state`; None at the beginning."""
        reached = _position(piece.path, piece.packing, self.offset, self.prefix, self.suffix)
        return _stamped(reached, state)


def after_reading(piece: FilePiece, offset: int, state: os.stat_result) -> FilePosition | None:
    """The position of a compressed file whose text was read up to `offset`; None if nothing was read."""
    try:
        return _stamped(position_at(Path(piece.path), piece.packing, offset), state)
    except (FileNotFoundError, DamagedFile):
        return None


def _stamped(position: FilePosition, state: os.stat_result) -> FilePosition | None:
    """The position with the size and times that the file had before it was opened; None at the beginning."""
    stamped = replace(position, size=state.st_size, modified=state.st_mtime_ns, inode=state.st_ino)
    return stamped if position.offset > 0 else None


def is_as_planned(file: BinaryIO, check: str) -> bool:
    """Whether a plain file still has the text that a suffix describes; the file position changes."""
    offset = int(check.partition(" ")[0])
    file.seek(max(0, offset - SUFFIX))
    return _suffix(offset, file.read(min(SUFFIX, offset))) == check


def _suffix(offset: int, text: bytes) -> str:
    return f"{offset} {_digest(text)}"


def _start(path: Path, packing: Packing) -> bytes:
    """The start of the text of a file; nothing if it is damaged."""
    with suppress(DamagedFile), unpacked(path, packing) as file:
        return file.read(PREFIX)
    return b""


def _text_digest(path: Path, packing: Packing) -> str:
    """A digest of the text of a compressed file, as far as the file is intact."""
    digest = hashlib.sha256()
    with suppress(DamagedFile), unpacked(path, packing) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]
