"""Batches, records and entries: what each error says, and where it is in the bytes."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import pytest

from wirebook.specs.wire.records.batch import (
    read_batch,
    read_record,
    read_records,
    write_batch,
    write_record,
)
from wirebook.specs.wire.records.checksums import crc32c
from wirebook.specs.wire.records.compression import compress
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.message import write_message
from wirebook.specs.wire.records.model import (
    Batch,
    Compression,
    Damaged,
    MessageSetEntry,
    Record,
    RecordHeader,
)
from wirebook.specs.wire.scalars import WireError

RECORD = Record(1, 2, b"k", b"vv", (RecordHeader(b"h", b"x"),), -3)
ONE = Batch(records=(RECORD,))


def encoded(record: Record) -> bytes:
    out = bytearray()
    write_record(out, record)
    return bytes(out)


def sealed(data: bytes) -> bytes:
    """A batch with the length and the checksum that its bytes need."""
    length = (len(data) - 12).to_bytes(4, "big")
    return data[:8] + length + data[12:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:]


@pytest.mark.parametrize("attributes", [-128, -3, -1, 0, 1, 127])
def test_a_record_is_read_as_written(attributes: int) -> None:
    data = encoded(replace(RECORD, attributes=attributes))
    assert (
        data.hex() == "1a" + f"{attributes & 0xFF:02x}" + "0402" + "026b" + "047676" + "02" + "0268" + "0278"
    )
    assert read_record(b"-" + data + b"-", 1) == (replace(RECORD, attributes=attributes), 15)


@pytest.mark.parametrize(
    ("digits", "offset", "path", "words"),
    [
        ("", 1, "", "the bytes end within a varint"),
        ("01", 1, "", "a record of -1 bytes"),
        ("02", 2, "", "1 byte should be here, but none are left"),
        ("00", 2, "Attributes", "1 byte should be here, but none are left"),
        ("0200", 3, "", "the bytes end within a varint"),
        ("0a0000000101", 2, "", "5 bytes should be here, but none are left"),
        ("0a0000000101", 7, "", "the bytes end within a varint"),
        ("0c000000030100", 5, "Key", "a length of -2: -1 (null) is the only negative length"),
        ("0c000000010300", 6, "Value", "a length of -2: -1 (null) is the only negative length"),
        ("0c000000060100", 6, "Key", "3 bytes should be here, but the record has 2 more"),
        ("0c000000010800", 7, "Value", "4 bytes should be here, but the record has 1 more"),
        ("0c000000010101", 7, "Headers", "a count of -1 headers"),
        ("0e00000001010201", 8, "Headers[0].Key", "null, but the key of a header is not nullable"),
        ("0e00000001010280", 8, "Headers[0].Key", "the bytes end within a varint"),
        (
            "1000000001010200" + "03",
            9,
            "Headers[0].Value",
            "a length of -2: -1 (null) is the only negative length",
        ),
        ("0e00000001010000", 8, "", "the record ends here, but its length has 1 byte more"),
        ("1000000001010000" + "00", 8, "", "the record ends here, but its length has 2 bytes more"),
    ],
)
def test_a_record_that_cannot_be_read(digits: str, offset: int, path: str, words: str) -> None:
    data = b"-" + bytes.fromhex(digits)
    if offset == 2 and digits.startswith("0a"):
        data = data[:2]
    with pytest.raises(WireError) as caught:
        read_record(data, 1)
    assert (caught.value.offset, caught.value.path, caught.value.message) == (offset, path, words)


def test_a_count_is_not_negative() -> None:
    found, wrong = read_records(encoded(RECORD), 0, -1)
    assert (found, str(wrong)) == ([], "byte 57: Records: a count of -1 records")


def test_what_a_batch_lacks_is_said() -> None:
    data = write_batch(ONE)
    for size in (0, 60):
        batch, wrong = read_batch(data[:size])
        left = f"{size or 'none'} are left"
        assert (batch, str(wrong)) == (None, f"byte 0: 61 bytes should be here, but {left}")
    changed = data[:-1] + b"y"
    batch, wrong = read_batch(changed)
    assert batch == replace(ONE, records=(replace(RECORD, headers=(RecordHeader(b"h", b"y"),)),))
    assert (
        str(wrong)
        == f"byte 17: CRC-32C is {crc32c(data[21:]):08x}, but the bytes have {crc32c(changed[21:]):08x}"
    )
    unknown = sealed(data[:22] + b"\x05" + data[23:])
    assert str(read_batch(unknown)[1]) == "byte 21: compression 5 is not known; 4 (zstd) is the last"
    broken = sealed(data[:22] + b"\x01" + data[23:])
    batch, wrong = read_batch(broken)
    assert str(wrong).startswith("byte 61: this is not gzip (")
    assert batch is not None
    assert (batch.attributes, batch.records) == (1, ())


def test_an_error_in_compressed_records_counts_from_their_beginning() -> None:
    head = write_batch(Batch(attributes=1))[:57] + (2).to_bytes(4, "big")
    data = sealed(head + compress(encoded(RECORD) + b"\x02", Compression.GZIP))
    batch, wrong = read_batch(data)
    assert batch is not None
    assert batch.records == (RECORD,)
    assert str(wrong) == (
        "Records[1]: byte 15 of the unpacked records: 1 byte should be here, but none are left"
    )


def test_inner_messages_have_a_place() -> None:
    inner = write_message(MessageSetEntry(1, value=b"x")), write_message(MessageSetEntry(1, value=b"yy"))

    def problem(content: bytes) -> str:
        body = b"\1\1" + bytes(8) + b"\xff" * 4
        value = compress(content, Compression.GZIP)
        body += len(value).to_bytes(4, "big") + value
        data = bytes(8) + (len(body) + 4).to_bytes(4, "big") + crc32(body).to_bytes(4, "big") + body
        [found] = read_entries(data)
        return found.error if isinstance(found, Damaged) else ""

    at = len(inner[0])
    assert problem(inner[0] + inner[1]) == problem(b"") == ""
    assert problem(inner[0] + inner[1][:-1]) == (
        f"Messages[1]: byte {at} of what it holds: 36 bytes should be here, but 35 are left"
    )
    assert problem(inner[0] + inner[1][:33]) == (
        f"Messages[1]: byte {at} of what it holds: 34 bytes should be here, but 33 are left"
    )
    small = inner[1][:8] + (21).to_bytes(4, "big") + inner[1][12:]
    assert problem(inner[0] + small) == (
        f"Messages[1]: byte {at} of what it holds: a message of 33 bytes; it has at least 34"
    )
    assert problem(inner[0] + inner[1][:16] + b"\0" + inner[1][17:]) == (
        f"Messages[1]: byte {at} of what it holds: magic 0 within a message of magic 1"
    )
