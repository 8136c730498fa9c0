"""Byte for byte with kio and kafka-python, on values that hypothesis makes, for all that they know."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import io
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from kafka.protocol.api_message import ApiMessage
from kio.index import load_entity_schema
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.serial.errors import OutOfBoundValue
from kio.static.constants import EntityType

from tests.profiles import examples
from tests.specs.wire.agreement import Identity, newest_released
from tests.specs.wire.kafka_python import their_layouts
from tests.specs.wire.kio import kio_layouts
from tests.specs.wire.wire_values import completed, values
from tests.support import needs_shared
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.defaults import ZERO_UUID
from wirebook.specs.wire.layout import Layout, LayoutField

pytestmark = pytest.mark.long

QUICK = examples(0.1, suppress_health_check=list(HealthCheck), database=None)
_KINDS = {kind.name: kind for kind in EntityType}
_CODES = st.sampled_from([int(code.value) for code in ErrorCode])


@cache
def kio_cases() -> tuple[tuple[Identity, int], ...]:
    return tuple(sorted(kio_layouts(), key=str))


@cache
def kio_entity(identity: Identity, version: int) -> Any:
    ours = newest_released(identity, version)
    assert ours is not None
    kind: Any = _KINDS[ours.type]
    for name, versions in schema_name_map.items():
        if version in versions and kind in versions[version]:
            entity: Any = load_entity_schema(name, version, kind)
            known = int(entity.__api_key__) if isinstance(identity[1], int) else entity.__name__
            if known == identity[1]:
                return entity
    raise AssertionError(f"kio has no {identity} {version}")


def in_order(entity: Any) -> list[tuple[dataclasses.Field[Any], Any, bool]]:
    """kio's fields in wire order, each with the class of its struct (or None) and whether it is a list."""
    hints = typing.get_type_hints(entity)
    found = []
    for item in dataclasses.fields(entity):
        shape = _bare(hints[item.name])
        listed = typing.get_origin(shape) is tuple
        inner = _bare(typing.get_args(shape)[0]) if listed else shape
        found.append((item, inner if dataclasses.is_dataclass(inner) else None, listed))
    return sorted(found, key=lambda each: each[0].metadata.get("tag", -1))


def _bare(shape: Any) -> Any:
    parts = [part for part in typing.get_args(shape) if part is not type(None)]
    return parts[0] if type(None) in typing.get_args(shape) and len(parts) == 1 else shape


def _optional(entity: Any, name: str) -> bool:
    return type(None) in typing.get_args(typing.get_type_hints(entity)[name])


def kio_kinds(entity: Any, fields: tuple[LayoutField, ...]) -> dict[str, str]:
    """By path: kio's word for what a field means, with a "?" where it may be None."""
    found: dict[str, str] = {}
    for ours, (theirs, struct, _) in zip(fields, in_order(entity), strict=True):
        if struct is not None:
            assert ours.fields is not None
            found |= kio_kinds(struct, ours.fields)
        else:
            maybe = "?" if theirs.default is None or _optional(entity, theirs.name) else ""
            found[ours.path] = theirs.metadata["kafka_type"] + maybe
    return found


def kio_special(kinds: dict[str, str]) -> Any:
    """kio knows what some numbers mean, and takes only those that mean something to it."""

    def special(field: LayoutField) -> st.SearchStrategy[Any] | None:
        match kinds.get(field.path, "").removesuffix("?"):
            case "error_code":
                return _CODES
            case "timedelta_i64":
                return st.integers(-(10**12), 10**12)
            case "datetime_i64":
                times = st.integers(0, 4 * 10**12)
                return st.just(-1) | times if kinds[field.path].endswith("?") else times
        return None

    return special


def kio_plain(value: Any, field: LayoutField, type_: str) -> Any:
    """A value of kio's in our form; the zero uuid and the time -1 are None to it."""
    if value is None:
        return {"UUID": ZERO_UUID, "INT64": -1}.get(type_)
    if isinstance(value, tuple):
        assert field.element is not None
        return [kio_plain(item, field, field.element) for item in value]
    if dataclasses.is_dataclass(value):
        assert field.fields is not None
        return kio_value(value, field.fields)
    if isinstance(value, enum.Enum):
        return int(value.value)
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
        return (value - epoch) // datetime.timedelta(milliseconds=1)
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, UUID) else value


def kio_value(entity: Any, fields: tuple[LayoutField, ...]) -> dict[str, Any]:
    """An entity of kio's as a value of ours."""
    return {
        ours.name: kio_plain(getattr(entity, theirs.name), ours, ours.type)
        for ours, (theirs, _, _) in zip(fields, in_order(type(entity)), strict=True)
    }


def agree_with_kio(ours: Layout, entity: Any) -> None:
    read, write = entity_reader(entity), entity_writer(entity)
    made = codec(ours)

    @QUICK
    @given(values(ours, kio_special(kio_kinds(entity, ours.fields)), unknown=False))
    def agree(value: dict[str, Any]) -> None:
        data = made.encode(value)
        theirs, size = read(data, 0)
        assert size == len(data)
        assert kio_value(theirs, ours.fields) == completed(value, ours.fields)
        out = io.BytesIO()
        write(out, theirs)
        assert out.getvalue() == data

    agree()


# Names are split up when a part runs: to list those of both clients takes seconds of each process.
PARTS = 8


@needs_shared
@pytest.mark.parametrize("part", range(PARTS))
def test_bytes_are_those_of_kio(part: int) -> None:
    names = sorted({str(identity) for identity, _ in kio_cases()})[part::PARTS]
    compared = set()
    for identity, version in kio_cases():
        ours = newest_released(identity, version) if str(identity) in names else None
        if ours is not None:
            with named(ours):
                agree_with_kio(ours, kio_entity(identity, version))
            compared.add(str(identity))
    assert compared == set(names)


@contextmanager
def named(ours: Layout) -> Iterator[None]:
    """An error inside tells which layout it is about."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"{ours.name} version {ours.version}")
        raise


@needs_shared
@pytest.mark.parametrize(
    ("name", "version", "value"),
    [
        # What is left out of the comparison: numbers that mean nothing to kio.
        ("ExpireDelegationTokenResponse", 2, {"ExpiryTimestampMs": -1}),
        ("HeartbeatResponse", 4, {"ErrorCode": 32_000}),
        ("ConsumerGroupHeartbeatResponse", 1, {"ErrorCode": -2}),
    ],
)
def test_kio_refuses_numbers_that_mean_nothing_to_it(name: str, version: int, value: dict[str, Any]) -> None:
    for identity, known in kio_cases():
        ours = newest_released(identity, known)
        assert ours is not None
        if (ours.name, known) == (name, version):
            with pytest.raises((ValueError, OutOfBoundValue), match=r"negative|not a valid|bound"):
                entity_reader(kio_entity(identity, version))(codec(ours).encode(value), 0)
            return
    raise AssertionError(f"kio has no {name}")


# kafka-python's classes of these are no API messages, and have no versions of their own.
NO_CLASS = {"ConsumerProtocolAssignment", "ConsumerProtocolSubscription", "RequestHeader", "ResponseHeader"}


@cache
def kafka_python_classes() -> dict[str, Any]:
    their_layouts()
    return {each.__name__: each for each in ApiMessage.__subclasses__() if "_v" not in each.__name__}


def agree_with_kafka_python(ours: Layout, theirs: Any) -> None:
    made = codec(ours)

    def special(field: LayoutField) -> st.SearchStrategy[Any] | None:
        # Of an ApiVersions response with an error it reads version 0, whatever was asked (KIP-511).
        told = (ours.name, field.path) == ("ApiVersionsResponse", "ErrorCode")
        return st.just(0) if told else None

    @QUICK
    @given(values(ours, special, unknown=False))
    def agree(value: dict[str, Any]) -> None:
        data = made.encode(value)
        read = theirs.decode(data, version=ours.version)
        # What it has read without a header it does not write: it never said that there is none.
        read._header = None
        assert read.encode(version=ours.version) == data

    agree()


@needs_shared
@pytest.mark.parametrize("part", range(PARTS))
def test_bytes_are_those_of_kafka_python(part: int) -> None:
    names = sorted(kafka_python_classes())[part::PARTS]
    compared = set()
    for identity, version in their_layouts():
        ours = newest_released(identity, version)
        if ours is not None and ours.name in names:
            with named(ours):
                agree_with_kafka_python(ours, kafka_python_classes()[ours.name])
            compared.add(ours.name)
    assert compared == set(names)


@needs_shared
def test_nothing_that_kafka_python_knows_is_left_out() -> None:
    names = {layout.name for layout in (newest_released(*each) for each in their_layouts()) if layout}
    assert names - set(kafka_python_classes()) == NO_CLASS
