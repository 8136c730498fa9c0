"""Record batches and message sets to bytes and back, whole, cut off, corrupt and hostile."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.wire.records.record_values import KINDS, entries
from wirebook.specs.limits import MAX_UNPACKED
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import WireError
from wirebook.specs.wire.records import lz4
from wirebook.specs.wire.records.checksums import crc32c
from wirebook.specs.wire.records.compression import compress, decompress
from wirebook.specs.wire.records.entries import read_entries, write_entries
from wirebook.specs.wire.records.model import (
    Batch,
    Compression,
    Damaged,
    Record,
    RecordHeader,
    RecordsEntry,
)
from wirebook.specs.wire.records.spans import record_spans
from wirebook.specs.wire.records.values import entries_json, entries_of
from wirebook.specs.wire.records.varints import read_varint, read_varlong, varint

SMALL = Batch(
    base_offset=42,
    last_offset_delta=1,
    records=(Record(0, 0, b"k1", b"hello", (RecordHeader(b"h", None),)), Record(1, 5)),
)


# Whole


@given(entries)
def test_what_is_written_is_read(made: list[RecordsEntry]) -> None:
    assert read_entries(write_entries(made)) == made


@given(entries)
def test_json_has_all_that_the_bytes_have(made: list[RecordsEntry]) -> None:
    assert entries_of(entries_json(made)) == made


@given(entries)
def test_each_byte_is_explained(made: list[RecordsEntry]) -> None:
    data = write_entries(made)
    spans = record_spans(data)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(data)
    assert all(span.kind != "unknown" and span.end > span.start for span in spans)


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-(1 << 63), (1 << 63) - 1))
def test_varints_are_read_as_written(small: int, large: int) -> None:
    assert read_varint(varint(small), 0, 5) == (small, len(varint(small)))
    assert read_varlong(varint(large), 0, 10) == (large, len(varint(large)))


# Cut off


@given(entries, st.data())
def test_what_is_before_the_cut_is_read(made: list[RecordsEntry], data: st.DataObject) -> None:
    whole = write_entries(made)
    end = data.draw(st.integers(0, len(whole)))
    found = read_entries(whole[:end])
    rest = found[-1] if found else None
    if isinstance(rest, Damaged):
        assert write_entries(found) == whole[:end]
        assert rest.cut
        assert found[:-1] == made[: len(found) - 1]
        assert "bytes end" in rest.error
    else:
        assert found == made[: len(found)]
    assert write_entries(found) == (
        whole[:end] if isinstance(rest, Damaged) else write_entries(made[: len(found)])
    )


# Corrupt


def _sealed(data: bytes) -> bytes:
    """A batch with the length and the checksum that its bytes need."""
    length = (len(data) - 12).to_bytes(4, "big")
    return data[:8] + length + data[12:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:]


def _problem(data: bytes) -> str:
    [found] = read_entries(data)
    assert isinstance(found, Damaged)
    return found.error


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # An unknown compression, a count that is too large, too small, negative.
        ("CRC0000", "CRC0007", "byte 21: compression 7 is not known"),
        ("0000000220", "0000000320", r"byte 85: Records\[2\]: the bytes end within a varint"),
        (
            "0000000220",
            "0000000120",
            r"byte 78: Records\[1\]: .*ends here, but 7 bytes are left over",
        ),
        ("0000000220", "fffffffe20", "byte 57: Records: a count of -2 records"),
        # The length of a record, of its key, and the number of its headers.
        ("0000000220", "0000000222", r"Records\[0\]: the record ends here, but its length has 1 byte more"),
        ("046b31", "036b31", r"byte 65: Records\[0\].Key: a length of -2: -1 "),
        ("046b31", "7e6b31", r"Records\[0\].Key: 63 bytes should be here, but the record has 12 more"),
        (
            "02026801",
            "02016801",
            r"Records\[0\].Headers\[0\].Key: null, but the key of a header is",
        ),
        ("02026801", "03026801", r"Records\[0\].Headers: a count of -2 headers"),
    ],
)
def test_content_that_contradicts_itself_is_said_with_its_place(old: str, new: str, problem: str) -> None:
    text = write_entries([SMALL]).hex()
    old, new = (part.replace("CRC", text[34:42]) for part in (old, new))
    assert text.count(old) == 1
    assert re.search(problem, _problem(_sealed(bytes.fromhex(text.replace(old, new)))))


def test_a_wrong_checksum_is_said_and_the_rest_still_read() -> None:
    data = bytearray(write_entries([SMALL, SMALL]))
    data[70] ^= 1
    first, second = read_entries(bytes(data))
    assert isinstance(first, Damaged)
    assert first.error.startswith("byte 17: CRC-32C is ")
    assert isinstance(first.decoded, Batch)
    assert len(first.decoded.records) == 2
    assert second == SMALL


# Compressed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("magic", [0, 1, 2])
def test_each_compression_gives_back_what_it_got(kind: Compression, magic: int) -> None:
    for data in (b"", b"a", b"ab" * 40_000, bytes(range(256)) * 300):
        assert decompress(compress(data, kind, magic), kind, magic) == data


@pytest.mark.parametrize("kind", [Compression.GZIP, Compression.LZ4, Compression.ZSTD])
def test_a_bomb_costs_a_line(kind: Compression) -> None:
    bomb = compress(bytes(MAX_UNPACKED + 1), kind)
    with pytest.raises(WireError, match=r"decompress to more than 64 MiB"):
        decompress(bomb, kind)


def test_a_missing_package_is_one_line_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    for kind in (Compression.SNAPPY, Compression.LZ4, Compression.ZSTD):
        with pytest.raises(InputError, match=r"needs the package cramjam: pip install 'wirebook\[records\]'"):
            compress(b"a", kind)
        with pytest.raises(InputError, match=r"needs the package cramjam"):
            decompress(lz4.MAGIC + b"\x60\x40\x82\0\0\0\0", kind)
