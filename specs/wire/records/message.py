"""Messages of a message set: magic 0 and magic 1, which adds a timestamp (KIP-32, LegacyRecord.java)."""

from __future__ import annotations

from struct import Struct, pack

from wirebook.specs.wire.codec import WireError, some_bytes
from wirebook.specs.wire.records.checksums import crc32
from wirebook.specs.wire.records.compression import compress, decompress
from wirebook.specs.wire.records.model import COMPRESSION_BITS, Compression, MessageSetEntry, compression
from wirebook.specs.wire.records.varints import left_over, short

PREFIX = Struct(">qiI")  # offset, length of what follows it, checksum of what follows that
BEFORE_LENGTH_COUNTS = 12
_KINDS = Struct(">bb")  # magic, attributes
_TIMESTAMP = Struct(">q")
_SIZE = Struct(">i")
LEAST = {0: PREFIX.size + 2 + 8, 1: PREFIX.size + 2 + 8 + 8}  # bytes of a message without key and value


def write_message(message: MessageSetEntry) -> bytes:
    """Encode a message, which may contain others. Raises InputError if a package is missing."""
    value = message.value
    if message.messages is not None:
        kind = compression(message.attributes)
        assert kind
        inner = b"".join(map(write_message, message.messages))
        value = compress(inner, kind, message.magic)
    counted = _KINDS.pack(message.magic, message.attributes)
    if message.magic:
        counted += _TIMESTAMP.pack(message.timestamp)
    counted += _sized(message.key) + _sized(value)
    return PREFIX.pack(message.offset, len(counted) + 4, crc32(counted)) + counted


def _sized(data: bytes | None) -> bytes:
    return pack(">i", -1) if data is None else _SIZE.pack(len(data)) + data


def read_message(
    data: bytes, *, within: MessageSetEntry | None = None
) -> tuple[MessageSetEntry | None, WireError | None]:
    """Decode a message, as far as it can be read, with the problems in it.

    `within` is the compressed message that contains it. Raises InputError if a package is missing.
    """
    if len(data) < PREFIX.size + 2:
        return None, short(data, 0, LEAST[0])
    offset, length, checksum = PREFIX.unpack_from(data)
    magic, attributes = _KINDS.unpack_from(data, PREFIX.size)
    if len(data) < LEAST[magic]:
        return None, short(data, 0, LEAST[magic])
    wrong = None
    if len(data) == length + BEFORE_LENGTH_COUNTS:
        actual = crc32(data[PREFIX.size :])
        if actual != checksum:
            wrong = WireError(f"CRC-32 is {checksum:08x}, but the bytes have {actual:08x}", PREFIX.size - 4)
    at, timestamp = PREFIX.size + _KINDS.size, -1
    if magic:
        (timestamp,) = _TIMESTAMP.unpack_from(data, at)
        at += _TIMESTAMP.size
    key = value = None
    messages: list[MessageSetEntry] | None = None
    try:
        key, at = _read_sized(data, at, "Key")
        value, at = _read_sized(data, at, "Value")
        if at != len(data):
            raise left_over(data, at)
    except WireError as bad:
        wrong = wrong or bad
    message = MessageSetEntry(magic, offset, attributes, timestamp, key, value)
    if attributes & COMPRESSION_BITS and value is not None:
        messages, bad_inner = _read_inner(message, value, within)
        message = MessageSetEntry(magic, offset, attributes, timestamp, key, None, tuple(messages))
        wrong = wrong or bad_inner
    elif attributes & COMPRESSION_BITS:
        wrong = wrong or WireError("null, but this message is compressed", None, "Value")
    return message, wrong


def _read_sized(data: bytes, at: int, path: str) -> tuple[bytes | None, int]:
    if at + 4 > len(data):
        raise short(data, at, 4).below(path)
    (size,) = _SIZE.unpack_from(data, at)
    if size == -1:
        return None, at + 4
    if size < 0:
        raise WireError(f"a length of {size}: -1 (null) is the only negative length", at, path)
    if at + 4 + size > len(data):
        raise short(data, at + 4, size).below(path)
    return data[at + 4 : at + 4 + size], at + 4 + size


def _read_inner(
    outer: MessageSetEntry, value: bytes, within: MessageSetEntry | None
) -> tuple[list[MessageSetEntry], WireError | None]:
    """The messages in the value of a compressed message."""
    messages: list[MessageSetEntry] = []
    kind = compression(outer.attributes)
    if within is not None:
        return messages, WireError("a compressed message within a compressed one")
    if kind is None or kind is Compression.NONE:
        return messages, WireError(f"compression {outer.attributes & 7} is not known; 4 (zstd) is the last")
    try:
        plain = decompress(value, kind, outer.magic)
        at = 0
        while at < len(plain):
            end = _end_of(plain, at, outer.magic)
            inner, wrong = read_message(plain[at:end], within=outer)
            if wrong is not None:
                raise wrong
            assert inner is not None
            messages.append(inner)
            at = end
    except WireError as bad:
        place = f"byte {bad.offset} of what it holds: " if bad.offset is not None else ""
        return messages, WireError(f"{place}{bad.message}", None, bad.path).below(
            f"Messages[{len(messages)}]"
        )
    return messages, None


def _end_of(data: bytes, at: int, magic: int) -> int:
    """The end of the inner message at `at`. Raises WireError if it is truncated, or has another magic."""
    magic_at = at + PREFIX.size
    if magic_at < len(data) and data[magic_at] != magic:
        raise WireError(f"magic {data[magic_at]} within a message of magic {magic}", at)
    if at + LEAST[magic] > len(data):
        raise short(data, at, LEAST[magic])
    size: int = PREFIX.unpack_from(data, at)[1] + BEFORE_LENGTH_COUNTS
    if size < LEAST[magic]:
        raise WireError(f"a message of {some_bytes(size)}; it has at least {LEAST[magic]}", at)
    if at + size > len(data):
        raise short(data, at, size)
    return at + size
