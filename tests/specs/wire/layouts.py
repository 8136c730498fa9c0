"""Layouts of small messages, and those of the embedded specs."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from wirebook.specs.codec import VARINT, scalar
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.layout import Layout, layout, layouts
from wirebook.specs.model import Message
from wirebook.specs.reader import read_message


@cache
def own_layouts() -> tuple[Layout, ...]:
    found: list[Layout] = []
    for path in embedded_paths():
        found += layouts(read_embedded(path))
    return tuple(found)


def own(name: str, version: int) -> Layout:
    return next(item for item in own_layouts() if (item.name, item.version) == (name, version))


def message(
    *fields: dict[str, Any], valid: str = "0-2", flexible: str = "1+", **more: Any
) -> Message:
    spec = {
        "apiKey": 900,
        "type": "request",
        "name": "FooRequest",
        "validVersions": valid,
        "flexibleVersions": flexible,
        "fields": list(fields),
        **more,
    }
    return read_message(json.dumps(spec), "FooRequest.json")


def field(name: str, type_: str, versions: str = "0+", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "versions": versions, "about": "", **more}


INFLEXIBLE = layout(
    message(
        field("Name", "string"),
        field("Note", "string", nullableVersions="0+"),
        field("Ids", "[]int32"),
        field("Parts", "[]Part", fields=[field("Index", "int32"), field("Data", "bytes")]),
    ),
    0,
)


SAME = layout(INFLEXIBLE.message, 1)


def varint(value: int) -> str:
    return scalar(VARINT, value).hex()


NOTHING = layout(
    message(field("Rows", "[]Row", "0+", fields=[field("Later", "int8", "1+")]), flexible="none"), 0
)


# The decoder of the browser has to report each as the codec does:
# tests/docgen/site/test_decode_scripts.py.
REFUSED: list[tuple[Layout, str, str, int, str]] = [
    (INFLEXIBLE, "", "Name", 0, "2 bytes should be here, but none are left"),
    (INFLEXIBLE, "0003 6162", "Name", 2, "3 bytes should be here, but 2 are left"),
    (INFLEXIBLE, "ffff", "Name", 0, "null, but it is not nullable"),
    (INFLEXIBLE, "fffe", "Name", 0, "-1 (null) is the only negative length"),
    (INFLEXIBLE, "0001 ff", "Name", 2, "not UTF-8"),
    (INFLEXIBLE, "0000 ffff ffffffff", "Ids", 4, "null, but it is not nullable"),
    (INFLEXIBLE, "0000 ffff fffffffe", "Ids", 4, "a length of -2"),
    (INFLEXIBLE, "0000 ffff 7fffffff 00", "Ids[0]", 8, "4 bytes should be here, but 1 is left"),
    (
        INFLEXIBLE,
        "0000 ffff 00000000 00000001 00000007 7fffffff",
        "Parts[0].Data",
        20,
        "2147483647 bytes",
    ),
    (
        INFLEXIBLE,
        "0000 ffff 00000000 00000000 00",
        "",
        12,
        "the message ends here, but 1 byte is left over",
    ),
    (SAME, "00", "Name", 0, "null, but it is not nullable"),
    (SAME, "ffffffff0f", "Name", 0, "a string of 4294967294 bytes; the limit is 32767"),
    (SAME, "ffffffff1f", "Name", 0, "more than 32 bits"),
    (SAME, "ffffffffff01", "Name", 0, "more than 5 bytes"),
    (SAME, "80", "Name", 0, "the bytes end within a varint"),
    (SAME, "01 00 01 01 ffffffff0f", "", 9, "the bytes end within a varint"),
    (SAME, "01 00 01 01 02 0500 0501 aa", "", 7, "tag 5 appears twice"),
    (
        NOTHING,
        "7fffffff",
        "Rows[20004]",
        4,
        "too many elements",
    ),
    (SAME, "01 00 01 01 01 05ffffffff0f", "tag 5", 11, "4294967295 bytes should be here"),
]


TAGGED = message(
    field("Count", "int64", "1+", taggedVersions="1+", tag=0, default="-1"),
    field("Late", "string", "2+", taggedVersions="2+", tag=1, ignorable=True),
    field("Firm", "string", "2+", taggedVersions="2+", tag=2),
    field("Gone", "int32", "0"),
    field("Place", "Place", "1+", taggedVersions="1+", tag=7,
          fields=[field("Id", "int32", "1+", default="-1")]),
    field("Maybe", "Maybe", "1+", nullableVersions="1+", default="null", fields=[field("Id", "int8", "1+")]),
    field("Other", "Other", "1+", nullableVersions="1+", taggedVersions="1+", tag=9, default="null",
          fields=[field("Id", "int8", "1+")]),
)  # fmt: skip


ONE, TWO = layout(TAGGED, 1), layout(TAGGED, 2)


REFUSED_TAGS = [
    ("ff 01 01 01 61", "", 2, "tag 1 is Late, which this version does not have"),
    ("ff 01 00 04 00000000", "Count", 4, "8 bytes should be here, but 4 are left"),
    (
        "ff 01 00 09 000000000000000000",
        "Count",
        4,
        "the value takes 8 bytes, but its size is given as 9",
    ),
    ("ff 01 07 04 00000001", "Place", 8, "the bytes end within a varint"),
]
