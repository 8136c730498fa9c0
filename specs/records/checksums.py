"""The checksum of record batches, CRC-32C, which Python lacks."""

from __future__ import annotations

from functools import cache

_CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, bit-reversed
_MASK = 0xFFFFFFFF


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
