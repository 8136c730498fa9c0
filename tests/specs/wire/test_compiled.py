"""Reading at speed says what reading by steps says, of right bytes and of changed ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.specs.wire.test_codec import ONE, TWO, field, message, own, own_layouts
from tests.specs.wire.wire_values import values
from wirebook.specs.wire.codec import WORTHWHILE, Value, codec
from wirebook.specs.wire.compiled import compiled
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError
from wirebook.specs.wire.shape import Others


class LeftError(Exception):
    """The bytes were left to the steps."""


def leave(data: bytes) -> Value:
    raise LeftError


def fast(chosen: Layout, data: bytes) -> Value | None:
    """What reading at speed makes of it; None where it leaves it to the steps."""
    try:
        return compiled(chosen.fields, chosen.flexible, Others.of(chosen), leave)(data)
    except LeftError:
        return None


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
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


def test_errors_are_the_same_when_many_were_read() -> None:
    made = codec(own("HeartbeatRequest", 4))
    body = made.encode({"GroupId": "g", "MemberId": "m"})
    for _ in range(WORTHWHILE + 5):
        assert made.decode(body)["GroupId"] == "g"
        with pytest.raises(WireError, match=r"byte 3: .*should be here|left"):
            made.decode(body[:4])
