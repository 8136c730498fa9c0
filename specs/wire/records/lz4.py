"""The headers of LZ4 frames, whose checksum in magic 0 covers too many bytes (KIP-57)."""

from __future__ import annotations

from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records.checksums import xxhash32

MAGIC = b"\x04\x22\x4d\x18"
_HAS_SIZE = 0x08  # flag: eight bytes with the size of the content follow
_HAS_DICTIONARY = 0x01  # flag: four bytes with the id of a dictionary follow


def header_end(data: bytes) -> int:
    """The position of the header checksum, after which the blocks begin. Raises WireError for other bytes."""
    if data[:4] != MAGIC or len(data) < 7:
        raise WireError("this is not lz4 (a frame begins with 04 22 4d 18)")
    end = 6 + 8 * bool(data[4] & _HAS_SIZE) + 4 * bool(data[4] & _HAS_DICTIONARY)
    if end >= len(data):
        raise WireError("this is not lz4 (its header is truncated)")
    return end


def checksum(data: bytes, end: int) -> int:
    """The checksum of a header that ends at `end`, as the LZ4 frame format defines it."""
    return xxhash32(data[4:end]) >> 8 & 0xFF


def broken_checksum(data: bytes, end: int) -> int:
    """The checksum in magic 0, which also covers the four bytes of LZ4's own magic number."""
    return xxhash32(data[:end]) >> 8 & 0xFF


def repaired(data: bytes) -> bytes:
    """A frame with the correct checksum, whichever it has. Raises WireError for other bytes."""
    end = header_end(data)
    return data[:end] + bytes([checksum(data, end)]) + data[end + 1 :]


def broken(data: bytes) -> bytes:
    """A frame with the checksum that readers of magic 0 expect."""
    end = header_end(data)
    return data[:end] + bytes([broken_checksum(data, end)]) + data[end + 1 :]
