"""The bits of attributes and their names, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.wire.records.attributes import attributes_json, attributes_of
from wirebook.specs.wire.scalars import WireError

BATCH = {
    "Compression": "none",
    "TimestampType": "CreateTime",
    "Transactional": False,
    "Control": False,
    "DeleteHorizon": False,
}


@pytest.mark.parametrize(
    ("bits", "named"),
    [
        (0, {}),
        (1, {"Compression": "gzip"}),
        (4, {"Compression": "zstd"}),
        (0x08, {"TimestampType": "LogAppendTime"}),
        (0x10, {"Transactional": True}),
        (0x20, {"Control": True}),
        (0x40, {"DeleteHorizon": True}),
        (0x80, {"ReservedAttributes": 0x80}),
        (-0x8000, {"ReservedAttributes": 0x8000}),
        (-1 & ~7, {"TimestampType": "LogAppendTime", "Transactional": True, "Control": True,
                   "DeleteHorizon": True, "ReservedAttributes": 0xFF80}),
    ],
)  # fmt: skip
def test_the_attributes_of_a_batch(bits: int, named: dict[str, object]) -> None:
    value = attributes_json(bits, 2)
    assert value == BATCH | named
    assert attributes_of(value, 2) == bits


@pytest.mark.parametrize(
    ("magic", "bits", "value"),
    [
        (0, 2, {"Compression": "snappy"}),
        (0, 0x08, {"Compression": "none", "ReservedAttributes": 8}),
        (0, -128, {"Compression": "none", "ReservedAttributes": 128}),
        (1, 0x08, {"Compression": "none", "TimestampType": "LogAppendTime"}),
        (1, 0x13, {"Compression": "lz4", "TimestampType": "CreateTime", "ReservedAttributes": 0x10}),
    ],
)
def test_the_attributes_of_a_message(magic: int, bits: int, value: dict[str, object]) -> None:
    assert attributes_json(bits, magic) == value
    assert attributes_of(value, magic) == bits


@given(st.integers(0, 2), st.integers(-(1 << 15), (1 << 15) - 1))
def test_attributes_are_read_as_they_are_written(magic: int, bits: int) -> None:
    low = bits if magic == 2 else (bits & 0xFF) - ((bits & 0x80) << 1)
    value = attributes_json(low, magic)
    if low & 7 > 4:
        assert value["Compression"] == low & 7
    else:
        assert attributes_of(value, magic) == low


@pytest.mark.parametrize(
    ("magic", "value", "path"),
    [
        (2, {"Compression": 5}, "Compression"),
        (2, {"Compression": "brotli"}, "Compression"),
        (1, {"TimestampType": None}, "TimestampType"),
        (2, {"Control": 1}, "Control"),
        (2, {"ReservedAttributes": True}, "ReservedAttributes"),
        (2, {"ReservedAttributes": 8}, "ReservedAttributes"),
        (1, {"ReservedAttributes": 8}, "ReservedAttributes"),
        (2, {"ReservedAttributes": -128}, "ReservedAttributes"),
        (2, {"ReservedAttributes": 1 << 16}, "ReservedAttributes"),
        (1, {"ReservedAttributes": 1 << 8}, "ReservedAttributes"),
    ],
)
def test_other_values_are_refused_at_their_key(magic: int, value: dict[str, object], path: str) -> None:
    with pytest.raises(WireError) as caught:
        attributes_of(value, magic)
    assert caught.value.path == path


def test_what_is_not_given_is_zero() -> None:
    assert [attributes_of({}, magic) for magic in (0, 1, 2)] == [0, 0, 0]
    # What another magic has is of no account.
    assert attributes_of({"TimestampType": "LogAppendTime", "Control": True}, 0) == 0
