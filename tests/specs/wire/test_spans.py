"""What is said of each byte of a message: its field, its kind, its type and its value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message
from wirebook.specs.codec import UNKNOWN, decode, encode, read
from wirebook.specs.layout import layout
from wirebook.specs.spans import WireError

MESSAGE = message(
    field("Id", "int16"),
    field("Name", "string", nullableVersions="0+"),
    field("Data", "bytes"),
    field("Ids", "[]int8", nullableVersions="0+"),
    field("Rows", "[]Row", fields=[
        field("Key", "uuid"), field("Note", "string", "1+", taggedVersions="1+", tag=0)]),
    field("Held", "Held", nullableVersions="1+", fields=[field("Ok", "bool")]),
    field("Far", "Far", "1+", nullableVersions="1+", taggedVersions="1+", tag=3, default="null",
          fields=[field("X", "int8", "1+")]),
    field("Raw", "records", "1+", nullableVersions="1+", taggedVersions="1+", tag=4),
)  # fmt: skip
KEY = "00112233-4455-6677-8899-aabbccddeeff"


def rows(value: dict[str, Any], version: int) -> list[tuple[int, str, str, str, str, object]]:
    """Size, path, field, kind, type and value of each span."""
    of = layout(MESSAGE, version)
    data = encode(of, value)
    found = read(of, data).right().spans
    assert [span.start for span in found] == [0, *(span.end for span in found[:-1])]
    assert found[-1].end == len(data)
    return [
        (each.end - each.start, each.path, each.field, each.kind, each.type, each.value)
        for each in found
    ]


def test_each_part_of_a_flexible_message() -> None:
    value = {
        "Id": 1, "Name": "a" * 130, "Data": "", "Ids": [7],
        "Rows": [{"Key": KEY, "Note": "n", UNKNOWN: [{"tag": 9, "data": "00"}]}],
        "Held": {"Ok": True, UNKNOWN: [{"tag": 300, "data": ""}]},
        "Far": {"X": 2}, "Raw": "cafe", UNKNOWN: [{"tag": 8, "data": "abcd"}],
    }  # fmt: skip
    tags, tag, size = (
        ("tag-count", "UNSIGNED_VARINT"),
        ("tag", "UNSIGNED_VARINT"),
        ("tag-size", "UNSIGNED_VARINT"),
    )
    assert rows(value, 1) == [
        (2, "Id", "Id", "value", "INT16", 1),
        (2, "Name", "Name", "length", "UNSIGNED_VARINT", 130),
        (130, "Name", "Name", "value", "COMPACT_NULLABLE_STRING", "a" * 130),
        (1, "Data", "Data", "length", "UNSIGNED_VARINT", 0),
        (1, "Ids", "Ids", "count", "UNSIGNED_VARINT", 1),
        (1, "Ids[0]", "Ids", "value", "INT8", 7),
        (1, "Rows", "Rows", "count", "UNSIGNED_VARINT", 1),
        (16, "Rows[0].Key", "Rows.Key", "value", "UUID", KEY),
        (1, "Rows[0]", "Rows", *tags, 2),
        (1, "Rows[0].Note", "Rows.Note", *tag, 0),
        (1, "Rows[0].Note", "Rows.Note", *size, 2),
        (1, "Rows[0].Note", "Rows.Note", "length", "UNSIGNED_VARINT", 1),
        (1, "Rows[0].Note", "Rows.Note", "value", "COMPACT_STRING", "n"),
        (1, "Rows[0]", "Rows", *tag, 9),
        (1, "Rows[0]", "Rows", *size, 1),
        (1, "Rows[0]", "Rows", "unknown", "BYTES", "00"),
        (1, "Held", "Held", "marker", "INT8", None),
        (1, "Held.Ok", "Held.Ok", "value", "BOOLEAN", True),
        (1, "Held", "Held", *tags, 1),
        (2, "Held", "Held", *tag, 300),
        (1, "Held", "Held", *size, 0),
        (1, "", "", *tags, 3),
        (1, "Far", "Far", *tag, 3),
        (1, "Far", "Far", *size, 3),
        (1, "Far", "Far", "marker", "UNSIGNED_VARINT", None),
        (1, "Far.X", "Far.X", "value", "INT8", 2),
        (1, "Far", "Far", *tags, 0),
        (1, "Raw", "Raw", *tag, 4),
        (1, "Raw", "Raw", *size, 3),
        (1, "Raw", "Raw", "length", "UNSIGNED_VARINT", 2),
        (2, "Raw", "Raw", "value", "COMPACT_NULLABLE_RECORDS", "cafe"),
        (1, "", "", *tag, 8),
        (1, "", "", *size, 2),
        (2, "", "", "unknown", "BYTES", "abcd"),
    ]
    null = rows({"Held": None, "Name": None, "Ids": None}, 1)
    assert [row for row in null if row[3] == "null"] == [
        (1, "Name", "Name", "null", "UNSIGNED_VARINT", None),
        (1, "Ids", "Ids", "null", "UNSIGNED_VARINT", None),
        (1, "Held", "Held", "null", "INT8", None),
    ]


WHOLE: dict[str, Any] = {
    "Id": 1, "Name": "ab", "Data": "beef", "Ids": [5, -6], "Rows": [{"Key": KEY, "Note": ""}, {"Key": KEY}],
    "Held": {"Ok": True}, "Far": {"X": 3}, "Raw": "",
    UNKNOWN: [{"tag": 5, "data": "00"}, {"tag": 9, "data": "0102"}],
}  # fmt: skip


def test_spans_of_what_precedes_an_error() -> None:
    of = layout(MESSAGE, 1)
    data = encode(of, WHOLE)
    every = read(of, data).right().spans
    for cut in range(len(data)):
        # Bytes that are missing, and one that is too many.
        with pytest.raises(WireError) as caught:
            decode(of, data[:cut])
        assert caught.value.offset is not None
        found = read(of, data[:cut])
        assert found.spans == every[: len(found.spans)]
        assert all(span.end <= found.end for span in found.spans)
        assert found.value.keys() <= WHOLE.keys()
    assert read(of, data + b"\0").spans == every
