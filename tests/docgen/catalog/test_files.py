"""The files of a catalog: what is written is read again, and equal values are equal bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from wirebook.docgen.catalog import files
from wirebook.docgen.catalog.records import FieldChange, NewsItem
from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.versions import VersionSet


def test_a_document_is_compact_and_ends_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.json"
    for _ in range(2):
        files.write_json(path, {"b": [1, None], "a": "é\ud800"})
        assert path.read_bytes() == '{"b":[1,null],"a":"é\\ud800"}\n'.encode()


@dataclass(frozen=True)
class Place:
    path: str
    line: int | None


class Row(NamedTuple):
    n: int
    text: str | None
    numbers: tuple[int, ...]
    place: Place | None
    other: Any


def test_a_table_has_the_types_of_its_columns(tmp_path: Path) -> None:
    rows = [Row(1, None, (2,), Place("a", None), object()), Row(2, "x", (), None, None)]
    files.write_table(tmp_path, "t", Row, rows)
    found = pq.read_table(tmp_path / "tables" / "t.parquet")
    assert found.to_pylist() == [
        {"n": 1, "text": None, "numbers": [2], "place": {"path": "a", "line": None}},
        {"n": 2, "text": "x", "numbers": [], "place": None},
    ]
    types = ["int64", "string", "list<element: int64>", "struct<path: string, line: int64>"]
    assert [str(field.type) for field in found.schema] == types


# Records


NEWS = {"slug": "foo", "api": "Foo", "versions": "0-2"}


def test_versions_are_texts_of_ranges() -> None:
    item = from_json(NewsItem, dict(NEWS))
    assert item.versions == VersionSet.parse("0-2")
    assert to_json(item) == NEWS
    assert from_json(NewsItem, NEWS | {"versions": ""}).versions == VersionSet.NONE


@pytest.mark.parametrize(
    "changes",
    [{"versions": 7}, {"versions": "3-"}, {"fields": [{"event": "added"}]}, {"fields": ["x"]}],
)
def test_what_is_no_record_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        from_json(NewsItem, NEWS | changes)


def test_what_is_not_there_has_no_key() -> None:
    assert to_json(FieldChange("added", "", "A")) == {"event": "added", "message": "", "path": "A"}
    full = {"event": "default", "message": "request", "path": "A", "old": "1", "new": "2"}
    assert to_json(from_json(FieldChange, full)) == full
