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

from wirebook.specs.limits import MAX_UNPACKED, MAX_UNPACKED_TIMES
from wirebook.specs.problems import InputError
from wirebook.specs.spans import WireError

# By their number in the attributes of a batch or message.
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
_GZIP = 31  # zlib's name for a window of 32 KiB with a gzip header
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL + b"\0\0\0\1" * 2  # with its version, and the lowest version that reads it
_XERIAL_BLOCK = 32 << 10  # bytes that snappy-java puts into a block


def compress(data: bytes, kind: str) -> bytes:
    """Compress records like Kafka's Java client. Raises InputError if the package is missing."""
    if kind == "none":
        return data
    if kind == "gzip":
        return zlib.compress(data, wbits=_GZIP)
    module = _cramjam(kind)
    if kind == "snappy":
        out = _XERIAL_HEADER
        for at in range(0, len(data), _XERIAL_BLOCK):
            block = bytes(module.compress_raw(data[at : at + _XERIAL_BLOCK]))
            out += len(block).to_bytes(4, "big") + block
        return out
    if kind == "lz4":
        # Kafka cannot read frames whose blocks depend on each other (KIP-57).
        packer = module.Compressor(level=9, content_checksum=False, block_linked=False)
        packer.compress(data)
        return bytes(packer.finish())
    return bytes(module.compress(data, level=3))


def decompress(data: bytes, kind: str) -> bytes:
    """Decompress records. Raises WireError for invalid bytes or too large a result, InputError if
    the package is missing.
    """
    most = MAX_UNPACKED + MAX_UNPACKED_TIMES * len(data)
    if kind == "none":
        return data
    try:
        if kind == "gzip":
            return _gunzip(data, most)
        module = _cramjam(kind)
        if kind == "snappy":
            return _unsnappy(data, most, module)
        return _into(module.decompress_into, data, most)
    except (WireError, InputError):
        raise
    except Exception as error:
        words = str(error).rpartition(": ")[2][:80]
        raise WireError(f"this is not {kind} ({words})") from None


def _cramjam(kind: str) -> Any:
    """The module for a compression."""
    try:
        import cramjam
    except ImportError:
        raise InputError(f"{kind} needs the package cramjam: install wirebook[records]") from None
    return getattr(cramjam, kind)


def _gunzip(data: bytes, most: int) -> bytes:
    """All members of a gzip stream."""
    content = bytearray()
    while True:
        member = zlib.decompressobj(_GZIP)
        content += member.decompress(data, most + 1 - len(content))
        if len(content) > most:
            raise _too_large(most)
        if not member.eof:
            raise WireError("this is not gzip (it is truncated)")
        data = member.unused_data
        if not data:
            return bytes(content)


def _unsnappy(data: bytes, most: int, snappy: Any) -> bytes:
    content = bytearray()
    for block in _xerial_blocks(data) if data.startswith(_XERIAL) else (data,):
        if len(content) + snappy.decompress_raw_len(block) > most:
            raise _too_large(most)
        content += bytes(snappy.decompress_raw(block))
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


def _into(unpack: Callable[[bytes, mmap.mmap], int], data: bytes, most: int) -> bytes:
    """The output of a cramjam function; a page of its buffer uses memory once it is written."""
    with mmap.mmap(-1, most) as buffer:
        try:
            return buffer[: unpack(data, buffer)]
        except Exception as error:
            raise (_too_large(most) if "whole buffer" in str(error) else error) from None


def _too_large(most: int) -> WireError:
    return WireError(f"the records decompress to more than {most >> 20} MiB")
