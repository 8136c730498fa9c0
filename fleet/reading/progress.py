"""How far each file has been read, so that nothing counts twice when it grows, moves or is compressed."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from wirebook.docgen.catalog.json_records import omitted
from wirebook.fleet.reading.containers import LONGEST_PART, part_of
from wirebook.fleet.reading.files import DamagedFile, Packing, packing_of, skip, some, unpacked
from wirebook.fleet.reading.reading import blocks_of

PREFIX = 1 << 16
SUFFIX = 1 << 12
_DIGITS = 32
_STARTS = tuple(1 << power for power in range(8, 17))
"""The lengths of the beginnings that identify a text of which only a part is at hand, up to PREFIX."""
LOOKED_BACK = 1 << 20
"""The bytes of lines of one stream of a container in which a line of the other may be incomplete."""


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A file as of the last read: its text up to `offset`, identified by digests of its start and end.

    The end is that of the text up to `offset`. `size`, `modified` and `inode` are those of the file: if they
    still match, it was not touched. `starts` has a digest for each of _STARTS that the text is long enough
    for: they show whether a shorter text may be its beginning.
    """

    path: str
    packing: str
    size: int
    modified: int
    inode: int
    offset: int
    prefix: str
    suffix: str
    starts: tuple[str, ...] = omitted(())

    @property
    def family(self) -> str:
        """What positions in one text have in common; others may have it as well."""
        return self.starts[0] if self.starts else self.prefix

    def is_in_text_of(self, other: FilePosition) -> bool:
        """Whether both are positions in one text, as far as their digests show it."""
        if min(PREFIX, self.offset) == min(PREFIX, other.offset):
            return self.prefix == other.prefix
        common = min(len(self.starts), len(other.starts))
        return common > 0 and self.starts[common - 1] == other.starts[common - 1]


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
    lines without a line end: they are read once they have one. `problems` are what is wrong with files.
    """

    pieces: list[FilePiece]
    positions: list[FilePosition]
    unfinished: dict[str, int]
    problems: list[tuple[str, str]]
    files: int = 0
    unchanged: int = 0

    def note_copy(self, path: Path) -> None:
        """Note that a file has the same text as another one, or the beginning of it."""
        self.problems.append((str(path), "has text that another file has, too, and counts once"))


def plan(paths: Iterable[Path], known: Iterable[FilePosition]) -> Plan:
    """Plan what to read of some files beyond the known positions. Raises OSError, InputError."""
    result = Plan([], [], {}, [])
    places = _Places(known)
    files: list[tuple[bool, int, Path, Packing]] = []
    for path in paths:
        with _noting_vanished(path, result):
            packing = packing_of(path)
            files.append((packing is not Packing.PLAIN, path.stat().st_size, path, packing))
    packed: list[_PackedText] = []
    # A text may continue a shorter one, and a compressed file be a plain one that is being read now.
    for _, _, path, packing in sorted(files):
        result.files += 1
        with _noting_vanished(path, result):
            state = path.stat()
            if _is_untouched(path, packing, state, places, result):
                continue
            if packing is Packing.PLAIN:
                _plan_text(path, packing, state, complete_end(path, state.st_size), places, result)
                continue
            start = _start(path, packing)
            match = places.match(path, packing, start)
            packed.append(_PackedText(path, packing, state, start[: _STARTS[0]], match))
    for text in _shortest_first(packed, places):
        with _noting_vanished(text.path, result):
            if text.end:
                _plan_text(text.path, text.packing, text.state, text.end, places, result)
            else:
                _plan_rest(text.path, text.packing, text.match, result)
    # Files that are missing now may reappear under another name.
    result.positions = [*places.all, *result.positions]
    return result


@contextmanager
def _noting_vanished(path: Path, result: Plan) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        words = (
            "is a symbolic link to nothing" if path.is_symlink() else "the file vanished before it was read"
        )
        result.problems.append((str(path), words))


def _is_untouched(path: Path, packing: Packing, state: os.stat_result, places: _Places, result: Plan) -> bool:
    """Whether a file is as it was read, which is all that the plan needs to know of it."""
    before = places.by_stamp.get((str(path), state.st_size, state.st_mtime_ns, state.st_ino))
    if before is None or before.packing != packing:
        return False
    result.unchanged += 1
    result.positions.append(before)
    if packing is Packing.PLAIN and state.st_size > before.offset:
        result.unfinished[str(path)] = state.st_size - before.offset
    return True


def _plan_text(
    path: Path, packing: Packing, state: os.stat_result, end: int, places: _Places, result: Plan
) -> None:
    """Plan a file whose last whole line is known to end at `end`."""
    is_plain = packing is Packing.PLAIN
    match = places.match(path, packing, _start(path, packing), end)
    start = 0
    if match is not None:
        start = end if match.is_longer else match.position.offset
        end = max(start, end)
    if is_plain and state.st_size > end:
        result.unfinished[str(path)] = state.st_size - end
    if end == 0:
        return
    position = _stamped(position_at(path, packing, end), state)
    places.add(position, planned=True)
    if end > start and not is_plain:
        _plan_rest(path, packing, match, result)
        return
    if end > start:
        result.pieces.append(FilePiece(str(path), packing, start, end, position.suffix))
    elif match is not None and places.is_copy_of(match, path):
        result.note_copy(path)
    result.positions.append(position)


def _plan_rest(path: Path, packing: Packing, match: _Match | None, result: Plan) -> None:
    """Plan to read a compressed file from what is known of it to its end."""
    is_read = match is not None and not match.is_longer
    start, check = (match.position.offset, match.position.suffix) if match and is_read else (0, "")
    result.pieces.append(FilePiece(str(path), packing, start, None, check))


@dataclass(slots=True)
class _PackedText:
    """A compressed file that was not read yet: its first bytes, and a text that it continues or begins.

    `end` is that of its last whole line; 0 if it is not known, because it takes a pass over the file.
    """

    path: Path
    packing: Packing
    state: os.stat_result
    first: bytes
    match: _Match | None
    end: int = 0


def _shortest_first(texts: list[_PackedText], places: _Places) -> list[_PackedText]:
    """Compressed texts, in an order in which each may continue those before it.

    Those are measured that may have text that another file has as well.
    """
    firsts = Counter(text.first for text in texts if text.first)
    alike = {first for first, number in firsts.items() if number > 1}
    for length in {len(first) for first in firsts if len(first) < _STARTS[0]}:
        for first in firsts:
            if len(first) > length and first[:length] in firsts:
                alike |= {first, first[:length]}
    for text in texts:
        match = text.match
        is_copy = match is not None and (match.is_longer or places.is_copy_of(match, text.path))
        if is_copy or text.first in alike:
            with suppress(FileNotFoundError):
                text.end = packed_end(text.path, text.packing)
    return sorted(texts, key=lambda text: text.end)


class _Match(NamedTuple):
    """The furthest position of a text that a file has as well: up to the position or, if the text
    `is_longer`, up to the end of the file.
    """

    position: FilePosition
    is_longer: bool


class _Places:
    """The texts that are known or planned, indexed by the properties that identify a file."""

    def __init__(self, positions: Iterable[FilePosition]) -> None:
        self.by_stamp: dict[tuple[str, int, int, int], FilePosition] = {}
        self.by_family: dict[str, list[FilePosition]] = {}
        self.short: set[int] = set()
        self.all: list[FilePosition] = []
        self.planned: set[str] = set()
        for position in positions:
            self.add(position)

    def add(self, position: FilePosition, *, planned: bool = False) -> None:
        """Identify the file from now on; `planned` means that this run reads it."""
        stamp = (position.path, position.size, position.modified, position.inode)
        self.by_stamp[stamp] = position
        self.by_family.setdefault(position.family, []).append(position)
        if not position.starts:
            self.short.add(min(PREFIX, position.offset))
        if planned:
            self.planned.add(position.path)
        else:
            self.all.append(position)

    def match(self, path: Path, packing: Packing, start: bytes, end: int | None = None) -> _Match | None:
        """The furthest text that a file continues, or is the beginning of, under any name and compression.

        `start` is the start of its text, of which only what is before `end` counts.
        """
        for position in self._candidates(start):
            try:
                at = position_at(path, packing, position.offset)
            except DamagedFile:
                at = None
            if at is not None and at.offset == position.offset:
                if at.suffix == position.suffix:
                    return _Match(position, is_longer=False)
            elif end != 0 and _is_beginning(path, packing, end, position):
                return _Match(position, is_longer=True)
        return None

    def _candidates(self, start: bytes) -> list[FilePosition]:
        """The texts that a text with this start may continue, or be the beginning of, the longest first."""
        starts = _starts(start)
        digest = cache(lambda length: _digest(start[:length]))

        def is_alike(position: FilePosition) -> bool:
            length = min(PREFIX, position.offset)
            if length <= len(start):
                return position.prefix == digest(length)
            return starts != () and position.starts[: len(starts)] == starts

        # A short text may be the start of any other.
        families = {*starts[:1], *(digest(length) for length in self.short if length <= len(start))}
        alike = [each for family in families for each in self.by_family.get(family, ()) if is_alike(each)]
        return sorted(alike, key=lambda position: -position.offset)

    def is_copy_of(self, match: _Match, path: Path) -> bool:
        """Whether a file has its text from another one, rather than being that file under a new name."""
        position = match.position
        return position.path != str(path) and (match.is_longer or position.path in self.planned)


def _is_beginning(path: Path, packing: Packing, end: int | None, position: FilePosition) -> bool:
    """Whether the text of a file is the beginning of a longer one, whose digests are equal as far as both
    have them: they decide if the file of the longer one was moved or removed.
    """
    try:
        state = os.stat(position.path)
    except OSError:
        return True
    if _stamped(position, state) != position:
        return True
    longer = _intact(Path(position.path), Packing(position.packing))
    return _begins_with(longer, _intact(path, packing, end))


def _begins_with(longer: Iterator[bytes], beginning: Iterator[bytes]) -> bool:
    """Whether one text begins with the other, both in blocks."""
    ahead = b""
    for block in beginning:
        while len(ahead) < len(block) and (more := next(longer, b"")):
            ahead += more
        if not ahead.startswith(block):
            return False
        ahead = ahead[len(block) :]
    return True


def position_at(path: Path, packing: Packing, offset: int) -> FilePosition:
    """The position of a file read up to an offset of its text, without size and times; its offset is -1 if
    the text ends before.
    """
    with unpacked(path, packing) as file:
        prefix = file.read(min(PREFIX, offset))
        rest = offset - len(prefix)
        if rest > SUFFIX:
            skip(file, rest - SUFFIX)
            suffix = file.read(SUFFIX)
        else:
            text = prefix + file.read(rest)
            suffix = text[-SUFFIX:] if len(text) == offset else b""
    return _position(str(path), packing, offset if len(suffix) == min(SUFFIX, offset) else -1, prefix, suffix)


def _position(path: str, packing: Packing, offset: int, prefix: bytes, suffix: bytes) -> FilePosition:
    digests = (_digest(prefix), _suffix(offset, suffix), _starts(prefix))
    return FilePosition(path, packing, 0, 0, 0, offset, *digests)


def beginning_at(path: str, beginning: bytes = b"") -> FilePosition:
    """The position in a text at an address, of which only the start is at hand, up to PREFIX.

    There is no prefix of an empty text: it is not the text of another file.
    """
    digest = _digest(beginning) if beginning else ""
    return FilePosition(path, Packing.PLAIN, 0, 0, 0, len(beginning), digest, "")


def complete_end(path: Path, size: int) -> int:
    """The end of the last complete line of a plain file, with all parts that a container splits it into."""
    with path.open("rb") as file:
        return whole_before(file, _last_end(file, size))


def whole_before(file: BinaryIO, end: int) -> int:
    """The last end of a line, up to `end`, at which no stream of a container is amid the parts of a line."""
    at, closed, left = end, set[bytes](), LOOKED_BACK
    for line in _lines_before(file, end):
        part = part_of(line) if len(line) <= LONGEST_PART else None
        if part is None:
            break
        at, left = at - len(line), left - len(line)
        stream, is_open = part
        if is_open and stream not in closed:
            end, closed, left = at, set(), LOOKED_BACK
        else:
            closed.add(stream)
        if left <= 0 or len(closed) > 1:
            break
    return end


def _lines_before(file: BinaryIO, end: int) -> Iterator[bytes]:
    """The lines up to an offset with their line ends, the last first, up to one that is very long."""
    rest = b""
    while end > 0 and len(rest) <= LONGEST_PART:
        start = max(0, end - LONGEST_PART)
        file.seek(start)
        *lines, last = (file.read(end - start) + rest).split(b"\n")
        rest, *lines = (*(line + b"\n" for line in lines), last)
        yield from filter(None, reversed(lines))
        end = start
    yield rest


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
        self.prefix = b""
        self.suffix = b""
        self.offset = 0
        self.line_end = 0

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size` of them; empty at the end."""
        block = some(self.file, size)
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
        """The position reached so far, with the size and times of `state`; None unless it ends a line."""
        reached = _position(piece.path, piece.packing, self.offset, self.prefix, self.suffix)
        return _stamped(reached, state) if self.offset == self.line_end > 0 else None


def whole_lines(recorded: Recorded) -> Iterator[bytes]:
    """The blocks of a compressed file up to the end of its last whole line, also before damage.

    The last blocks are withheld until the end: amid the parts of a line of a container, they wait for the
    last part, with all lines that follow the first one.
    """
    last: deque[bytes] = deque()
    size = 0
    damage: Exception | None = None
    try:
        for block in blocks_of(recorded):
            last.append(block)
            size += len(block)
            while size - len(last[0]) >= LOOKED_BACK:
                size -= len(last[0])
                yield last.popleft()
    except Exception as error:
        damage = error
    text = b"".join(last)
    ended = text.rfind(b"\n") + 1
    end = whole_before(BytesIO(text), ended)
    recorded.line_end -= ended - end
    if end:
        yield text[:end]
    if damage is not None:
        raise damage


def packed_end(path: Path, packing: Packing) -> int:
    """The end of the last whole line of a compressed file, as far as it is intact."""
    recorded: Recorded | None = None
    with suppress(DamagedFile), unpacked(path, packing) as file:
        recorded = Recorded(file)
        deque(whole_lines(recorded), maxlen=0)
    return 0 if recorded is None else recorded.line_end


def after_reading(piece: FilePiece, offset: int, state: os.stat_result) -> FilePosition | None:
    """The position of a compressed file whose text was read up to `offset`; None if nothing was read."""
    try:
        position = position_at(Path(piece.path), piece.packing, offset)
        return _stamped(position, state) if position.offset > 0 else None
    except (FileNotFoundError, DamagedFile):
        return None


def _stamped(position: FilePosition, state: os.stat_result) -> FilePosition:
    """The position with the size and times that the file had before it was opened."""
    return replace(position, size=state.st_size, modified=state.st_mtime_ns, inode=state.st_ino)


def is_as_planned(file: BinaryIO, check: str) -> bool:
    """Whether a plain file still has the text that a suffix describes; the file position changes."""
    offset = int(check.partition(" ")[0])
    file.seek(max(0, offset - SUFFIX))
    return _suffix(offset, file.read(min(SUFFIX, offset))) == check


def _suffix(offset: int, text: bytes) -> str:
    return f"{offset} {_digest(text)}"


def _start(path: Path, packing: Packing) -> bytes:
    """The start of the text of a file, as far as it is intact."""
    return b"".join(_intact(path, packing, PREFIX))


def _intact(path: Path, packing: Packing, length: int | None = None) -> Iterator[bytes]:
    """The text of a file or its first `length` bytes in blocks, up to the damage if the file is damaged."""
    with suppress(DamagedFile), unpacked(path, packing) as file:
        while length != 0 and (block := some(file, 1 << 16 if length is None else min(length, 1 << 16))):
            yield block
            length = None if length is None else length - len(block)


def _starts(text: bytes) -> tuple[str, ...]:
    """The digests of the beginnings of a text that have the lengths of _STARTS."""
    digest, at, digests = hashlib.sha256(), 0, []
    for length in _STARTS:
        if length > len(text):
            break
        digest.update(text[at:length])
        digests.append(digest.copy().hexdigest()[:_DIGITS])
        at = length
    return tuple(digests)


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:_DIGITS]
