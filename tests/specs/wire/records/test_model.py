"""Batches, records and messages without values are those of a simple producer."""

from __future__ import annotations

from wirebook.specs.wire.records.batch import HEADER, read_batch, write_batch, write_record
from wirebook.specs.wire.records.message import write_message
from wirebook.specs.wire.records.model import (
    Batch,
    Compression,
    Damaged,
    MessageSetEntry,
    Record,
    compression,
)


def encoded(record: Record) -> bytes:
    out = bytearray()
    write_record(out, record)
    return bytes(out)


def test_three_bits_name_the_compression() -> None:
    found = [compression(bits) for bits in (*range(8), 8, -8, -5)]
    known = [*Compression, None, None, None, Compression.NONE, Compression.NONE, Compression.LZ4]
    assert found == known
    assert (Damaged(b"", "x").decoded, Damaged(b"", "x").cut) == (None, False)


def test_a_batch_without_values_has_those_of_a_simple_producer() -> None:
    data = write_batch(Batch())
    assert data[:17].hex() == "0000000000000000" + "00000031" + "ffffffff" + "02"
    assert (
        data[21:].hex()
        == "0000" + "00000000" + "ff" * 8 + "ff" * 8 + "ff" * 8 + "ffff" + "ffffffff" + "00000000"
    )
    assert len(data) == HEADER == 61
    assert read_batch(data) == (Batch(), None)
    assert encoded(Record()).hex() == "0c" + "00" * 3 + "0101" + "00"
    assert write_message(MessageSetEntry(1)).hex()[32:] == "0100" + "ff" * 8 + "ff" * 4 + "ff" * 4
