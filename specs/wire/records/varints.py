"""Zig-zag varints, used for the lengths and deltas of a record: VARINT of 32 bits and VARLONG of 64."""

from __future__ import annotations

from wirebook.specs.wire.codec import Reader, WireError, some_bytes, write_unsigned


def write_varint(out: bytearray, value: int) -> None:
    """Append a zig-zag varint; VARINT and VARLONG have the same bytes for the same number."""
    write_unsigned(out, (value << 1) ^ (value >> 63))


def varint(value: int) -> bytes:
    """Encode a zig-zag varint."""
    out = bytearray()
    write_varint(out, value)
    return bytes(out)


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Read the VARINT at `at`; returns it with its end. Raises WireError if it does not end before `end`."""
    return _read(data, at, end, 32)


def read_varlong(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Read the VARLONG at `at`; returns it with its end. Raises WireError if it does not end before `end`."""
    return _read(data, at, end, 64)


def _read(data: bytes, at: int, end: int, bits: int) -> tuple[int, int]:
    start, value, shift = at, 0, 0
    while True:
        if at >= end:
            raise WireError("the bytes end within a varint", start)
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift >= bits:
            raise WireError(f"this varint has more than {-(-bits // 7)} bytes", start)
    if value >> bits:
        raise WireError(f"this varint has more than {bits} bits", start)
    return (value >> 1) ^ -(value & 1), at


def left_over(data: bytes, end: int) -> WireError:
    """The error for a message that ends before its bytes do."""
    return Reader(data, end).left_over()


def short(data: bytes, at: int, needed: int) -> WireError:
    """The error for bytes that end before the `needed` bytes at `at` are complete."""
    left = max(len(data) - at, 0)
    return WireError(
        f"{some_bytes(needed)} should be here, but {left or 'none'} {'is' if left == 1 else 'are'} left", at
    )
