"""What is said of each byte of records: its name, its kind, its type and its value."""

from __future__ import annotations

from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.reading import explain_records
from wirebook.specs.records.writing import write_records

BATCH = {
    "BaseOffset": 42,
    "PartitionLeaderEpoch": 3,
    "TimestampType": "LogAppendTime",
    "Transactional": True,
    "BaseTimestamp": 1000,
    "MaxTimestamp": 1001,
    "ProducerId": 7,
    "ProducerEpoch": 2,
    "BaseSequence": 9,
    "Records": [
        {
            "TimestampDelta": 1 << 40,
            "Key": "6b",
            "Headers": [{"Key": "h", "Value": "ff"}, {"Key": "", "Value": None}],
        },
        {"TimestampDelta": -5},
    ],
}
Row = tuple[int, int, str, str, str, str, object]


def test_every_field_of_a_batch_is_named() -> None:
    data = write_records([BATCH])
    spans = explain_records(data)
    assert [(*each[:3], each.field, *each[3:6]) for each in spans] == [
        (0, 8, "[0].BaseOffset", "BaseOffset", "value", "INT64", 42),
        (8, 12, "[0].BatchLength", "BatchLength", "length", "INT32", len(data) - 12),
        (12, 16, "[0].PartitionLeaderEpoch", "PartitionLeaderEpoch", "value", "INT32", 3),
        (16, 17, "[0].Magic", "Magic", "value", "INT8", 2),
        (17, 21, "[0].Crc", "Crc", "value", "UINT32", f"{crc32c(data[21:]):08x}"),
        (
            21,
            23,
            "[0].Attributes",
            "Attributes",
            "value",
            "INT16",
            "none, LogAppendTime, Transactional",
        ),
        (23, 27, "[0].LastOffsetDelta", "LastOffsetDelta", "value", "INT32", 1),
        (27, 35, "[0].BaseTimestamp", "BaseTimestamp", "value", "INT64", 1000),
        (35, 43, "[0].MaxTimestamp", "MaxTimestamp", "value", "INT64", 1001),
        (43, 51, "[0].ProducerId", "ProducerId", "value", "INT64", 7),
        (51, 53, "[0].ProducerEpoch", "ProducerEpoch", "value", "INT16", 2),
        (53, 57, "[0].BaseSequence", "BaseSequence", "value", "INT32", 9),
        (57, 61, "[0].Records", "Records", "count", "INT32", 2),
        *records(61, "[0].", ""),
    ]
    # A second one has the next number.
    assert explain_records(data + data)[-1].path == "[1].Records[1].Headers"


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
