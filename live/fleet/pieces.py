"""Pieces of logs read, in this process or on an executor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wirebook.live.fleet.counting import MOST_CLIENTS, Counting
from wirebook.live.fleet.files import Packing, is_damage, skip, unpacked
from wirebook.live.fleet.progress import Piece, Position, Recorded, after_reading
from wirebook.live.fleet.reading import Change, Read, lines_of, read_lines, same

LONGEST_PIECE = 64 << 20


@dataclass(slots=True)
class PieceRead:
    """What a piece held: its requests, the position of a compressed file, and what was wrong with it."""

    read: Read
    lines: int = 0
    position: Position | None = None
    problem: str = ""


def read_piece(
    piece: Piece, change: Change = same, into: Read | None = None, most_clients: int = MOST_CLIENTS
) -> PieceRead:
    """Count the requests of a piece into `into`. Raises OSError, but not for a file that vanished."""
    done = PieceRead(Read(Counting(most_clients)) if into is None else into)
    length = None if piece.end is None else piece.end - piece.start
    reached = _Reached(piece.start)
    path = Path(piece.path)
    try:
        with unpacked(path, piece.packing) as file:
            try:
                if piece.packing is Packing.PLAIN:
                    skip(file, piece.start)
                    done.lines = read_lines(lines_of(file, length), piece.path, done.read, change)
                else:
                    done.position = _read_packed(file, piece, reached, done, change)
            except Exception as error:
                if not is_damage(error):
                    raise
                done.problem = (
                    "the compressed file is cut off or corrupt; what comes before the damage counts"
                )
                done.lines = reached.lines
    except FileNotFoundError:
        done.problem = "the file vanished before it was read"
        return done
    if done.problem:
        done.position = after_reading(piece, reached.offset)
    return done


def _read_packed(
    file: BinaryIO, piece: Piece, reached: _Reached, done: PieceRead, change: Change
) -> Position | None:
    """Read a compressed file to its end, and return its position there without reading it again."""
    recorded = Recorded(file)
    skip(recorded, piece.start)
    done.lines = read_lines(reached.counting(lines_of(recorded)), piece.path, done.read, change)
    return recorded.position(piece)


class _Reached:
    """How far the text of a compressed file was read."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.lines = 0

    def counting(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        for line in lines:
            self.offset += len(line) + 1
            self.lines += 1
            yield line


def split(piece: Piece, longest: int | None = None) -> Iterator[Piece]:
    """A piece of a plain file as pieces that begin and end with lines, none much longer than a size.

    Raises OSError.
    """
    longest = LONGEST_PIECE if longest is None else longest
    if piece.end is None or piece.end - piece.start <= longest:
        yield piece
        return
    start = piece.start
    with open(piece.path, "rb") as file:
        while start < piece.end:
            end = min(start + longest, piece.end)
            if end < piece.end:
                file.seek(end)
                while (block := file.readline(1 << 20)) and not block.endswith(b"\n"):
                    pass
                end = min(file.tell(), piece.end)
            yield Piece(piece.path, piece.packing, start, end)
            start = end
