"""Zig-zag varints at their limits: how many bytes, how many bits, and where they must end."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.records.varints import read_varint, read_varlong, varint
from wirebook.specs.wire.scalars import WireError


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (-65, "8101"),
        (2**31 - 1, "feffffff0f"), (-(2**31), "ffffffff0f"),
    ],
)  # fmt: skip
def test_a_number_has_its_sign_in_the_lowest_bit(value: int, digits: str) -> None:
    data = bytes.fromhex(digits)
    assert varint(value) == data
    for read in (read_varint, read_varlong):
        assert read(b"-" + data + b"-", 1, len(data) + 1) == (value, len(data) + 1)
        # The bytes after the end belong to something else.
        with pytest.raises(WireError) as caught:
            read(b"-" + data, 1, len(data))
        assert (caught.value.offset, caught.value.message) == (1, "the bytes end within a varint")


def test_a_long_number_has_up_to_ten_bytes() -> None:
    for value, digits in ((2**63 - 1, "fe" + "ff" * 8 + "01"), (-(2**63), "ff" * 9 + "01")):
        data = bytes.fromhex(digits)
        assert varint(value) == data
        assert read_varlong(data, 0, 10) == (value, 10)
    for digits, words in (
        ("ff" * 9 + "02", "this varint has more than 64 bits"),
        ("80" * 10 + "00", "this varint has more than 10 bytes"),
    ):
        with pytest.raises(WireError) as caught:
            read_varlong(b"-" + bytes.fromhex(digits), 1, 12)
        assert (caught.value.offset, caught.value.message) == (1, words)


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("ffffffff10", "this varint has more than 32 bits"),
        ("808080808000", "this varint has more than 5 bytes"),
    ],
)
def test_a_short_number_has_up_to_five_bytes(digits: str, words: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(WireError) as caught:
        read_varint(b"-" + data, 1, len(data) + 1)
    assert (caught.value.offset, caught.value.message) == (1, words)
    assert read_varlong(data, 0, len(data))[1] == len(data)
    assert read_varint(bytes.fromhex("8080808000"), 0, 5) == (0, 5)
