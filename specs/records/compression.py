"""Compresses and decompresses records.

gzip is in the standard library. Snappy, LZ4 and zstd are in the package cramjam, which aiokafka
uses too. Kafka's Snappy is in the framing of snappy-java (org.xerial.snappy), blocks after a
header; librdkafka writes a block without it, and readers distinguish the two by the header.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from wirebook.specs.codec import WireError
from wirebook.specs.limits import MAX_UNPACKED, MAX_UNPACKED_TIMES
from wirebook.specs.problems import InputError
from wirebook.specs.records.attributes import Compression
from wirebook.specs.records.checksums import xxhash32

_GZIP = 31  # zlib's name for a window of 32 KiB with a gzip header
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL + b"\0\0\0\1" * 2  # with its version, and the lowest version that reads it
_XERIAL_BLOCK = 32 << 10  # bytes that snappy-java puts into a block
LZ4_MAGIC = b"\x04\x22\x4d\x18"


def compress(data: bytes, kind: Compression) -> bytes:
    """Compress records like Kafka's Java client. Raises InputError if the package is missing."""
    if kind is Compression.GZIP:
        packer = zlib.compressobj(wbits=_GZIP)
        return packer.compress(data) + packer.flush()
    if kind is Compression.SNAPPY:
        pack = _cramjam(kind).snappy.compress_raw
        blocks = [
            bytes(pack(data[at : at + _XERIAL_BLOCK])) for at in range(0, len(data), _XERIAL_BLOCK)
        ]
        return _XERIAL_HEADER + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)
    if kind is Compression.LZ4:
        # Kafka cannot read frames whose blocks depend on each other (KIP-57).
        packer = _cramjam(kind).lz4.Compressor(level=9, content_checksum=False, block_linked=False)
        packer.compress(data)
        return bytes(packer.finish())
    if kind is Compression.ZSTD:
        return bytes(_cramjam(kind).zstd.compress(data, level=3))
    return data


def decompress(data: bytes, kind: Compression, magic: int = 2) -> bytes:
    """Decompress records. Raises WireError for invalid bytes or too large a result, InputError if
    the package is missing.
    """
    most = MAX_UNPACKED + MAX_UNPACKED_TIMES * len(data)
    if kind is Compression.GZIP:
        return _gunzip(data, most)
    if kind is Compression.SNAPPY:
        return _unsnappy(data, most, _cramjam(kind).snappy)
    if kind is Compression.LZ4:
        return _into(
            _cramjam(kind).lz4.decompress_into, _right_lz4(data) if magic == 0 else data, most, kind
        )
    if kind is Compression.ZSTD:
        return _into(_cramjam(kind).zstd.decompress_into, data, most, kind)
    return data


def _cramjam(kind: Compression) -> Any:
    try:
        import cramjam
    except ImportError:
        raise InputError(
            f"{kind.name.lower()} needs the package cramjam: pip install 'wirebook[records]'"
        ) from None
    return cramjam


def _gunzip(data: bytes, most: int) -> bytes:
    """All members of a gzip stream."""
    content = bytearray()
    while True:
        member = zlib.decompressobj(_GZIP)
        try:
            content += member.decompress(data, most + 1 - len(content))
        except zlib.error as error:
            raise _refused(error, Compression.GZIP) from None
        if len(content) > most:
            raise _too_large(most)
        if not member.eof:
            raise WireError("this is not gzip (it is truncated)")
        data = member.unused_data
        if not data:
            return bytes(content)


def _unsnappy(data: bytes, most: int, package: Any) -> bytes:
    content = bytearray()
    for block in _xerial_blocks(data) if data.startswith(_XERIAL) else (data,):
        try:
            size = package.decompress_raw_len(block)
            if len(content) + size <= most:
                content += bytes(package.decompress_raw(block))
                continue
        except Exception as error:
            raise _refused(error, Compression.SNAPPY) from None
        raise _too_large(most)
    return bytes(content)


def _xerial_blocks(data: bytes) -> Iterator[bytes]:
    at = len(_XERIAL_HEADER)
    while at < len(data):
        # In concatenated streams, snappy-java skips the header of the next one.
        if data.startswith(_XERIAL, at):
            at += len(_XERIAL_HEADER)
            continue
        size = int.from_bytes(data[at : at + 4], "big")
        at += 4 + size
        if at > len(data):
            raise WireError("this is not snappy (it is truncated)")
        yield data[at - size : at]


def _right_lz4(data: bytes) -> bytes:
    """A frame with the right checksum of its header: in magic 0 it covers four bytes too many
    (KIP-57)."""
    if data[:4] != LZ4_MAGIC or len(data) < 7:
        raise WireError("this is not lz4 (a frame begins with 04 22 4d 18)")
    has_size, has_dictionary = data[4] & 0x08, data[4] & 0x01
    end = 6 + (8 if has_size else 0) + (4 if has_dictionary else 0)
    checksum = xxhash32(data[4:end]) >> 8 & 0xFF
    return data[:end] + bytes([checksum]) + data[end + 1 :]


def _into(
    unpack: Callable[[bytes, mmap.mmap], int], data: bytes, most: int, kind: Compression
) -> bytes:
    """The output of a cramjam function; the pages of its buffer use memory only once they are
    written."""
    with mmap.mmap(-1, most + 1) as buffer:
        try:
            size = unpack(data, buffer)
        except Exception as error:
            raise (
                _too_large(most) if "whole buffer" in str(error) else _refused(error, kind)
            ) from None
        if size > most:
            raise _too_large(most)
        return buffer[:size]


def _too_large(most: int) -> WireError:
    return WireError(f"the records decompress to more than {most >> 20} MiB")


def _refused(error: Exception, kind: Compression) -> WireError:
    words = str(error).rpartition(": ")[2][:80]
    return WireError(f"this is not {kind.name.lower()} ({words})")
