"""Entries one after another: where each begins and ends, and what is said of one that is not intact."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.records.batch import write_batch
from wirebook.specs.wire.records.entries import read_entries, split, write_entries
from wirebook.specs.wire.records.model import Batch, Damaged, Record, RecordHeader

ONE = Batch(records=(Record(1, 2, b"k", b"vv", (RecordHeader(b"h", b"x"),), -3),))


@pytest.mark.parametrize(
    ("data", "entries"),
    [
        (b"", []),
        (bytes(11), [(0, 61, None)]),
        (bytes(12), [(0, 12, "byte 8: a length of 0 is too small")]),
        (bytes(8) + b"\0\0\0\x0d" + bytes(4), [(0, 16, "byte 8: a length of 13 is too small")]),
        (bytes(8) + b"\0\0\0\x0e" + bytes(4), [(0, 26, None)]),
        (bytes(8) + b"\0\0\0\x15" + bytes(4) + b"\1", [(0, 17, "byte 8: a length of 21 is too small")]),
        (bytes(8) + b"\0\0\0\x16" + bytes(4) + b"\1", [(0, 34, None)]),
        (bytes(8) + b"\0\0\0\x30" + bytes(4) + b"\2", [(0, 17, "byte 8: a length of 48 is too small")]),
        (bytes(8) + b"\0\0\0\x31" + bytes(4) + b"\2", [(0, 61, None)]),
        (
            bytes(8) + b"\0\0\0\x0e" + bytes(4) + b"\3",
            [(0, 17, "byte 16: magic 3 is not known; 2 is the last")],
        ),
        (bytes(8) + b"\0\0\0\x0d" + bytes(4) + b"\3", [(0, 17, "byte 8: a length of 13 is too small")]),
        (
            bytes(8) + b"\0\0\0\x0e" + bytes(4) + b"\3" + bytes(9) + bytes(3),
            [(0, 26, "byte 16: magic 3 is not known; 2 is the last"), (26, 87, None)],
        ),
    ],
)
def test_where_entries_begin_and_end(data: bytes, entries: list[tuple[int, int, str | None]]) -> None:
    found = [(start, end, None if wrong is None else str(wrong)) for start, end, wrong in split(data)]
    assert found == entries


def test_the_place_of_an_error_is_that_in_all_bytes() -> None:
    data = write_batch(ONE)
    wrong = data[:-1] + b"y"
    first, second = read_entries(data + wrong)
    assert first == ONE
    assert isinstance(second, Damaged)
    assert second.error.startswith(f"byte {len(data) + 17}: CRC-32C is ")
    assert (second.data, second.cut) == (wrong, False)


@pytest.mark.parametrize(
    ("size", "words", "is_decoded"),
    [
        (1, "the bytes end after 1 byte of a batch", False),
        (11, "the bytes end after 11 bytes of a batch", False),
        (12, "the bytes end after 12 of 75 bytes of a batch", False),
        (17, "the bytes end after 17 of 75 bytes of a batch", False),
        (61, "the bytes end after 61 of 75 bytes of a batch", True),
        (74, "the bytes end after 74 of 75 bytes of a batch", True),
    ],
)
def test_a_batch_that_is_cut_off(size: int, words: str, is_decoded: bool) -> None:
    data = write_entries([ONE])
    assert len(data) == 75
    [found] = read_entries(data[:size])
    assert isinstance(found, Damaged)
    assert (found.error, found.cut, found.data) == (words, True, data[:size])
    assert (found.decoded is not None) is is_decoded
