"""Reading and writing step by step: counts at their limits, markers, and the path of each error."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message, varint
from tests.specs.wire.stepping import read, write
from wirebook.specs.limits import MAX_EMPTY
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import WireError
from wirebook.specs.wire.shape import has_records

NOTHING = message(field("Rows", "[]Row", fields=[field("Later", "int8", "2+")]), flexible="none")
RUN = message(
    field("A", "int8"), field("B", "int64"), field("C", "bool"), field("D", "uint16"), field("E", "uint32"),
    field("Text", "string"), field("F", "int16"), flexible="none",
)  # fmt: skip
PAIRS = message(field("Pairs", "[]Pair", fields=[field("A", "int16"), field("B", "string")]), flexible="1+")


def test_elements_without_a_byte_have_a_limit() -> None:
    shape = layout(NOTHING, 0)
    most = MAX_EMPTY
    assert len(read(shape, f"{most:08x}")["Rows"]) == most
    assert read(shape, f"{most + 1:08x}") == (0, "Rows", "16385 elements without bytes; the limit is 16384")
    # Elements with bytes have none.
    many = layout(message(field("Ids", "[]int8"), flexible="none"), 0)
    assert len(read(many, f"{most + 1:08x}" + "00" * (most + 1))["Ids"]) == most + 1


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


def test_records_are_found_at_any_depth() -> None:
    deep = message(field("Rows", "[]Row", fields=[field("Held", "Held", fields=[field("Data", "records")])]))
    for version in (0, 1):
        assert has_records(layout(deep, version).fields)
        assert codec(layout(deep, version)).has_records
    assert not has_records(layout(RUN, 0).fields)
    assert not has_records(())
    compact = message(field("Id", "int8"), field("Data", "records", nullableVersions="0+"))
    assert has_records(layout(compact, 1).fields)


def test_a_message_ends_where_its_bytes_do() -> None:
    shape = layout(RUN, 0)
    made = codec(shape)
    data = made.encode({"Text": "x"})
    first = made.decode(data)
    for wrong in (data + b"\0", data[:-1]):
        with pytest.raises(WireError):
            made.decode(wrong)
    assert made.decode_from(b"--" + data, 2) == (first, len(data) + 2)
    assert made.least == 1 + 8 + 1 + 2 + 4 + 2 + 2
