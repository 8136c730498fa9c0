"""The parts of compressed records that are not content: headers, lengths and checksums of each format."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import TypeAlias

from wirebook.specs.model import Json
from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records import lz4, xerial
from wirebook.specs.wire.records.model import Compression

# The number of bytes, their description, their type and their value.
FramePart: TypeAlias = tuple[int, str, str, Json]

_GZIP_HEADER, _GZIP_TRAILER = 10, 8
_ZSTD_MAGIC = 4
_BLOCK_CHECKSUMS = 0x10  # of the flags of an LZ4 frame
_UNCOMPRESSED = 1 << 31  # of the length of a block of an LZ4 frame


def framing(data: bytes, kind: Compression) -> Iterator[FramePart]:
    """The parts of compressed bytes, in order and without gaps; unknown forms are one part."""
    try:
        parts = list(_parts(data, kind))
    except WireError:
        parts = []
    if sum(size for size, *_ in parts) != len(data):
        parts = [(len(data), kind.name.lower(), "BYTES", data.hex())]
    yield from (part for part in parts if part[0])


def _parts(data: bytes, kind: Compression) -> Iterator[FramePart]:
    if kind is Compression.GZIP and len(data) > _GZIP_HEADER + _GZIP_TRAILER:
        yield _part(data, 0, _GZIP_HEADER, "gzip header")
        yield _part(data, _GZIP_HEADER, len(data) - _GZIP_TRAILER, "deflated")
        yield (
            4,
            "CRC-32 of the content, little-endian",
            "UINT32",
            f"{unpack_from('<I', data, len(data) - 8)[0]:08x}",
        )
        yield 4, "size of the content, little-endian", "UINT32", unpack_from("<I", data, len(data) - 4)[0]
    elif kind is Compression.SNAPPY and xerial.is_framed(data):
        yield from _xerial(data)
    elif kind is Compression.LZ4:
        yield from _lz4(data)
    elif kind is Compression.ZSTD and len(data) > _ZSTD_MAGIC:
        yield _part(data, 0, _ZSTD_MAGIC, "zstd magic number")
        yield _part(data, _ZSTD_MAGIC, len(data), "zstd frame")


def _xerial(data: bytes) -> Iterator[FramePart]:
    at = 0
    for start, end in xerial.blocks(data):
        if at == 0:
            magic = len(xerial.MAGIC)
            yield _part(data, 0, magic, "magic of the framing")
            yield 4, "version of the framing", "INT32", unpack_from(">i", data, magic)[0]
            yield 4, "oldest version that reads it", "INT32", unpack_from(">i", data, magic + 4)[0]
            at = xerial.HEADER
        yield 4, "length of a block", "INT32", end - start
        yield _part(data, start, end, "block of snappy")
        at = end


def _lz4(data: bytes) -> Iterator[FramePart]:
    end = lz4.header_end(data)
    flags = data[4]
    yield _part(data, 0, 4, "lz4 magic number")
    yield 1, "flags of the frame", "UINT8", flags
    yield 1, "largest block", "UINT8", data[5]
    yield _part(data, 6, end, "size of the content")
    right = data[end] == lz4.checksum(data, end)
    yield (
        1,
        "checksum of the header" if right else "checksum of the header, as magic 0 has it",
        "UINT8",
        data[end],
    )
    at = end + 1
    while at + 4 <= len(data):
        (size,) = unpack_from("<I", data, at)
        if not size:
            yield 4, "end mark", "UINT32", 0
            yield _part(data, at + 4, len(data), "checksum of the content")
            return
        plain, size = bool(size & _UNCOMPRESSED), size & ~_UNCOMPRESSED
        yield 4, "length of a block, little-endian", "UINT32", size
        yield _part(data, at + 4, at + 4 + size, "block, not compressed" if plain else "block of lz4")
        at += 4 + size
        if flags & _BLOCK_CHECKSUMS:
            yield _part(data, at, at + 4, "checksum of the block")
            at += 4


def _part(data: bytes, start: int, end: int, what: str) -> FramePart:
    return max(min(end, len(data)) - start, 0), what, "BYTES", data[start:end].hex()
