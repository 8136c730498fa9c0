"""Encodes and decodes values other than arrays and structs: integers, varints, lengths, strings, bytes."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan
from struct import Struct, error
from typing import Any

from wirebook.specs.limits import MAX_INT16
from wirebook.specs.wire.types import INTEGERS

MAX_STRING = MAX_INT16  # bytes, in the compact form too (wire facts: Type.java)

# Reads a value at an offset; returns it with its end.
ReadValue = Callable[[bytes, int], tuple[Any, int]]
ReadLength = Callable[[bytes, int], tuple[int | None, int]]
Write = Callable[[bytearray, Any], None]

# The struct module's format of each fixed-size wire type whose values need no check.
FIXED = {
    "BOOLEAN": "?",
    "INT8": "b",
    "INT16": "h",
    "UINT16": "H",
    "INT32": "i",
    "UINT32": "I",
    "INT64": "q",
}
_INT16, _INT32, _FLOAT = Struct(">h"), Struct(">i"), Struct(">d")
HEX = frozenset("0123456789abcdefABCDEF")


class WireError(ValueError):
    """Bytes or a value that the layout does not allow, with the path of the field and, for bytes, the offset.

    `path` is "" for the message as a whole, else like Topics[2].Partitions[0].Index.
    """

    def __init__(self, message: str, offset: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.path = path

    def below(self, name: str) -> WireError:
        """The same error, as seen from one level above."""
        join = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{name}{join}{self.path}"
        return self

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


def some_bytes(count: int) -> str:
    """A number of bytes in words."""
    return "1 byte" if count == 1 else f"{count} bytes"


def refuse_too_many(things: str, count: int, least: int, left: int, at: int) -> None:
    """Raise WireError if so many things, of `least` bytes each, cannot be in the bytes that are left."""
    if count * least > left:
        raise WireError(
            f"{count} {things} take at least {some_bytes(count * least)}, but {left} are left", at
        )


def left_over(data: bytes, end: int) -> WireError:
    """The error for a message that ends before its bytes do."""
    count = len(data) - end
    return WireError(
        f"the message ends here, but {some_bytes(count)} {'is' if count == 1 else 'are'} left over", end
    )


def short(data: bytes, at: int, needed: int) -> WireError:
    """The error for bytes that end before the `needed` bytes at `at` are complete."""
    left = max(len(data) - at, 0)
    return WireError(
        f"{some_bytes(needed)} should be here, but {left or 'none'} {'is' if left == 1 else 'are'} left", at
    )


# Whole numbers of variable length


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Read an unsigned varint of up to 32 bits; returns it with its end. It may be longer than necessary.

    Raises WireError if it does not end, or has more than 32 bits.
    """
    start = at
    try:
        byte = data[at]
        at += 1
        if byte < 0x80:
            return byte, at
        value, shift = byte & 0x7F, 7
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 28:
                raise WireError("this varint has more than 5 bytes", start)
    except IndexError:
        raise WireError("the bytes end within a varint", start) from None
    if value > 0xFFFFFFFF:
        raise WireError("this varint has more than 32 bits", start)
    return value, at


def write_unsigned(out: bytearray, value: int) -> None:
    """Append an unsigned varint, in its shortest form."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


# Lengths and counts: (read, write, least bytes); None is null


def _signed_length(form: Struct) -> ReadLength:
    def read(data: bytes, at: int) -> tuple[int | None, int]:
        try:
            length = form.unpack_from(data, at)[0]
        except error:
            raise short(data, at, form.size) from None
        if length < -1:
            raise WireError(f"a length of {length}: -1 (null) is the only negative length", at)
        return (None if length < 0 else length), at + form.size

    return read


def _compact_length(data: bytes, at: int) -> tuple[int | None, int]:
    length, end = read_unsigned(data, at)
    return (length - 1 if length else None), end


def lengths(type_: str) -> tuple[ReadLength, Write, int]:
    """How the length of a type is read and written, and its least number of bytes."""
    if type_.startswith("COMPACT_"):
        return (
            _compact_length,
            lambda out, length: write_unsigned(out, 0 if length is None else length + 1),
            1,
        )
    form = _INT16 if type_.endswith("STRING") else _INT32
    return (
        _signed_length(form),
        lambda out, length: out.extend(form.pack(-1 if length is None else length)),
        form.size,
    )


# Types: each gives (write, read, least bytes)

ValueCodec = tuple[Write, ReadValue, int]


def _string(type_: str, nullable: bool) -> ValueCodec:
    read_length, write_length, least = lengths(type_)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_length(out, None)
            return
        if type(value) is not str:
            raise WireError(expected("a string", value, nullable))
        try:
            text = value.encode()
        except UnicodeEncodeError:
            raise WireError("this string has half of a surrogate pair, which UTF-8 cannot encode") from None
        if len(text) > MAX_STRING:
            raise WireError(f"a string of {len(text)} bytes; the limit is {MAX_STRING}")
        write_length(out, len(text))
        out += text

    def read(data: bytes, at: int) -> tuple[Any, int]:
        length, start = read_length(data, at)
        if length is None:
            if nullable:
                return None, start
            raise WireError("null, but it is not nullable in this version", at)
        if length > MAX_STRING:
            raise WireError(f"a string of {length} bytes; the limit is {MAX_STRING}", at)
        end = start + length
        if end > len(data):
            raise short(data, start, length)
        try:
            return data[start:end].decode(), end
        except UnicodeDecodeError as bad:
            raise WireError("these bytes are not UTF-8", start + bad.start) from None

    return write, read, least


def _blob(type_: str, nullable: bool) -> ValueCodec:
    read_length, write_length, least = lengths(type_)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_length(out, None)
            return
        if type(value) is not str or len(value) % 2 or not HEX.issuperset(value):
            raise WireError(expected("bytes in hex", value, nullable))
        write_length(out, len(value) // 2)
        out += bytes.fromhex(value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        length, start = read_length(data, at)
        if length is None:
            if nullable:
                return None, start
            raise WireError("null, but it is not nullable in this version", at)
        end = start + length
        if end > len(data):
            raise short(data, start, length)
        return data[start:end].hex(), end

    return write, read, least


def _write_uuid(out: bytearray, value: Any) -> None:
    digits = value.replace("-", "") if type(value) is str and len(value) == 36 else ""
    if len(digits) != 32 or not HEX.issuperset(digits) or value != uuid_text(digits):
        raise WireError(expected("a uuid as 8-4-4-4-12 hex digits", value, False))
    out += bytes.fromhex(digits)


def uuid_text(digits: str) -> str:
    """32 hex digits in the form 8-4-4-4-12."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _read_uuid(data: bytes, at: int) -> tuple[str, int]:
    end = at + 16
    if end > len(data):
        raise short(data, at, 16)
    return uuid_text(data[at:end].hex()), end


def _write_float(out: bytearray, value: Any) -> None:
    if value in ("NaN", "Infinity", "-Infinity"):  # JSON has no numbers for them
        value = float(value)
    elif type(value) is float and not isfinite(value):  # such as 1e400
        raise WireError("this number does not fit FLOAT64")
    if type(value) not in (float, int):
        raise WireError(expected("a number", value, False))
    try:
        out += _FLOAT.pack(value)
    except OverflowError:
        raise WireError(f"{value} does not fit FLOAT64") from None


def _read_float(data: bytes, at: int) -> tuple[float | str, int]:
    try:
        value = _FLOAT.unpack_from(data, at)[0]
    except error:
        raise short(data, at, 8) from None
    if isfinite(value):
        return value, at + 8
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity", at + 8


def _fixed(type_: str) -> ValueCodec:
    form = Struct(">" + FIXED[type_])
    size = form.size

    def write(out: bytearray, value: Any) -> None:
        check_fixed(type_, value)
        out += form.pack(value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            return form.unpack_from(data, at)[0], at + size
        except error:
            raise short(data, at, size) from None

    return write, read, size


def check_fixed(type_: str, value: Any) -> None:
    """Raise WireError for a value that a type of fixed size cannot hold."""
    if type_ == "BOOLEAN":
        if type(value) is not bool:
            raise WireError(expected("true or false", value, False))
        return
    if type(value) is not int:
        raise WireError(expected("a whole number", value, False))
    lowest, highest = INTEGERS[type_]
    if not lowest <= value <= highest:
        raise WireError(f"{shown(value)} does not fit {type_} ({lowest} to {highest})")


def expected(what: str, value: Any, nullable: bool) -> str:
    """The error text for a value of another kind."""
    if value is None:
        return f"{what} is expected; it is not nullable in this version"
    return f"{what}{' or null' if nullable else ''} is expected, not {shown(value)}"


def shown(value: Any) -> str:
    """A value in the form of error messages: short, on one line."""
    text = repr(value) if not isinstance(value, str) else f'"{value[:41]}"'
    kind = {dict: "an object", list: "a list", bool: str(value).lower()}.get(type(value))
    return kind or (text if len(text) <= 40 else f"{text[:37]}…")


def scalar(type_: str, nullable: bool) -> ValueCodec:
    """How a type other than an array or a struct is written and read, and its least number of bytes."""
    if type_ in FIXED:
        return _fixed(type_)
    if type_ == "UUID":
        return _write_uuid, _read_uuid, 16
    if type_ == "FLOAT64":
        return _write_float, _read_float, 8
    return (_string if type_.endswith("STRING") else _blob)(type_, nullable)
