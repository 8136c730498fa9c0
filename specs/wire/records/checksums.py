"""The checksums of records: CRC-32C of record batches, CRC-32 of messages, xxHash32 of LZ4 frames."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from struct import unpack_from

CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, bit-reversed
_MASK = 0xFFFFFFFF
# Packages that compute CRC-32C in C, and the name of the function in each.
_FASTER = (("google_crc32c", "value"), ("crc32c", "crc32c"))

crc32 = zlib.crc32


def crc32c(data: bytes) -> int:
    """The CRC-32C (Castagnoli) of `data`, computed by a C package if available (RFC 3720, appendix B.4)."""
    return _implementation()(data)


@cache
def _implementation() -> Callable[[bytes], int]:
    for module, name in _FASTER:
        try:
            function: Callable[[bytes], int] = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            continue
        return function
    return table_crc32c


def table_crc32c(data: bytes) -> int:
    """The CRC-32C of `data`, with a table look-up per byte."""
    table = _table()
    left = _MASK
    for byte in data:
        left = table[(left ^ byte) & 0xFF] ^ (left >> 8)
    return left ^ _MASK


@cache
def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        left = byte
        for _ in range(8):
            left = (left >> 1) ^ (CASTAGNOLI if left & 1 else 0)
        table.append(left)
    return tuple(table)


_P1, _P2, _P3, _P4, _P5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1


def xxhash32(data: bytes) -> int:
    """The xxHash32 of `data` with seed 0, of which the header of an LZ4 frame contains one byte."""
    at, size = 0, len(data)
    if size >= 16:
        lanes = [(_P1 + _P2) & _MASK, _P2, 0, (-_P1) & _MASK]
        for at in range(0, size - 15, 16):
            words = unpack_from("<4I", data, at)
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
        at += 16
        digest = sum(_rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
    else:
        digest = _P5
    digest = (digest + size) & _MASK
    while at + 4 <= size:
        digest = (digest + unpack_from("<I", data, at)[0] * _P3) & _MASK
        digest = _rotated(digest, 17) * _P4 & _MASK
        at += 4
    for byte in data[at:]:
        digest = _rotated((digest + byte * _P5) & _MASK, 11) * _P1 & _MASK
    digest = (digest ^ (digest >> 15)) * _P2 & _MASK
    digest = (digest ^ (digest >> 13)) * _P3 & _MASK
    return digest ^ (digest >> 16)


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _MASK, 13) * _P1 & _MASK


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK
