"""The framing of Snappy in Kafka: that of snappy-java (org.xerial.snappy), blocks after a header.

librdkafka writes a block without it; readers distinguish the two by the header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import unpack_from

from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records.varints import short

MAGIC = b"\x82SNAPPY\x00"
VERSIONS = b"\0\0\0\1" * 2  # its version, and the lowest version that reads it
HEADER = len(MAGIC) + len(VERSIONS)
BLOCK = 32 << 10  # bytes that snappy-java puts into a block


def is_framed(data: bytes) -> bool:
    """Whether bytes begin with the header."""
    return data[: len(MAGIC)] == MAGIC


def pack(data: bytes, compress: Callable[[bytes], bytes]) -> bytes:
    """Compress `data` in blocks, each after its length."""
    blocks = (compress(data[at : at + BLOCK]) for at in range(0, len(data), BLOCK))
    return MAGIC + VERSIONS + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)


def blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """The start and the end of each block. Raises WireError if the bytes end within one."""
    at = HEADER
    while at < len(data):
        # In concatenated streams, snappy-java skips the header of the next one.
        if data[at : at + len(MAGIC)] == MAGIC:
            at += HEADER
            continue
        if at + 4 > len(data):
            raise short(data, at, 4)
        size = unpack_from(">i", data, at)[0]
        if size < 0:
            raise WireError(f"a Snappy block of {size} bytes", at)
        if at + 4 + size > len(data):
            raise short(data, at + 4, size)
        yield at + 4, at + 4 + size
        at += 4 + size
