"""Values of single types at their limits."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.scalars import (
    WireError,
    left_over,
    lengths,
    read_unsigned,
    scalar,
    short,
    shown,
    write_unsigned,
)

# The bits of each integer type, and whether it is signed.
INTEGERS = {
    "INT8": (8, True), "INT16": (16, True), "UINT16": (16, False),
    "INT32": (32, True), "UINT32": (32, False), "INT64": (64, True),
}  # fmt: skip


@pytest.mark.parametrize("type_", INTEGERS)
def test_an_integer_holds_what_its_bits_do_and_no_more(type_: str) -> None:
    bits, signed = INTEGERS[type_]
    lowest = -(1 << bits - 1) if signed else 0
    highest = lowest + (1 << bits) - 1
    write, read, least = scalar(type_, False)
    assert least == bits // 8
    for value in (lowest, 0, 1, highest):
        out = bytearray()
        write(out, value)
        assert out == value.to_bytes(least, "big", signed=signed)
        assert read(b"-" + out, 1) == (value, 1 + least)
        with pytest.raises(WireError, match=f"{bits // 8} bytes? should be here, but"):
            read(bytes(out), 1)
    for value in (lowest - 1, highest + 1):
        with pytest.raises(WireError, match=rf"^{value} does not fit {type_} \({lowest} to {highest}\)$"):
            write(bytearray(), value)
    for other in (True, 1.0, "1"):
        with pytest.raises(WireError, match="a whole number is expected, not"):
            write(bytearray(), other)


def test_what_is_missing_and_what_is_left_over_is_counted() -> None:
    words = [str(short(b"abc", at, needed)) for at, needed in ((1, 4), (2, 1), (3, 1), (9, 2))]
    assert words == [
        "byte 1: 4 bytes should be here, but 2 are left",
        "byte 2: 1 byte should be here, but 1 is left",
        "byte 3: 1 byte should be here, but none are left",
        "byte 9: 2 bytes should be here, but none are left",
    ]
    assert [str(left_over(b"abc", end)) for end in (1, 2)] == [
        "byte 1: the message ends here, but 2 bytes are left over",
        "byte 2: the message ends here, but 1 byte is left over",
    ]


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (0, "00"), (127, "7f"), (128, "8001"), (16_383, "ff7f"), (16_384, "808001"),
        ((1 << 28) - 1, "ffffff7f"), (1 << 28, "8080808001"), ((1 << 32) - 1, "ffffffff0f"),
    ],
)  # fmt: skip
def test_a_varint_has_seven_bits_in_a_byte(value: int, digits: str) -> None:
    out = bytearray()
    write_unsigned(out, value)
    assert out.hex() == digits
    assert read_unsigned(b"-" + out, 1) == (value, 1 + len(out))
    with pytest.raises(WireError, match=r"^byte 1: the bytes end within a varint$"):
        read_unsigned(b"-" + out[:-1], 1)


def test_a_varint_may_be_longer_than_necessary_but_has_limits() -> None:
    assert read_unsigned(bytes.fromhex("8000"), 0) == (0, 2)
    assert read_unsigned(bytes.fromhex("ff80808000"), 0) == (127, 5)
    with pytest.raises(WireError, match=r"^byte 1: this varint has more than 5 bytes$"):
        read_unsigned(bytes.fromhex("00808080808000"), 1)
    with pytest.raises(WireError, match=r"^byte 1: this varint has more than 32 bits$"):
        read_unsigned(bytes.fromhex("00ffffffff10"), 1)


@pytest.mark.parametrize(
    ("type_", "null", "two"),
    [
        ("NULLABLE_STRING", "ffff", "0002"),
        ("NULLABLE_BYTES", "ffffffff", "00000002"),
        ("COMPACT_STRING", "00", "03"),
        ("COMPACT_BYTES", "00", "03"),
    ],
)
def test_a_length_or_null(type_: str, null: str, two: str) -> None:
    read, write, least = lengths(type_)
    assert least == len(null) // 2
    for length, digits in ((None, null), (2, two)):
        out = bytearray()
        write(out, length)
        assert out.hex() == digits
        assert read(b"-" + out, 1) == (length, 1 + least)


def test_only_one_negative_length_is_null() -> None:
    read, _, _ = lengths("STRING")
    with pytest.raises(WireError, match=r"^byte 1: a length of -2: -1 \(null\) is the only negative length$"):
        read(b"-\xff\xfe", 1)


def test_a_value_in_an_error_is_short() -> None:
    values: list[object] = [{}, [1], True, 12, None]
    assert [shown(value) for value in values] == ["an object", "a list", "true", "12", "None"]
    assert shown("a" * 38) == f'"{"a" * 38}"'
    assert shown("a" * 39) == f'"{"a" * 36}…'
    assert shown("a" * 99) == f'"{"a" * 36}…'
    assert shown(int("1" * 41)) == "1" * 37 + "…"


@pytest.mark.parametrize(("type_", "length"), [("STRING", b"\x7f\xff"), ("COMPACT_STRING", b"\x80\x80\x02")])
def test_a_string_has_at_most_32767_bytes(type_: str, length: bytes) -> None:
    write, read, _ = scalar(type_, False)
    out = bytearray()
    write(out, "a" * 32_767)
    assert out == length + b"a" * 32_767
    assert read(bytes(out), 0) == ("a" * 32_767, len(out))
    for text in ("a" * 32_768, "é" * 16_384):
        with pytest.raises(WireError, match="a string of 32768 bytes; the limit is 32767"):
            write(bytearray(), text)


def test_a_string_that_another_writer_made_longer_is_refused() -> None:
    _, read, _ = scalar("COMPACT_STRING", False)
    with pytest.raises(WireError, match="a string of 32768 bytes; the limit is 32767"):
        read(b"\x81\x80\x02" + b"a" * 32_768, 0)


def test_a_uuid_has_sixteen_bytes() -> None:
    _, read, _ = scalar("UUID", False)
    data = bytes(range(17))
    assert read(data, 0) == ("00010203-0405-0607-0809-0a0b0c0d0e0f", 16)
    assert read(data, 1) == ("01020304-0506-0708-090a-0b0c0d0e0f10", 17)
    with pytest.raises(WireError):
        read(data, 2)
    write, _, least = scalar("UUID", False)
    out = bytearray()
    write(out, "00010203-0405-0607-0809-0A0b0c0d0e0f")
    assert (bytes(out), least) == (data[:16], 16)
    for wrong in (
        "0" * 32,
        "0001020-30405-0607-0809-0a0b0c0d0e0f",
        "g" + "0" * 7 + "-0000" * 3 + "-" + "0" * 12,
    ):
        with pytest.raises(WireError, match="a uuid as 8-4-4-4-12 hex digits is expected, not"):
            write(bytearray(), wrong)


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("7ff0000000000000", "Infinity"),
        ("fff0000000000000", "-Infinity"),
        ("7ff8000000000000", "NaN"),
        ("3ff8000000000000", 1.5),
    ],
)
def test_numbers_that_json_lacks_are_words(digits: str, value: float | str) -> None:
    write, read, least = scalar("FLOAT64", False)
    assert read(b"\0" + bytes.fromhex(digits), 1) == (value, 9)
    out = bytearray()
    write(out, value)
    assert out.hex() == digits
    assert least == 8
    with pytest.raises(WireError):
        read(bytes(8), 1)
