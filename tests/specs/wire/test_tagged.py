"""Tagged sections: what is read of each, and what may be written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message
from tests.specs.wire.stepping import read, write
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.shape import UNKNOWN

TAGGED = message(
    field("A", "int8", "1+", taggedVersions="1+", tag=1),
    field("B", "string", "1+", taggedVersions="1+", tag=2, nullableVersions="1+", default="null"),
    field("C", "int8", "2+", taggedVersions="2+", tag=3),
)


@pytest.mark.parametrize(
    ("digits", "found"),
    [
        ("00", {}),
        ("01 01 01 05", {"A": 5}),
        ("02 02 02 0278 01 01 05", {"A": 5, "B": "x"}),
        ("02 01 01 05", (0, "", "2 tagged fields take at least 4 bytes, but 3 are left")),
        ("02 01 01 05 02", (5, "", "the bytes end within a varint")),
        ("02 01 00 02 00", (3, "A", "the value takes 1 byte, but its size is given as 0")),
        ("02 01 01 05 01 01 06", (4, "", "tag 1 appears twice")),
        ("02 09 01 05 09 01 06", (4, "", "tag 9 appears twice")),
        ("01 01 02 05 06", (3, "A", "the value takes 1 byte, but its size is given as 2")),
        ("01 01 02 05", (3, "A", "2 bytes should be here, but 1 is left")),
        ("01 09 02 05", (3, "tag 9", "2 bytes should be here, but 1 is left")),
        ("01 03 01 05", (1, "", "tag 3 is C, which this version does not have")),
        ("02 0a 01 05 09 00", {UNKNOWN: [{"tag": 9, "data": ""}, {"tag": 10, "data": "05"}]}),
        ("01 02 01 00", {"B": None}),
        ("01 02 03 0278 01", (3, "B", "the value takes 2 bytes, but its size is given as 3")),
    ],
)
def test_a_tagged_section(digits: str, found: Any) -> None:
    data = digits.replace(" ", "")
    given = read(layout(TAGGED, 1), data)
    assert given == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"A": 0, "B": None}, "00"),
        ({"B": "", "A": 1}, "02 01 01 01 02 01 01"),
        ({"B": "x", UNKNOWN: [{"tag": 9, "data": "AB"}, {"tag": 0, "data": ""}]},
         "03 00 00 02 02 02 78 09 01 ab"),
        ({UNKNOWN: [{"tag": 2**32 - 1, "data": ""}]}, "01 ff ff ff ff 0f 00"),
        ({UNKNOWN: [{"tag": 2**32, "data": ""}]}, f"{UNKNOWN}[0].tag: 4294967296 is not a tag"),
        ({UNKNOWN: [{"tag": 2**31 - 2, "data": ""}]}, "01 fe ff ff ff 07 00"),
        ({UNKNOWN: [{"tag": 2**31 - 1, "data": ""}]},
         f"{UNKNOWN}[0].tag: 2147483647 cannot be written: Java's generated classes reserve it"),
        ({UNKNOWN: [{"tag": True, "data": ""}]}, f"{UNKNOWN}[0].tag: true is not a tag"),
        ({UNKNOWN: [{"tag": 5}]}, f'{UNKNOWN}[0]: an object with "tag" and "data" is expected'),
        ({UNKNOWN: [{"tag": 5, "data": "", "x": 1}]},
         f'{UNKNOWN}[0]: an object with "tag" and "data" is expected'),
        ({UNKNOWN: [5]}, f'{UNKNOWN}[0]: an object with "tag" and "data" is expected'),
        ({UNKNOWN: [{"tag": 5, "data": "abc"}]}, f'{UNKNOWN}[0].data: bytes in hex is expected, not "abc"'),
        ({UNKNOWN: [{"tag": 5, "data": None}]},
         f"{UNKNOWN}[0].data: bytes in hex is expected; it is not nullable in this version"),
        ({UNKNOWN: [{"tag": 1, "data": ""}]}, f"{UNKNOWN}[0]: tag 1 is not unknown: it is A"),
        ({UNKNOWN: [{"tag": 3, "data": ""}]}, f"{UNKNOWN}[0]: tag 3 is not unknown: it is C"),
        ({UNKNOWN: None}, f"{UNKNOWN}: a list is expected; it is not nullable in this version"),
        ({"A": 300}, "A: 300 does not fit INT8 (-128 to 127)"),
        ({"A": None}, "A: a whole number is expected; it is not nullable in this version"),
    ],
)  # fmt: skip
def test_values_with_tagged_fields(value: dict[str, Any], found: str) -> None:
    expected = found.replace(" ", "") if found[:1].isdigit() else found
    assert write(layout(TAGGED, 1), value) == expected
