"""The codec beside kio and kafka-python, on the same messages in one run."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from statistics import median
from typing import Any, NamedTuple

from wirebook.specs.codec import decode, encode
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.layout import Layout, LayoutField, layouts

Row = tuple[str, str, str]
Call = Callable[[], object]
_SAMPLES = {"BOOLEAN": True, "FLOAT64": 0.5, "UUID": "00000000-0000-0000-0000-00000000cafe"}
_KAFKA_PYTHON = ("admin", "consumer", "metadata", "producer", "sasl")


class _Codec(NamedTuple):
    """How a codec decodes and encodes one body."""

    decode: Call
    encode: Call


def rows(repeat: int) -> Iterator[Row]:
    """The rows of the table: for decoding and encoding, our speed as a part of each peer's
    (medians)."""
    for name, codec_of in (("kio", _kio), ("kafka-python", _kafka_python)):
        ours, theirs = [], []
        for of in _own():
            value = _value(of.fields)
            body = encode(of, value)
            codec = codec_of(of, body)
            if codec is not None:
                ours.append(_Codec(partial(decode, of, body), partial(encode, of, value)))
                theirs.append(codec)
        if not ours:
            yield (f"codec beside {name}", f"{name} is not installed", "")
            continue
        decoding = _compared(
            [each.decode for each in ours], [each.decode for each in theirs], repeat
        )
        encoding = _compared(
            [each.encode for each in ours], [each.encode for each in theirs], repeat
        )
        goal = "at least 0.15" if name == "kio" else ""
        yield (f"codec: decode {len(ours)} messages", f"{decoding} of {name}", goal)
        yield (f"codec: encode {len(ours)} messages", f"{encoding} of {name}", "")


def _kio(of: Layout, body: bytes) -> _Codec | None:
    """The codec of kio; None if it does not know the version, or is not installed."""
    try:
        from kio.index import load_request_schema, load_response_schema
        from kio.serial import entity_reader, entity_writer

        load: Any = load_request_schema if of.type == "request" else load_response_schema
        entity = load(of.api_key, of.version)
    except Exception:  # kio has no common error for a version that it does not know
        return None
    reader, writer = entity_reader(entity), entity_writer(entity)
    value, size = reader(body, 0)
    assert size == len(body)
    return _Codec(lambda: reader(body, 0), lambda: writer(io.BytesIO(), value))


def _kafka_python(of: Layout, body: bytes) -> _Codec | None:
    """The codec of kafka-python; None if it does not know the version, or is not installed."""
    try:
        modules = [import_module(f"kafka.protocol.{name}") for name in _KAFKA_PYTHON]
    except ImportError:
        return None
    for module in modules:
        known: Any = getattr(module, of.name, None)
        if known is not None and known.min_version <= of.version <= known.max_version:
            versioned = known[of.version]
            break
    else:
        return None
    try:
        value = versioned.decode(body)
        assert value.encode() == body
    except Exception:  # a field that its own specs lack
        return None
    return _Codec(lambda: versioned.decode(body), value.encode)


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


def _compared(ours: Sequence[Call], theirs: Sequence[Call], repeat: int) -> str:
    """The time for all of ours, and our speed as a part of theirs: both run in turns, so that what
    disturbs one disturbs the other."""
    our_times, their_times = [], []
    for _ in range(7 * repeat):
        our_times.append(_time(ours))
        their_times.append(_time(theirs))
    took = median(our_times)
    return f"{took * 1e3:.1f} ms, {median(their_times) / took:.2f}"


def _time(calls: Sequence[Call]) -> float:
    begun = time.perf_counter()
    for call in calls:
        call()
    return time.perf_counter() - begun
