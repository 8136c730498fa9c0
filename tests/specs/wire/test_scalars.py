"""Values of single types at their limits."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.scalars import WireError, scalar


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
