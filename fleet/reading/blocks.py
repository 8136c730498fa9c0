"""Reads logs whose lines come from somebody else: Spark's text reader, which splits files between lines.

A split may be amid the parts of a line of a container. What may belong to the blocks before and after is
kept apart, so that `joined` reads it as one process reads the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.containers import part_of
from wirebook.fleet.reading.files import Packing, packing_by
from wirebook.fleet.reading.metrics.samples import form_of
from wirebook.fleet.reading.own_logs import is_probe
from wirebook.fleet.reading.progress import PREFIX, FilePosition, beginning_at
from wirebook.fleet.reading.reading import Read, read_lines
from wirebook.specs.limits import MAX_LINE
from wirebook.specs.problems import InputError


@dataclass(slots=True)
class Block:
    """The lines of a file from an offset on, read one batch after another.

    `beginning` is what the block has of the beginning of the file, up to PREFIX. `head` are parts of lines
    whose first ones may be in the block before, `open` those whose last ones may be in the next, by stream.
    """

    path: str
    start: int
    read: Read
    beginning: bytes = b""
    head: list[bytes] = field(default_factory=list)
    open: dict[bytes, list[bytes]] = field(default_factory=dict)
    _closed: set[bytes] = field(default_factory=set)

    def add(self, lines: Sequence[bytes]) -> None:
        """Count the requests in more lines."""
        if self.start < PREFIX:
            for line in lines:
                if len(self.beginning) >= PREFIX:
                    break
                self.beginning = (self.beginning + line + b"\n")[:PREFIX]
        read_lines(_block(self._whole(lines)), self.path, self.read)

    def _whole(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines that no other block can have a part of; the parts of one follow each other."""
        for line in lines:
            part = part_of(line)
            if part is None:
                yield line[: MAX_LINE + 1]
                continue
            stream, is_open = part
            if self.start and stream not in self._closed:
                self.head.append(line)
                if not is_open:
                    self._closed.add(stream)
                continue
            parts = self.open.setdefault(stream, [])
            parts.append(line)
            if not is_open:
                yield from self.open.pop(stream)

    @property
    def rest(self) -> list[bytes]:
        """Parts of lines whose last part is not in the block."""
        return [line for stream in sorted(self.open) for line in self.open[stream]]


def _block(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines as one block, if there are any."""
    some = list(lines)
    if some:
        yield b"\n".join((*some, b""))


def joined(path: str, blocks: Iterable[tuple[Sequence[bytes], Sequence[bytes]]], into: Read) -> None:
    """Count the requests that are split between blocks of a file: `head` and `rest` of each, in order."""
    read_lines(_block(line for head, rest in blocks for line in (*head, *rest)), path, into)


def identified(beginning: bytes, path: str) -> FilePosition:
    """The position in a file that begins so. Raises InputError if it is no log that has been decompressed."""
    if packing_by(beginning) is not Packing.PLAIN:
        raise InputError("is compressed, but its name ends in neither .gz nor .zst", path)
    if is_probe(beginning) or form_of(beginning) is not None:
        raise InputError("is read as a whole: copy metrics and results of a probe to a local path", path)
    return beginning_at(path, beginning)


def blocks_read(
    rows: Iterable[tuple[str, int, bytes]], counting: Counting, blocks: dict[tuple[str, int], Block]
) -> None:
    """Count a batch of (path, offset of the block, line) into the blocks that it belongs to."""
    lines: dict[tuple[str, int], list[bytes]] = {}
    for path, start, line in rows:
        lines.setdefault((path, start), []).append(line)
    for key, some in lines.items():
        block = blocks.get(key)
        if block is None:
            block = blocks[key] = Block(*key, Read(counting))
        block.add(some)
