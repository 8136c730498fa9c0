"""Reads pieces of logs, in this process or on an executor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.containers import LONGEST_PART
from wirebook.fleet.reading.files import DamagedFile, Packing, skip, unpacked
from wirebook.fleet.reading.progress import (
    FilePiece,
    FilePosition,
    Recorded,
    after_reading,
    is_as_planned,
    whole_before,
    whole_lines,
)
from wirebook.fleet.reading.reading import Read, blocks_of, read_lines

LONGEST_PIECE = 64 << 20


@dataclass(slots=True)
class PieceRead:
    """The result of reading a piece: requests, the position in a compressed file, and problems.

    If the file was moved or replaced after it was planned (`moved`), the result must be discarded.
    """

    read: Read
    position: FilePosition | None = None
    problem: str = ""
    moved: bool = False


def read_piece(piece: FilePiece, counting: Counting) -> PieceRead:
    """Count the requests of a piece. Raises OSError, except for a file that vanished."""
    done = PieceRead(Read(counting))
    path = Path(piece.path)
    recorded: Recorded | None = None
    try:
        state = os.stat(path)
        with unpacked(path, piece.packing) as file:
            if piece.packing is Packing.PLAIN:
                _read_plain(file, piece, done)
            else:
                recorded = Recorded(file)
                _read_packed(recorded, piece, done)
                if done.moved:
                    return done
                # The text of a whole file is known without a second pass.
                done.position = recorded.position(piece, state)
    except DamagedFile:
        done.problem = "the compressed file is cut off or corrupt; what comes before the damage counts"
    except FileNotFoundError:
        done.moved = True
        return done
    if piece.packing is not Packing.PLAIN and done.position is None:
        reached = piece.start if recorded is None else max(piece.start, recorded.line_end)
        done.position = after_reading(piece, reached, state)
    return done


def _read_plain(file: BinaryIO, piece: FilePiece, done: PieceRead) -> None:
    """Read a piece of a plain file, unless the file was replaced before, or truncated meanwhile, as rotation
    by copying does.
    """
    done.moved = bool(piece.check) and not is_as_planned(file, piece.check)
    if not done.moved:
        file.seek(piece.start)
        length = None if piece.end is None else piece.end - piece.start
        read_lines(blocks_of(file, length), piece.path, done.read)
        done.moved = bool(piece.check) and not is_as_planned(file, piece.check)


def _read_packed(recorded: Recorded, piece: FilePiece, done: PieceRead) -> None:
    """Read the whole lines of a compressed file, unless the file was replaced before."""
    skip(recorded, piece.start)
    done.moved = bool(piece.check) and recorded.check != piece.check
    if not done.moved:
        read_lines(whole_lines(recorded), piece.path, done.read)
        if recorded.line_end < recorded.offset:
            done.problem = "its last line is incomplete, and counts once it is complete"


def split(piece: FilePiece) -> Iterator[FilePiece]:
    """Split a piece of a plain file at line ends into pieces not much longer than LONGEST_PIECE.

    Raises OSError.
    """
    if piece.end is None or piece.end - piece.start <= LONGEST_PIECE:
        yield piece
        return
    start = piece.start
    with open(piece.path, "rb") as file:
        while start < piece.end:
            end = min(start + LONGEST_PIECE, piece.end)
            if end < piece.end:
                file.seek(end)
                while (block := file.readline(1 << 20)) and not block.endswith(b"\n"):
                    pass
                end = min(file.tell(), piece.end)
                while end < piece.end and whole_before(file, end) < end:
                    file.seek(end)
                    file.readline(LONGEST_PART)
                    end = min(file.tell(), piece.end)
            yield FilePiece(piece.path, piece.packing, start, end, piece.check)
            start = end
