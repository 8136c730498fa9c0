"""The checksums of records that Python lacks: CRC-32C of record batches, xxHash32 of LZ4 frames."""

from __future__ import annotations

from functools import cache
from struct import unpack_from

_CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, bit-reversed
_MASK = 0xFFFFFFFF
_P1, _P2, _P3, _P4, _P5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1


def crc32c(data: bytes) -> int:
    """The CRC-32C (Castagnoli) of `data` (RFC 3720, appendix B.4)."""
    table = _table()
    left = _MASK
    for byte in data:
        left = table[(left ^ byte) & 0xFF] ^ (left >> 8)
    return left ^ _MASK


@cache
def _table() -> list[int]:
    table = list(range(256))
    for _ in range(8):
        table = [(each >> 1) ^ (_CASTAGNOLI if each & 1 else 0) for each in table]
    return table


def xxhash32(data: bytes) -> int:
    """The xxHash32, with seed 0, of less than 16 bytes, such as the header of an LZ4 frame."""
    assert len(data) < 16
    digest = _P5 + len(data)
    words = len(data) // 4
    for word in unpack_from(f"<{words}I", data):
        digest = _rotated((digest + word * _P3) & _MASK, 17) * _P4 & _MASK
    for byte in data[4 * words :]:
        digest = _rotated((digest + byte * _P5) & _MASK, 11) * _P1 & _MASK
    digest = (digest ^ (digest >> 15)) * _P2 & _MASK
    digest = (digest ^ (digest >> 13)) * _P3 & _MASK
    return digest ^ (digest >> 16)


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK
