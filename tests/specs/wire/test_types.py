"""The names of wire types, and the numbers that each type of integers holds."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.types import INTEGERS, wire_type


@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_has_the_bits_of_its_name(name: str) -> None:
    bits = int(name.removeprefix("U").removeprefix("INT"))
    signed = not name.startswith("U")
    lowest, highest = INTEGERS[name]
    assert highest - lowest + 1 == 1 << bits
    assert lowest == (-(1 << bits - 1) if signed else 0)


@pytest.mark.parametrize(
    ("kind", "compact", "nullable", "name"),
    [
        ("int8", True, True, "INT8"), ("bool", False, False, "BOOLEAN"), ("uuid", True, False, "UUID"),
        ("float64", False, False, "FLOAT64"), ("string", False, False, "STRING"),
        ("string", True, False, "COMPACT_STRING"), ("bytes", False, True, "NULLABLE_BYTES"),
        ("records", True, True, "COMPACT_NULLABLE_RECORDS"), ("array", True, False, "COMPACT_ARRAY"),
        ("struct", True, False, "STRUCT"), ("struct", False, True, "NULLABLE_STRUCT"),
    ],
)  # fmt: skip
def test_the_name_of_a_wire_type(kind: str, compact: bool, nullable: bool, name: str) -> None:
    assert wire_type(kind, compact, nullable) == name
