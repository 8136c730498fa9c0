"""Reading and writing step by step: counts at their limits, markers, and the path of each error."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.test_codec import field, message, varint
from wirebook.specs.wire.codec import WORTHWHILE, codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError
from wirebook.specs.wire.shape import UNKNOWN, has_records
from wirebook.specs.wire.steps import MAX_EMPTY

NOTHING = message(field("Rows", "[]Row", fields=[field("Later", "int8", "2+")]), flexible="none")
RUN = message(
    field("A", "int8"), field("B", "int64"), field("C", "bool"), field("D", "uint16"), field("E", "uint32"),
    field("Text", "string"), field("F", "int16"), flexible="none",
)  # fmt: skip
PAIRS = message(field("Pairs", "[]Pair", fields=[field("A", "int16"), field("B", "string")]), flexible="1+")


def read(shape: Layout, digits: str) -> Any:
    """The value, or the error as offset, path and words."""
    try:
        return codec(shape).decode(bytes.fromhex(digits))
    except WireError as error:
        return error.offset, error.path, error.message


def write(shape: Layout, value: Any) -> str:
    """The bytes in hex, or the error."""
    try:
        return codec(shape).encode(value).hex()
    except WireError as error:
        return str(error)


def test_elements_without_a_byte_have_a_limit() -> None:
    shape = layout(NOTHING, 0)
    assert len(read(shape, f"{MAX_EMPTY:08x}")["Rows"]) == MAX_EMPTY == 65_536
    words = f"{MAX_EMPTY + 1} elements of 0 bytes; the limit is {MAX_EMPTY}"
    assert read(shape, f"{MAX_EMPTY + 1:08x}") == (0, "Rows", words)
    # Elements with bytes have none.
    many = layout(message(field("Ids", "[]int8"), flexible="none"), 0)
    assert len(read(many, f"{MAX_EMPTY + 1:08x}" + "00" * (MAX_EMPTY + 1))["Ids"]) == MAX_EMPTY + 1


@pytest.mark.parametrize(
    ("version", "least", "smallest"), [(0, 4, "0001" + "0000"), (1, 4, "0001" + "01" + "00")]
)
def test_a_count_is_compared_with_the_bytes_that_are_left(version: int, least: int, smallest: str) -> None:
    shape = layout(PAIRS, version)

    def count(number: int) -> str:
        return f"{number:08x}" if version == 0 else varint(number + 1)

    end = "" if version == 0 else "00"
    assert len(read(shape, count(2) + smallest * 2 + end)["Pairs"]) == 2
    short = count(2) + smallest * 2
    found = read(shape, short[:-2])
    assert found == (0, "Pairs", f"2 elements take at least {2 * least} bytes, but {2 * least - 1} are left")
    start = len(count(2)) // 2
    assert read(shape, count(1) + smallest[:4] + ("0003" if version == 0 else "04") + "61") == (
        start + (4 if version == 0 else 3),
        "Pairs[0].B",
        "3 bytes should be here, but 1 is left",
    )


def test_fields_of_fixed_size_are_read_together_and_each_has_its_place() -> None:
    shape = layout(RUN, 0)
    value = {"A": -1, "B": 2, "C": True, "D": 65_535, "E": 2**32 - 1, "Text": "t", "F": -2}
    data = "ff" + "0000000000000002" + "01" + "ffff" + "ffffffff" + "000174" + "fffe"
    assert (write(shape, value), read(shape, data)) == (data, value)
    for size, name, at, needed in (
        (0, "A", 0, 1), (1, "B", 1, 8), (8, "B", 1, 8), (9, "C", 9, 1), (10, "D", 10, 2), (11, "D", 10, 2),
        (12, "E", 12, 4), (15, "E", 12, 4), (16, "Text", 16, 2), (17, "Text", 16, 2), (18, "Text", 18, 1),
        (19, "F", 19, 2), (20, "F", 19, 2),
    ):  # fmt: skip
        left = size - at
        words = f"{needed} byte{'s' * (needed > 1)} should be here, but "
        words += f"{left or 'none'} {'is' if left == 1 else 'are'} left"
        assert read(shape, data[: 2 * size]) == (at, name, words)
    assert read(shape, data + "00")[:2] == (21, "")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"A": 128}, "A: 128 does not fit INT8 (-128 to 127)"),
        ({"A": True}, "A: a whole number is expected, not true"),
        ({"B": 1.0}, "B: a whole number is expected, not 1.0"),
        ({"C": 1}, "C: true or false is expected, not 1"),
        ({"D": -1}, "D: -1 does not fit UINT16 (0 to 65535)"),
        ({"E": None}, "E: a whole number is expected; it is not nullable in this version"),
        ({"F": "1", "A": 128}, "A: 128 does not fit INT8 (-128 to 127)"),
    ],
)
def test_a_value_of_a_run_that_does_not_fit(value: dict[str, Any], words: str) -> None:
    assert write(layout(RUN, 0), value) == words


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


def test_records_are_found_at_any_depth() -> None:
    deep = message(field("Rows", "[]Row", fields=[field("Held", "Held", fields=[field("Data", "records")])]))
    for version in (0, 1):
        assert has_records(layout(deep, version).fields)
        assert codec(layout(deep, version)).has_records
    assert not has_records(layout(RUN, 0).fields)
    assert not has_records(())
    compact = message(field("Id", "int8"), field("Data", "records", nullableVersions="0+"))
    assert has_records(layout(compact, 1).fields)


def test_many_messages_are_read_as_few() -> None:
    shape = layout(RUN, 0)
    made = codec(shape)
    data = made.encode({"Text": "x"})
    first = made.decode(data)
    for _ in range(2 * WORTHWHILE):
        assert made.decode(data) == first
        for wrong in (data + b"\0", data[:-1]):
            with pytest.raises(WireError):
                made.decode(wrong)
    assert made.decode_from(b"--" + data, 2) == (first, len(data) + 2)
    assert made.least == 1 + 8 + 1 + 2 + 4 + 2 + 2
