"""The page on record batches: its marks are filled, its numbers are the codec's, its links lead somewhere."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from tests.support import ROOT
from wirebook.docgen.catalog.rows import slug_of
from wirebook.docgen.render.bytes import chapters, group_chapter, record_chapter, record_vectors
from wirebook.docgen.render.bytes.batches import batch, message, records
from wirebook.specs.kafka.control_records import MESSAGES
from wirebook.specs.kafka.registry import embedded_paths
from wirebook.specs.wire.records.batch import HEADER
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.model import Batch, Damaged

PAGE = (ROOT / "site_src" / "records.md").read_text(encoding="utf-8")
INSERTS = record_chapter.inserts()


def rows(name: str) -> list[list[str]]:
    """The cells of each row of a table, without markup."""
    found = re.findall(r"<tr[^>]*>(.*?)</tr>", INSERTS[name], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in found]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in cells][1:]


def test_every_mark_is_filled_and_every_insert_used() -> None:
    assert set(re.findall(r"<!-- wirebook: ([\w-]+) -->", PAGE)) == set(INSERTS)
    assert all(INSERTS.values())


def test_the_examples_are_sound() -> None:
    for data in (batch(), message(0), message(1), *(records(magic) for magic in (0, 1, 2))):
        assert not any(isinstance(entry, Damaged) for entry in read_entries(data))


def test_the_tables_of_fields_cover_every_byte_of_the_header_and_every_part_of_a_record() -> None:
    at = 0
    for name, _, size, place, about in rows("records-batch-fields"):
        assert (name, int(place)) == (name, at)
        assert about
        at += int(size)
    assert at == HEADER
    parts = [row[0] for row in rows("records-record-fields")]
    assert parts == [
        "(length)", "Attributes", "TimestampDelta", "OffsetDelta", "Key", "Value",
        "Headers", "Headers.Key", "Headers.Value",
    ]  # fmt: skip


def test_the_parameters_of_the_checksum_compute_it() -> None:
    values = dict(rows("records-crc32c"))
    polynomial, reflected, _, initial, final, check = values.values()
    assert f"{int(polynomial, 16):032b}" == f"{int(reflected, 16):032b}"[::-1]
    register = int(initial, 16)
    for byte in b"123456789":
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (int(reflected, 16) if register & 1 else 0)
    assert f"{register ^ int(final, 16):08x}" == check == "e3069283"


def test_the_formats_are_those_of_the_versions_of_produce_and_fetch() -> None:
    assert [row[3:5] for row in rows("records-formats")] == [["0-1", "0-1"], ["2", "2-3"], ["3+", "4+"]]


def test_each_line_of_a_corrupt_batch_is_reported_but_for_its_offset() -> None:
    said = {row[0]: row[2] for row in rows("records-corrupt")}
    assert {name for name, text in said.items() if text.startswith("nothing")} == {"A bit of the base offset"}
    assert said["A bit of a value"].startswith("byte 17: CRC-32C is ")


def test_offsets_within_a_compressed_message_come_from_the_outer_one() -> None:
    found = INSERTS["records-wrapper"]
    assert re.findall(r"<td>(\d+) \+ (\d+) = (\d+)</td>", found) == [
        ("1042", "0", "1042"),
        ("1042", "1", "1043"),
        ("1042", "2", "1044"),
    ]


def test_each_control_record_is_shown_as_java_writes_it() -> None:
    for number, (found, name, value, about) in enumerate(rows("records-control-types")):
        [entry] = read_entries(record_vectors.vector(name))
        assert isinstance(entry, Batch)
        [record] = entry.records
        assert (int(found), record.key) == (number, b"\0\0" + number.to_bytes(2, "big"))
        assert record.value is not None
        assert value == MESSAGES[name] + record.value.hex(" ")
        assert about


@pytest.mark.parametrize("chapter", sorted({c for cs in chapters.ALL.values() for c in cs}))
def test_chapters_are_pages_and_their_anchors_headings(chapter: chapters.Chapter) -> None:
    path, _, anchor = chapter.path.partition("#")
    text = (ROOT / "site_src" / f"{path.strip('/')}.md").read_text(encoding="utf-8")
    assert not anchor or f"{{ #{anchor} }}" in text


@pytest.mark.parametrize("inserts", [INSERTS, group_chapter.inserts()])
def test_links_to_messages_lead_to_their_pages(inserts: dict[str, str]) -> None:
    known = {slug_of(path.stem) for path in embedded_paths()}
    linked = set(re.findall(r'href="../api/([a-z-]+)/"', "".join(inserts.values())))
    assert linked
    assert linked <= known


def test_a_batch_as_json_is_indented_by_a_space() -> None:
    (text,) = re.findall(r"<code[^>]*>(.*?)</code>", record_chapter.inserts()["records-json"], re.DOTALL)
    shown = unescape(re.sub("<[^>]+>", "", text))
    lines = shown.strip().split("\n")
    assert json.loads(shown)[0]["Records"]
    assert shown.strip() == json.dumps(json.loads(shown), indent=1)
    assert len(lines) > 10
