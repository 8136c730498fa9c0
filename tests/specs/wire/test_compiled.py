"""Reading at speed says what reading by steps says, of right bytes and of changed ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.profiles import examples
from tests.specs.wire.layouts import ONE, TWO, field, message, own, own_layouts
from tests.specs.wire.wire_values import values
from wirebook.specs.model import MessageValue
from wirebook.specs.wire.codec import WORTHWHILE, codec
from wirebook.specs.wire.compiled import MAX_DEPTH, compiled
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import MAX_STRING, WireError
from wirebook.specs.wire.shape import UNKNOWN, Others


class LeftError(Exception):
    """The bytes were left to the steps."""


def leave(data: bytes) -> MessageValue:
    raise LeftError


def fast(chosen: Layout, data: bytes) -> MessageValue | None:
    """What reading at speed makes of it; None where it leaves it to the steps."""
    try:
        return compiled(chosen.fields, chosen.flexible, Others.of(chosen), leave)(data)
    except LeftError:
        return None


@examples(1, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_both_ways_of_reading_agree(data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from((*own_layouts(), ONE, TWO)))
    body = codec(chosen).encode(data.draw(values(chosen)))
    assert fast(chosen, body) in (None, codec(chosen).decode_from(body)[0])
    dice = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(5):
        changed = bytearray(body)
        at = dice.randrange(len(changed) + 1)
        changed[at : at + dice.randint(0, 2)] = dice.randbytes(dice.randint(0, 2))
        read = fast(chosen, bytes(changed))
        if read is not None:
            assert codec(chosen).decode_from(bytes(changed)) == (read, len(changed))


NOTHING = message(
    field("Rows", "[]Row", fields=[field("Id", "int8")]),
    field("Ids", "[]int32", nullableVersions="0+"),
    field("Bare", "Bare", nullableVersions="0+", default="null", taggedVersions="1+", tag=3,
          fields=[field("Later", "int8", "2+")]),
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "8000 01 00",  # null in two bytes
        "01 8000 00",
        "01 818000 00",
        "01 01 01 03 01 ff",  # the marker of a struct within a tagged field is a varint
        "01 01 01 03 01 05",
    ],
)
def test_what_is_odd_is_read_as_by_steps(text: str) -> None:
    chosen = layout(NOTHING, 1)
    data = bytes.fromhex(text)
    try:
        slow = codec(chosen).decode_from(data)[0]
    except WireError:
        slow = None
    assert fast(chosen, data) in (None, slow)


MIXED = message(
    field("Count", "int8", taggedVersions="1+", tag=0),
    field("Bare", "Bare", nullableVersions="0+", default="null", taggedVersions="1+", tag=1,
          fields=[field("Later", "int8", "2+")]),
)  # fmt: skip


def test_bytes_after_a_null_struct_are_left_to_the_steps_beside_other_tagged_fields() -> None:
    chosen = layout(MIXED, 1)
    data = bytes.fromhex("01 01 02 00 00")  # tag 1 of two bytes: null, and a byte more
    with pytest.raises(WireError, match="takes 1 byte, but its size is given as 2"):
        codec(chosen).decode(data)
    with pytest.raises(WireError):
        compiled(chosen.fields, chosen.flexible, Others.of(chosen), codec(chosen).decode)(data)
    assert fast(chosen, bytes.fromhex("01 01 01 00")) in (None, {"Bare": None})


def test_every_message_of_ours_is_read_at_speed() -> None:
    for chosen in own_layouts():
        body = codec(chosen).encode({})
        assert fast(chosen, body) == codec(chosen).decode_from(body)[0]


def full(fields: Sequence[Any], size: int, depth: int = 0) -> dict[str, Any]:
    """A value with every field: texts of `size` bytes, arrays of as many; with tagged fields if that is 1."""
    wanted = [shape for shape in fields if shape.tag is None or size == 1]
    return {shape.name: full_field(shape, size, depth) for shape in wanted}


def full_field(shape: Any, size: int, depth: int) -> Any:
    if shape.element is not None and shape.fields is None:
        return [full_scalar(shape.element, number) for number in range(size)]
    if shape.fields is None:
        return full_scalar(shape.type, size)
    inner = full(shape.fields, size, depth + 1)
    # One array has many structs, those within them one each.
    return inner if shape.element is None else [inner] * (1 if depth else size)


def full_scalar(type_: str, number: int) -> Any:
    kind = type_.removeprefix("COMPACT_").removeprefix("NULLABLE_")
    if kind in ("STRING", "BYTES", "RECORDS"):
        return "c" * number if kind == "STRING" else "c5" * number
    if kind == "UUID":
        return f"00000000-0000-0000-0000-{number:012x}"
    return {"BOOLEAN": number % 2 == 0, "FLOAT64": number / 2}.get(kind, number % 100)


def test_full_messages_are_read_at_speed() -> None:
    newest = {chosen.name: chosen for chosen in own_layouts()}
    for chosen in newest.values():
        read = compiled(chosen.fields, chosen.flexible, Others.of(chosen), leave)
        for size in (1, 10, 130):
            body = codec(chosen).encode(full(chosen.fields, size))
            assert read(body) == codec(chosen).decode_from(body)[0], (chosen, size)


def nested(depth: int, **tagged: Any) -> dict[str, Any]:
    """A field of structs within structs."""
    fields = [field("Id", "int8"), *([nested(depth - 1, **tagged)] if depth else [])]
    array = "" if tagged else "[]"
    return field(f"In{depth}", f"{array}In{depth}", fields=fields, **tagged)


@pytest.mark.parametrize(
    "tagged", [{}, {"taggedVersions": "1+", "tag": 0}, {"nullableVersions": "0+", "default": "null"}]
)
@pytest.mark.parametrize("depth", [3, 30])
def test_what_is_nested_deeply_is_read_as_well(depth: int, tagged: dict[str, Any]) -> None:
    chosen = layout(message(nested(depth, **tagged)), 2)
    body = codec(chosen).encode(full(chosen.fields, 1))
    slow = codec(chosen).decode_from(body)[0]
    assert f"'In0': {'' if tagged else '['}{{'Id': 1" in str(slow)
    # Where Python's blocks would be nested too deeply, it is left to the steps: compiling fails nowhere.
    assert fast(chosen, body) == (slow if depth < 6 else None) or (tagged.get("tag") == 0 and depth > 6)


TEXTS = (
    "string",
    "bytes",
    "records",
    "[]string",
    "[]bytes",
    "[]int8",
    "[]bool",
    "[]int64",
    "[]uuid",
    "[]float64",
)
KINDS = message(
    field("Id", "uuid"),
    field("Rate", "float64"),
    *(field(f"Plain{number}", kind) for number, kind in enumerate(TEXTS)),
    *(field(f"Maybe{number}", kind, nullableVersions="0+") for number, kind in enumerate(TEXTS)),
    field("Held", "Held", nullableVersions="0+", fields=[field("Name", "string")]),
    field("Last", "int16"),
)
TAGS = message(
    *(
        field(f"Tagged{number}", kind, "1+", taggedVersions="1+", tag=number, nullableVersions="1+")
        for number, kind in enumerate(TEXTS)
    ),
    field("Last", "int16"),
)


@pytest.mark.parametrize("version", [0, 1])
def test_every_type_is_read_at_speed_whatever_its_size(version: int) -> None:
    chosen = layout(KINDS, version)
    read = compiled(chosen.fields, chosen.flexible, Others.of(chosen), leave)
    nulls: dict[str, Any] = {shape.name: None for shape in chosen.fields if shape.nullable}
    for size in (0, 1, 2, 8, 9, 10, 11, 126, 127, 128, 129, 300):
        for value in (full(chosen.fields, size), full(chosen.fields, size) | nulls):
            body = codec(chosen).encode(value)
            assert read(body) == codec(chosen).decode_from(body)[0] == value
            with pytest.raises(LeftError):
                read(body + b"\0")
            with pytest.raises(LeftError):
                read(body[:-1])
    longest = full(chosen.fields, 1) | {"Plain0": "x" * MAX_STRING}
    assert read(codec(chosen).encode(longest)) == longest


@pytest.mark.parametrize("size", [1, 7])
def test_tagged_fields_of_every_type_are_read_at_speed(size: int) -> None:
    chosen = layout(TAGS, 1)
    every = {shape.name: full_field(shape, size, 0) for shape in chosen.fields}
    foreign = {UNKNOWN: [{"tag": 100, "data": "beef"}]}
    nulls: dict[str, Any] = {shape.name: None for shape in chosen.fields if shape.default is not None}
    for value in (every, every | nulls | {"Last": 5}, every | foreign, foreign | {"Last": 5}):
        body = codec(chosen).encode(value)
        assert fast(chosen, body) == codec(chosen).decode_from(body)[0] == value


@pytest.mark.parametrize("kind", ["string", "bytes"])
@pytest.mark.parametrize("digits", ["8000", "8100", "818000", "ff00", "80808000", "8080808010"])
def test_a_length_in_more_bytes_than_necessary_is_read_as_by_steps(kind: str, digits: str) -> None:
    chosen = layout(message(field("Note", kind, nullableVersions="0+")), 1)
    data = bytes.fromhex(digits) + b"a" * 126 + b"\0"
    read = fast(chosen, data)
    assert read is None or codec(chosen).decode_from(data) == (read, len(data))


@pytest.mark.parametrize("tagged", [{}, {"nullableVersions": "0+", "default": "null"}])
def test_compiling_ends_at_a_certain_depth(tagged: dict[str, Any]) -> None:
    for depth, is_fast in ((MAX_DEPTH - 1, True), (MAX_DEPTH, False)):
        chosen = layout(message(nested(depth, **tagged)), 1)
        body = codec(chosen).encode(full(chosen.fields, 1))
        assert (fast(chosen, body) is not None) is is_fast


def test_errors_are_the_same_when_many_were_read() -> None:
    made = codec(own("HeartbeatRequest", 4))
    body = made.encode({"GroupId": "g", "MemberId": "m"})
    for _ in range(WORTHWHILE + 5):
        assert made.decode(body)["GroupId"] == "g"
        with pytest.raises(WireError, match=r"byte 3: .*should be here|left"):
            made.decode(body[:4])
