"""The codec beside kio, on the same messages in one run."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

from wirebook.specs.codec import decode, encode
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.layout import Layout, LayoutField, layouts

Row = tuple[str, str, str]
Call = Callable[[], object]
_SAMPLES = {"BOOLEAN": True, "FLOAT64": 0.5, "UUID": "00000000-0000-0000-0000-00000000cafe"}


def rows(repeat: int) -> Iterator[Row]:
    """The rows of the table: for decoding and encoding, our speed as a part of kio's (medians)."""
    try:
        import kio  # noqa: F401
    except ImportError:
        yield ("codec beside kio", "kio is not installed", "")
        return
    decoding: list[tuple[Call, Call]] = []
    encoding: list[tuple[Call, Call]] = []
    for of in _own():
        value = _value(of.fields)
        body = encode(of, value)
        theirs = _of_kio(of, body)
        if theirs is not None:
            decoding.append((partial(decode, of, body), theirs[0]))
            encoding.append((partial(encode, of, value), theirs[1]))
    for what, pairs, goal in (("decode", decoding, "at least 0.15"), ("encode", encoding, "")):
        ours, kios = _compared(pairs, repeat)
        measured = f"{ours * 1e3:.1f} ms, {kios / ours:.2f} of kio"
        yield (f"codec: {what} {len(pairs)} messages", measured, goal)


def _of_kio(of: Layout, body: bytes) -> tuple[Call, Call] | None:
    """How kio decodes and encodes a body; None for a version that it does not know."""
    from kio.index import load_request_schema, load_response_schema
    from kio.serial import entity_reader, entity_writer

    load: Any = load_request_schema if of.type == "request" else load_response_schema
    try:
        entity = load(of.api_key, of.version)
    except Exception:  # kio has no common error for it
        return None
    reader, writer = entity_reader(entity), entity_writer(entity)
    value, size = reader(body, 0)
    assert size == len(body)
    return lambda: reader(body, 0), lambda: writer(io.BytesIO(), value)


def _own() -> Iterator[Layout]:
    for path in embedded_paths():
        message = read_embedded(path)
        if message.type in ("request", "response"):
            yield from layouts(message)


def _value(fields: Sequence[LayoutField]) -> dict[str, Any]:
    """A value with three elements in every list, and nothing that a reader could find odd."""
    value = {}
    for field in fields:
        if field.element is not None:
            value[field.name] = [_one(field, field.element)] * 3
        else:
            value[field.name] = _one(field, field.type)
    return value


def _one(field: LayoutField, type_: str) -> Any:
    if field.fields is not None:
        return _value(field.fields)
    if "INT" in type_:
        return 0 if field.name.endswith("ErrorCode") else 100
    return "name" if type_.endswith("STRING") else _SAMPLES.get(type_, "cafe")


def _compared(pairs: Sequence[tuple[Call, Call]], repeat: int) -> tuple[float, float]:
    """Seconds for all of each side, in turn, so that what disturbs one disturbs the other."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(7 * repeat):
        for side, calls in zip(times, zip(*pairs, strict=True), strict=True):
            begun = time.perf_counter()
            for call in calls:
                call()
            side.append(time.perf_counter() - begun)
    return median(times[0]), median(times[1])
