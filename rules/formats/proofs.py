"""The proof of a finding in words: the line of a terminal, and the table of its bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from wirebook.rules.agreement.proof import Proof
from wirebook.specs.model import Json
from wirebook.specs.printable import clip

SHOWN = 24  # bytes on one line


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
    instead = f"{_value(proof.read)} instead of {_value(proof.written)}"
    lacking = "" if proof.is_sent else ", which the bytes do not carry"
    return f"{clip(proof.reader)} reads {clip(proof.path)} as {instead}{lacking}"


def table(proof: Proof) -> Iterator[tuple[str, str, str]]:
    """The bytes of each part in hex, the field with the part of its encoding, and the value."""
    for part in proof.parts:
        field = clip(part.path) or "the message"
        what = field if part.kind == "value" else f"{field} ({part.kind})"
        yield part.data.hex(" "), what, _value(part.value)


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
        "written": proof.written,
        "read": proof.read,
    }


def _value(value: Json) -> str:
    return clip(json.dumps(value, ensure_ascii=False))
