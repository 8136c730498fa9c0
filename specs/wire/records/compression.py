"""Compresses and decompresses records.

gzip is in the standard library. Snappy, LZ4 and zstd are in the package cramjam, which aiokafka uses too; the
framing of Snappy and the headers of LZ4 frames are in neighbouring modules.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Callable
from typing import Any

from wirebook.specs.limits import MAX_UNPACKED
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records import lz4, xerial
from wirebook.specs.wire.records.model import Compression

_GZIP = 31  # zlib's name for a window of 32 KiB with a gzip header
TOO_LARGE = f"the records decompress to more than {MAX_UNPACKED >> 20} MiB"


def compress(data: bytes, kind: Compression, magic: int = 2) -> bytes:
    """Compress records like Kafka's Java client. Raises InputError if the package is missing."""
    if kind is Compression.GZIP:
        packer = zlib.compressobj(wbits=_GZIP)
        return packer.compress(data) + packer.flush()
    if kind is Compression.SNAPPY:
        return xerial.pack(data, lambda block: bytes(_cramjam(kind).snappy.compress_raw(block)))
    if kind is Compression.LZ4:
        # Kafka cannot read frames whose blocks depend on each other (KIP-57).
        packer = _cramjam(kind).lz4.Compressor(level=9, content_checksum=False, block_linked=False)
        packer.compress(data)
        packed = bytes(packer.finish())
        return lz4.broken(packed) if magic == 0 else packed
    if kind is Compression.ZSTD:
        return bytes(_cramjam(kind).zstd.compress(data, level=3))
    return data


def decompress(data: bytes, kind: Compression, magic: int = 2) -> bytes:
    """Decompress records. Raises WireError for invalid bytes or too large a result, InputError if the package
    is missing.
    """
    if kind is Compression.NONE:
        return data
    if kind is Compression.GZIP:
        return _gunzip(data)
    if kind is Compression.SNAPPY:
        package = _cramjam(kind).snappy
        blocks = xerial.blocks(data) if xerial.is_framed(data) else [(0, len(data))]
        return b"".join(_snappy_block(data[start:end], package) for start, end in blocks)
    if kind is Compression.LZ4:
        frame = lz4.repaired(data) if magic == 0 else data
        return _into(_cramjam(kind).lz4.decompress_into, frame, kind)
    return _into(_cramjam(kind).zstd.decompress_into, data, kind)


def _cramjam(kind: Compression) -> Any:
    try:
        import cramjam
    except ImportError:
        raise InputError(
            f"{kind.name.lower()} needs the package cramjam: pip install 'wirebook[records]'"
        ) from None
    return cramjam


def _gunzip(data: bytes) -> bytes:
    """All members of a gzip stream."""
    content = bytearray()
    while True:
        member = zlib.decompressobj(_GZIP)
        try:
            content += member.decompress(data, MAX_UNPACKED + 1 - len(content))
        except zlib.error as error:
            raise WireError(f"this is not gzip ({_short(error)})") from None
        if len(content) > MAX_UNPACKED:
            raise WireError(TOO_LARGE)
        if not member.eof:
            raise WireError("this is not gzip (it is truncated)")
        data = member.unused_data
        if not data:
            return bytes(content)


def _snappy_block(data: bytes, package: Any) -> bytes:
    try:
        if package.decompress_raw_len(data) > MAX_UNPACKED:
            raise WireError(TOO_LARGE)
        return bytes(package.decompress_raw(data))
    except Exception as error:
        raise _refused(error, Compression.SNAPPY) from None


def _into(unpack: Callable[[bytes, mmap.mmap], int], data: bytes, kind: Compression) -> bytes:
    """The output of a cramjam function; the pages of its buffer use memory only once they are written."""
    with mmap.mmap(-1, MAX_UNPACKED + 1) as buffer:
        try:
            size = unpack(data, buffer)
        except Exception as error:
            raise _refused(error, kind) from None
        if size > MAX_UNPACKED:
            raise WireError(TOO_LARGE)
        return buffer[:size]


def _refused(error: Exception, kind: Compression) -> Exception:
    """The error to raise for an error of cramjam, whose type does not show the cause."""
    if isinstance(error, WireError):
        return error
    if "whole buffer" in str(error):
        return WireError(TOO_LARGE)
    return WireError(f"this is not {kind.name.lower()} ({_short(error)})")


def _short(error: Exception) -> str:
    return str(error).rpartition(": ")[2][:80]
