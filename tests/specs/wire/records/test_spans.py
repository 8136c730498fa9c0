"""What is said of each byte of records: its name, its kind, its type and its value."""

from __future__ import annotations

from wirebook.specs.wire.records.checksums import crc32c
from wirebook.specs.wire.records.entries import write_entries
from wirebook.specs.wire.records.model import Batch, Record, RecordHeader
from wirebook.specs.wire.records.spans import record_spans

BATCH = Batch(
    base_offset=42,
    partition_leader_epoch=3,
    attributes=0x18,
    last_offset_delta=1,
    base_timestamp=1000,
    max_timestamp=1001,
    producer_id=7,
    producer_epoch=2,
    base_sequence=9,
    records=(
        Record(0, 1 << 40, b"k", None, (RecordHeader(b"h", b"\xff"), RecordHeader(b"", None))),
        Record(1, -5),
    ),
)
Row = tuple[int, int, str, str, str, str, object]


def rows(data: bytes, path: str = "R", field: str = "R") -> list[Row]:
    """The spans as tuples, without the path of the field."""
    return [
        (each.start, each.end, each.path, each.field, each.kind, each.type, each.value)
        for each in record_spans(data, path, field)
    ]


def test_every_field_of_a_batch_is_named() -> None:
    data = write_entries([BATCH])
    assert rows(data) == [
        (0, 8, "R[0].BaseOffset", "R.BaseOffset", "value", "INT64", 42),
        (8, 12, "R[0].BatchLength", "R.BatchLength", "length", "INT32", len(data) - 12),
        (12, 16, "R[0].PartitionLeaderEpoch", "R.PartitionLeaderEpoch", "value", "INT32", 3),
        (16, 17, "R[0].Magic", "R.Magic", "value", "INT8", 2),
        (17, 21, "R[0].Crc", "R.Crc", "value", "UINT32", f"{crc32c(data[21:]):08x}"),
        (21, 23, "R[0].Attributes", "R.Attributes", "value", "INT16", "none, LogAppendTime, Transactional"),
        (23, 27, "R[0].LastOffsetDelta", "R.LastOffsetDelta", "value", "INT32", 1),
        (27, 35, "R[0].BaseTimestamp", "R.BaseTimestamp", "value", "INT64", 1000),
        (35, 43, "R[0].MaxTimestamp", "R.MaxTimestamp", "value", "INT64", 1001),
        (43, 51, "R[0].ProducerId", "R.ProducerId", "value", "INT64", 7),
        (51, 53, "R[0].ProducerEpoch", "R.ProducerEpoch", "value", "INT16", 2),
        (53, 57, "R[0].BaseSequence", "R.BaseSequence", "value", "INT32", 9),
        (57, 61, "R[0].Records", "R.Records", "count", "INT32", 2),
        *records(61, "R[0].", "R."),
    ]
    # A second one has the next number.
    assert record_spans(data + data, "R", "R")[-1].path == "R[1].Records[1].Headers"
    assert record_spans(data)[0].path == "[0].BaseOffset"
    assert record_spans(data)[0].field == "BaseOffset"


def records(at: int, path: str, field: str) -> list[Row]:
    """The spans of the records of the batch, from a place on."""
    first, second, inner = f"{path}Records[0]", f"{path}Records[1]", f"{field}Records"
    parts: list[tuple[int, str, str, str, str, object]] = [
        (1, first, inner, "length", "VARINT", 18),
        (1, f"{first}.Attributes", f"{inner}.Attributes", "value", "INT8", 0),
        (6, f"{first}.TimestampDelta", f"{inner}.TimestampDelta", "value", "VARLONG", 1 << 40),
        (1, f"{first}.OffsetDelta", f"{inner}.OffsetDelta", "value", "VARINT", 0),
        (1, f"{first}.Key", f"{inner}.Key", "length", "VARINT", 1),
        (1, f"{first}.Key", f"{inner}.Key", "value", "BYTES", "6b"),
        (1, f"{first}.Value", f"{inner}.Value", "null", "VARINT", None),
        (1, f"{first}.Headers", f"{inner}.Headers", "count", "VARINT", 2),
        (1, f"{first}.Headers[0].Key", f"{inner}.Headers.Key", "length", "VARINT", 1),
        (1, f"{first}.Headers[0].Key", f"{inner}.Headers.Key", "value", "STRING", "h"),
        (1, f"{first}.Headers[0].Value", f"{inner}.Headers.Value", "length", "VARINT", 1),
        (1, f"{first}.Headers[0].Value", f"{inner}.Headers.Value", "value", "BYTES", "ff"),
        (1, f"{first}.Headers[1].Key", f"{inner}.Headers.Key", "length", "VARINT", 0),
        (1, f"{first}.Headers[1].Value", f"{inner}.Headers.Value", "null", "VARINT", None),
        (1, second, inner, "length", "VARINT", 6),
        (1, f"{second}.Attributes", f"{inner}.Attributes", "value", "INT8", 0),
        (1, f"{second}.TimestampDelta", f"{inner}.TimestampDelta", "value", "VARLONG", -5),
        (1, f"{second}.OffsetDelta", f"{inner}.OffsetDelta", "value", "VARINT", 1),
        (1, f"{second}.Key", f"{inner}.Key", "null", "VARINT", None),
        (1, f"{second}.Value", f"{inner}.Value", "null", "VARINT", None),
        (1, f"{second}.Headers", f"{inner}.Headers", "count", "VARINT", 0),
    ]
    found: list[Row] = []
    for size, *rest in parts:
        found.append((at, at + size, *rest))  # type: ignore[arg-type]
        at += size
    return found
