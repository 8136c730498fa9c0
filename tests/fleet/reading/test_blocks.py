"""A log that Spark splits into blocks counts like one that is read as a whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fleet.logs import container_log, kafka_line
from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading.blocks import Block, blocks_read, identified, joined
from wirebook.fleet.reading.objects import StoredObject, check_texts, is_address, unread
from wirebook.fleet.reading.progress import beginning_at
from wirebook.fleet.reading.reading import Read, read_lines
from wirebook.specs.problems import InputError


def whole(lines: list[bytes]) -> Read:
    """What one process reads."""
    read = Read()
    read_lines([b"\n".join(lines)], "a.log", read)
    return read


@given(st.lists(st.integers(0, 26), max_size=4), st.integers(1, 9))
def test_lines_split_between_blocks_are_joined(cuts: list[int], batch: int) -> None:
    lines = container_log()
    expected = whole(lines)
    ends = sorted({0, *cuts, len(lines)})
    counting, read, edges = Counting(), Read(), []
    beginning = b""
    for start, end in pairwise(ends):
        block = Block("a.log", start, Read(counting))
        for at in range(start, end, batch):
            block.add(lines[at : min(at + batch, end)])
        read.add_lines(block.read)
        edges.append((block.head, block.rest))
        beginning += block.beginning
    rest = Read(counting)
    joined("a.log", edges, rest)
    read.add_lines(rest)
    assert beginning == b"\n".join((*lines, b""))
    assert sorted(counting) == sorted(expected.counting)
    assert (read.forms, read.skipped, read.samples) == (expected.forms, expected.skipped, expected.samples)


def test_a_batch_may_have_lines_of_several_files() -> None:
    blocks: dict[tuple[str, int], Block] = {}
    rows = [("a.log", 0, kafka_line()), ("b.log", 0, kafka_line(version=3)), ("b.log", 0, b"junk")]
    blocks_read(rows, Counting(), blocks)
    assert {path: block.read.lines for (path, _), block in blocks.items()} == {"a.log": 1, "b.log": 2}


def test_what_spark_reads_as_lines_must_be_a_log() -> None:
    with pytest.raises(InputError, match="is compressed"):
        identified(b"\x1f\x8b\x08\x00", "s3a://b/a.log")
    with pytest.raises(InputError, match="copy metrics"):
        identified(b"# HELP kafka_x\n", "s3a://b/a.prom")
    assert identified(b"a\n", "s3a://b/a.log").prefix != identified(b"b\n", "s3a://b/a.log").prefix


def test_a_file_at_an_address_counts_once() -> None:
    first = replace(beginning_at("s3a://b/a", b"x"), size=10, modified=1)
    new = StoredObject("s3a://b/b", 10, 1)
    assert unread([new, new, StoredObject("s3a://b/a", 10, 1)], [first]) == [new]
    with pytest.raises(InputError, match="has changed since it was read"):
        unread([StoredObject("s3a://b/a", 11, 1)], [first])
    copies = [replace(first, path=path) for path in ("s3a://b/a", "s3a://b/b")]
    for others in (copies[:1], copies):
        with pytest.raises(InputError, match="s3a://b/b: has the same text as s3a://b/a"):
            check_texts(copies, others)
    check_texts(copies, [beginning_at("s3a://b/c", b"y")])
    empty = [beginning_at("s3a://b/a"), beginning_at("s3a://b/b")]
    check_texts(empty, empty)
    assert [is_address(name) for name in ("s3a://b/a", "file:///a", "/a", "a:b")] == [
        True,
        False,
        False,
        False,
    ]
