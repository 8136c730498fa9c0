"""The parts of compressed records: what each is, without gaps; bytes of another form are one part."""

from __future__ import annotations

import zlib

import pytest

from tests.specs.wire.records.record_values import needs_cramjam
from wirebook.specs.wire.records import lz4
from wirebook.specs.wire.records.checksums import xxhash32
from wirebook.specs.wire.records.compression import compress
from wirebook.specs.wire.records.framing import framing
from wirebook.specs.wire.records.model import Compression
from wirebook.specs.wire.records.xerial import BLOCK

# A block of 3 bytes as it is and one of 2, as the LZ4 frame format lays them out.
BLOCKS = b"\x03\0\0\x80abc" + b"\x02\0\0\0\x10x"
END = b"\0\0\0\0"


def frame(flags: int, header: bytes, rest: bytes) -> bytes:
    """A frame of LZ4 with the right checksum of its header."""
    data = lz4.MAGIC + bytes([flags, 0x40]) + header + b"\0"
    return lz4.repaired(data + rest)[: len(data)] + rest


def test_gzip_is_a_header_deflated_bytes_and_a_trailer() -> None:
    data = compress(b"abc" * 9, Compression.GZIP)
    deflated = len(data) - 18
    assert list(framing(data, Compression.GZIP)) == [
        (10, "gzip header", "BYTES", data[:10].hex()),
        (deflated, "deflated", "BYTES", data[10:-8].hex()),
        (4, "CRC-32 of the content, little-endian", "UINT32", f"{zlib.crc32(b'abc' * 9):08x}"),
        (4, "size of the content, little-endian", "UINT32", 27),
    ]
    assert list(framing(data[:18], Compression.GZIP)) == [(18, "gzip", "BYTES", data[:18].hex())]
    assert [size for size, *_ in framing(data[:19], Compression.GZIP)] == [10, 1, 4, 4]


@needs_cramjam
def test_blocks_of_snappy_have_a_header_and_lengths() -> None:
    data = compress(b"a" * (BLOCK + 1), Compression.SNAPPY)
    parts = list(framing(data, Compression.SNAPPY))
    header, first, second = parts[:3], parts[3:5], parts[5:]
    assert header == [
        (8, "magic of the framing", "BYTES", b"\x82SNAPPY\0".hex()),
        (4, "version of the framing", "INT32", 1),
        (4, "oldest version that reads it", "INT32", 1),
    ]
    size = first[1][0]
    assert first == [
        (4, "length of a block", "INT32", size),
        (size, "block of snappy", "BYTES", data[20 : 20 + size].hex()),
    ]
    assert second == [
        (4, "length of a block", "INT32", 3),
        (3, "block of snappy", "BYTES", data[-3:].hex()),
    ]
    assert next(framing(data[:-1], Compression.SNAPPY))[1] == "snappy"
    raw = data[-3:]
    assert list(framing(raw, Compression.SNAPPY)) == [(3, "snappy", "BYTES", raw.hex())]


def test_a_frame_of_lz4_has_flags_blocks_and_checksums() -> None:
    data = frame(0x60, b"", BLOCKS + END)
    start = [
        (4, "lz4 magic number", "BYTES", "04224d18"),
        (1, "flags of the frame", "UINT8", 0x60),
        (1, "largest block", "UINT8", 0x40),
        (1, "checksum of the header", "UINT8", data[6]),
    ]
    blocks = [
        (4, "length of a block, little-endian", "UINT32", 3),
        (3, "block, not compressed", "BYTES", b"abc".hex()),
        (4, "length of a block, little-endian", "UINT32", 2),
        (2, "block of lz4", "BYTES", b"\x10x".hex()),
    ]
    end = [(4, "end mark", "UINT32", 0)]
    assert list(framing(data, Compression.LZ4)) == start + blocks + end
    checked = frame(0x64, b"", BLOCKS + END + b"\1\2\3\4")
    last = (4, "checksum of the content", "BYTES", "01020304")
    assert list(framing(checked, Compression.LZ4))[-2:] == [*end, last]
    broken = lz4.broken(data)
    assert list(framing(broken, Compression.LZ4))[3] == (
        1,
        "checksum of the header, as magic 0 has it",
        "UINT8",
        broken[6],
    )


def test_parts_of_a_frame_of_lz4_that_flags_announce() -> None:
    sized = frame(0x68, b"\5\0\0\0\0\0\0\0", BLOCKS + END)
    assert list(framing(sized, Compression.LZ4))[3] == (8, "size of the content", "BYTES", sized[6:14].hex())
    checked = frame(0x70, b"", BLOCKS[:7] + b"sum!" + BLOCKS[7:] + b"SUM!" + END)
    names = [(size, what) for size, what, *_ in framing(checked, Compression.LZ4)][4:]
    assert names == [
        (4, "length of a block, little-endian"),
        (3, "block, not compressed"),
        (4, "checksum of the block"),
        (4, "length of a block, little-endian"),
        (2, "block of lz4"),
        (4, "checksum of the block"),
        (4, "end mark"),
    ]
    assert [
        value for _, what, _, value in framing(checked, Compression.LZ4) if what.endswith("the block")
    ] == [
        b"sum!".hex(),
        b"SUM!".hex(),
    ]


def test_zstd_is_its_magic_and_a_frame() -> None:
    data = bytes.fromhex("28b52ffd0401")
    assert list(framing(data, Compression.ZSTD)) == [
        (4, "zstd magic number", "BYTES", "28b52ffd"),
        (2, "zstd frame", "BYTES", "0401"),
    ]
    assert list(framing(data[:4], Compression.ZSTD)) == [(4, "zstd", "BYTES", "28b52ffd")]


@pytest.mark.parametrize("kind", list(Compression))
def test_other_bytes_are_one_part(kind: Compression) -> None:
    assert list(framing(b"xy", kind)) == [(2, kind.name.lower(), "BYTES", "7879")]
    assert list(framing(b"", kind)) == []


@needs_cramjam
def test_the_checksum_of_content_is_the_one_of_lz4() -> None:
    import cramjam

    for size in range(1, 70):
        content = bytes(range(100, 100 + size))
        block = (size | 1 << 31).to_bytes(4, "little") + content + END
        data = frame(0x64, b"", block + xxhash32(content).to_bytes(4, "little"))
        assert bytes(cramjam.lz4.decompress(data)) == content
        with pytest.raises(cramjam.DecompressionError):
            cramjam.lz4.decompress(data[:-1] + bytes([data[-1] ^ 1]))
