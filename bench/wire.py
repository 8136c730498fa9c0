"""The codec beside kio, on the same messages in one run."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.wire.codec import Codec, codec
from wirebook.specs.wire.layout import Layout, LayoutField, layout

Row = tuple[str, str, str]
_SIZES = {"INT8": 7, "INT16": 15, "UINT16": 16, "INT32": 31, "UINT32": 32, "INT64": 40}


def rows(repeat: int) -> list[Row]:
    """The rows of the table: writing and reading, each as a ratio to kio's time (medians)."""
    cases = _cases()
    if not cases:
        return [("the codec beside kio", "kio is not installed", "at most 1.5")]
    made = []
    for what, ours, theirs in (
        ("write", [each.write for each in cases], [each.their_write for each in cases]),
        ("read", [each.read for each in cases], [each.their_read for each in cases]),
    ):
        made.append((what, *_compared(ours, theirs, repeat)))
    both = sum(row[1] for row in made) / sum(row[2] for row in made)
    told = [
        (
            f"  {what}: ours {ours * 1e3:.2f} ms, kio {theirs * 1e3:.2f} ms",
            f"{ours / theirs:.2f} times kio",
            "",
        )
        for what, ours, theirs in made
    ]
    return [(f"codec: {len(cases)} messages written and read", f"{both:.2f} times kio", "at most 1.5"), *told]


class _Case:
    """One message at one version, ready to be written and read by both."""

    def __init__(self, made: Codec, value: dict[str, Any], body: bytes, entity: Any) -> None:
        from kio.serial import entity_reader, entity_writer

        reader, writer = entity_reader(entity), entity_writer(entity)
        theirs, size = reader(body, 0)
        assert size == len(body)
        self.write: Callable[[], object] = lambda: made.encode(value)
        self.read: Callable[[], object] = lambda: made.decode(body)
        self.their_write: Callable[[], object] = lambda: writer(io.BytesIO(), theirs)
        self.their_read: Callable[[], object] = lambda: reader(body, 0)


def _cases() -> list[_Case]:
    try:
        from kio.index import load_request_schema, load_response_schema
    except ImportError:
        return []
    dice = random.Random(1)
    found = []
    for item in _own():
        if item.type not in ("request", "response"):
            continue
        load: Any = load_request_schema if item.type == "request" else load_response_schema
        try:
            entity = load(item.api_key, item.version)
        except Exception:  # kio has no common error for a version that it does not know
            continue
        value = _value(item.fields, dice)
        made = codec(item)
        found.append(_Case(made, value, made.encode(value), entity))
    return found


def _own() -> list[Layout]:
    found = []
    for path in embedded_paths():
        message = read_embedded(path)
        found += [layout(message, version) for version in message.valid_versions]
    return found


def _value(fields: Sequence[LayoutField], dice: random.Random) -> dict[str, Any]:
    """A value with three elements in every list, and nothing that a reader could find odd."""
    return {field.name: _field(field, dice) for field in fields}


def _field(field: LayoutField, dice: random.Random) -> Any:
    if field.element is not None:
        return [_one(field, field.element, dice) for _ in range(3)]
    return _one(field, field.type, dice)


def _one(field: LayoutField, type_: str, dice: random.Random) -> Any:
    if field.fields is not None:
        return _value(field.fields, dice)
    if type_ in _SIZES:
        return 0 if field.name.endswith("ErrorCode") else dice.getrandbits(_SIZES[type_])
    if type_ == "BOOLEAN":
        return dice.random() < 0.5
    if type_ == "FLOAT64":
        return dice.random()
    digits = dice.randbytes(16).hex()
    if type_ == "UUID":
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return f"name-{digits[:8]}" if type_.endswith("STRING") else digits


def _compared(
    ours: Sequence[Callable[[], object]], theirs: Sequence[Callable[[], object]], repeat: int
) -> tuple[float, float]:
    """Seconds for all of each, in turn, so that what disturbs one disturbs the other."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(7 * repeat):
        for side, work in zip(times, (ours, theirs), strict=True):
            begun = time.perf_counter()
            for call in work:
                call()
            side.append(time.perf_counter() - begun)
    return median(times[0]), median(times[1])
