"""The codec beside kio and kafka-python, on the same messages in one run."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
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


class _Peer(NamedTuple):
    """How another codec decodes and encodes a body."""

    decode: Call
    encode: Call


def rows(repeat: int) -> Iterator[Row]:
    """The rows of the table: for decoding and encoding, our speed as a part of each peer's
    (medians)."""
    for name, peer_of in (("kio", _kio()), ("kafka-python", _kafka_python())):
        cases = []
        for of in _own():
            value = _value(of.fields)
            body = encode(of, value)
            peer = peer_of(of, body) if peer_of else None
            if peer is not None:
                cases.append((of, value, body, peer))
        if not cases:
            yield (f"codec beside {name}", f"{name} is not installed", "")
            continue
        decoding = _compared(
            [lambda of=of, body=body: decode(of, body) for of, _, body, _ in cases],  # type: ignore[misc]
            [peer.decode for *_, peer in cases],
            repeat,
        )
        encoding = _compared(
            [lambda of=of, value=value: encode(of, value) for of, value, _, _ in cases],  # type: ignore[misc]
            [peer.encode for *_, peer in cases],
            repeat,
        )
        for what, (ours_took, theirs_took) in (("decode", decoding), ("encode", encoding)):
            measured = f"{ours_took * 1e3:.1f} ms, {theirs_took / ours_took:.2f} of {name}"
            goal = "at least 0.15" if (what, name) == ("decode", "kio") else ""
            yield (f"codec: {what} {len(cases)} messages", measured, goal)


def _kio() -> Callable[[Layout, bytes], _Peer | None] | None:
    try:
        from kio.index import load_request_schema, load_response_schema
        from kio.serial import entity_reader, entity_writer
    except ImportError:
        return None

    def peer_of(of: Layout, body: bytes) -> _Peer | None:
        load: Any = load_request_schema if of.type == "request" else load_response_schema
        try:
            entity = load(of.api_key, of.version)
        except Exception:  # kio has no common error for a version that it does not know
            return None
        reader, writer = entity_reader(entity), entity_writer(entity)
        value, size = reader(body, 0)
        assert size == len(body)
        return _Peer(lambda: reader(body, 0), lambda: writer(io.BytesIO(), value))

    return peer_of


def _kafka_python() -> Callable[[Layout, bytes], _Peer | None] | None:
    try:
        modules = [import_module(f"kafka.protocol.{name}") for name in _KAFKA_PYTHON]
    except ImportError:
        return None
    classes = {name: each for module in modules for name, each in vars(module).items()}

    def peer_of(of: Layout, body: bytes) -> _Peer | None:
        known: Any = classes.get(of.name)
        try:
            if known is None or not known.min_version <= of.version <= known.max_version:
                return None
            versioned = known[of.version]
            value = versioned.decode(body)
            assert value.encode() == body
        except Exception:  # a field that its own specs lack
            return None
        return _Peer(lambda: versioned.decode(body), value.encode)

    return peer_of


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


def _compared(ours: Sequence[Call], theirs: Sequence[Call], repeat: int) -> tuple[float, float]:
    """Seconds for all of each, in turn, so that what disturbs one disturbs the other."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(7 * repeat):
        for side, work in zip(times, (ours, theirs), strict=True):
            begun = time.perf_counter()
            for call in work:
                call()
            side.append(time.perf_counter() - begun)
    return median(times[0]), median(times[1])
