"""The proof of a finding, and in words: one line, or the message with a table of its bytes."""

import json
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from wirebook.specs.columns import columns
from wirebook.specs.model import Json
from wirebook.specs.printable import clip

SHOWN = 24  # bytes on one line
# Of a large message, a table has the first parts, and the first bytes of each; JSON has all.
ROWS, HEX = 80, 16
_MESSAGE, _CELL = 2000, 60  # characters of a message, and of a cell


class ProofPart(NamedTuple):
    """Some of the bytes, and what they are to the writer: a part of the field at a path, and its value."""

    data: bytes
    path: str
    kind: str
    value: Json


class Proof(NamedTuple):
    """A small message of a version, and what a peer that reads it makes of it.

    `writer` and `reader` name the peers. `message` is the message as JSON, `parts` are its bytes. The reader
    rejects it with `error` at the byte `at`, or has `read` in the field at `path` instead of `written`, which
    the writer has in the field at `source`; None is null. `is_sent` is whether the bytes carry the field.
    """

    version: int
    writer: str
    reader: str
    message: Json
    parts: tuple[ProofPart, ...]
    error: str | None
    at: int | None
    path: str
    source: str
    written: Json
    read: Json
    is_sent: bool

    @property
    def outcome(self) -> Hashable:
        """What identifies what the reader makes of the bytes: the same bytes, and the same field."""
        return self.version, self.writer, self.data, self.path, self.source

    @property
    def data(self) -> bytes:
        """The bytes of the message."""
        return b"".join(part.data for part in self.parts)


class ProofRow(NamedTuple):
    """A row of a table of bytes: the offset, the bytes in hex, the field, and the value that it has."""

    offset: str
    data: str
    field: str
    value: str


HEADS = ProofRow("byte", "hex", "field", "value")


def line(proof: Proof) -> str:
    """What one peer sends and what the other makes of it, in one sentence."""
    data = proof.data
    sent = data[:SHOWN].hex(" ") + (" …" if len(data) > SHOWN else "") if data else "no bytes"
    return f"{clip(proof.writer)} sends {sent} in version {proof.version}; {outcome(proof)}"


def outcome(proof: Proof) -> str:
    """What the reader makes of the bytes."""
    if proof.error is not None:
        at = "" if proof.at is None else f" at byte {proof.at}"
        return f"{clip(proof.reader)} fails{at}: {clip(proof.error)}"
    reads = f"{clip(proof.reader)} reads {clip(proof.path)} as {_value(proof.read)}"
    if proof.source != proof.path:
        return f"{reads}, from the bytes of {clip(proof.source)} ({_value(proof.written)})"
    lacking = "" if proof.is_sent else ", which the bytes do not carry"
    return f"{reads} instead of {_value(proof.written)}{lacking}"


def table(proof: Proof) -> Iterator[tuple[str, str, str]]:
    """The bytes of each part in hex, the field with the part of its encoding, and the value."""
    for part in proof.parts:
        field = clip(part.path) or "the message"
        what = field if part.kind == "value" else f"{field} ({part.kind})"
        yield part.data.hex(" "), what, _value(part.value)


def sending(proof: Proof) -> str:
    """Who sends the message."""
    return f"{clip(proof.writer)} sends this message in version {proof.version}"


def message(proof: Proof) -> str:
    """The message as JSON, on one line."""
    return clip(json.dumps(proof.message, ensure_ascii=False), _MESSAGE)


def rows(proof: Proof) -> Iterator[ProofRow]:
    """The table with offsets, short enough for people; what is left out is counted in the last row."""
    offset = 0
    for part, (_, field, value) in list(zip(proof.parts, table(proof), strict=True))[:ROWS]:
        size = len(part.data)
        more = f" … ({size} bytes)" if size > HEX else ""
        yield ProofRow(str(offset), part.data[:HEX].hex(" ") + more, clip(field, _CELL), clip(value, _CELL))
        offset += size
    if len(proof.parts) > ROWS:
        yield ProofRow(str(offset), "…", f"{len(proof.parts) - ROWS} more parts, which JSON has", "")


def lines(proof: Proof) -> Iterator[str]:
    """The rows as lines of columns, with a heading; none if the message has no bytes."""
    cells = list(rows(proof))
    if cells:
        yield from (line.rstrip() for line in columns([HEADS, *cells], right=1))


def to_json(proof: Proof) -> dict[str, Json]:
    """The proof as wirebook/findings/1 has it."""
    return {
        "version": proof.version,
        "writer": proof.writer,
        "reader": proof.reader,
        "message": proof.message,
        "bytes": proof.data.hex(),
        "parts": [
            {"bytes": part.data.hex(), "path": part.path, "kind": part.kind, "value": part.value}
            for part in proof.parts
        ],
        "outcome": outcome(proof),
        "error": proof.error,
        "offset": proof.at,
        "path": proof.path,
        "source": proof.source,
        "written": proof.written,
        "read": proof.read,
    }


def _value(value: Json) -> str:
    return clip(json.dumps(value, ensure_ascii=False))
