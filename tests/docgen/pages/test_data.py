"""What programs read of a site: schemas, JSON and CSV, read as others read them."""

from __future__ import annotations

import csv
import io
import json
import posixpath
from functools import cache
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.docgen.histories import own_book
from tests.profiles import examples
from wirebook.docgen.pages import contents, schemas
from wirebook.docgen.pages.tables import errors_csv
from wirebook.specs.reading.tables.errors import DescribedError

pytestmark = pytest.mark.xdist_group("book")
BASE = "https://example.org/ref/"


@cache
def downloads() -> dict[str, str]:
    return dict(contents.downloads(own_book(), BASE))


# Schemas.


@pytest.mark.parametrize("base", ["", pytest.param(BASE, marks=pytest.mark.long)])
def test_each_schema_is_published_where_its_id_says(base: str) -> None:
    files = downloads() if base else dict(schemas.published(schemas.SCHEMAS, ""))
    for name in schemas.SCHEMAS:
        place = schemas.place(name)
        schema = json.loads(files[place])
        edition = place.rpartition("/")[2].removesuffix(".json")
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == (BASE + place if base else f"urn:wirebook:schema:{name}:{edition}")
        for inner in schema.get("$defs", {}).values():
            assert inner.get("$id", "urn:").startswith("urn:"), "a reference inside needs it"


def test_a_document_names_a_schema_that_is_there_and_that_it_satisfies() -> None:
    files = downloads()
    seen = set()
    for path, text in files.items():
        document = (
            json.loads(text) if path.endswith(".json") and not path.startswith("schema/") else {}
        )
        if "schema" not in document:
            continue
        there = urljoin(urljoin(BASE, path), document["$schema"])
        assert there.startswith(BASE)
        place = there.removeprefix(BASE)
        kind = (place, posixpath.dirname(path).partition("/")[0])
        if kind in seen and not path.endswith(("/fetch.json", "releases/4.0.json")):
            continue
        seen.add(kind)
        problems = list(Draft202012Validator(json.loads(files[place])).iter_errors(document))
        assert problems == [], path
    assert {place.split("/")[1] for place, _ in seen} >= {
        "api", "vectors", "index", "snapshots", "release", "errors", "negotiation-data"
    }  # fmt: skip


# Releases.


# Tables.


def test_tables_have_what_the_pages_have() -> None:
    files = downloads()
    tables = {
        name: list(csv.reader(io.StringIO(files[f"data/{name}.csv"])))
        for name in ("errors", "tags")
    }
    assert all(len(row) == len(table[0]) for table in tables.values() for row in table)
    errors = {row[1]: row for row in tables["errors"]}
    assert errors["UNSUPPORTED_VERSION"][:3] == ["35", "UNSUPPORTED_VERSION", "false"]
    assert errors["UNKNOWN_SERVER_ERROR"][0] == "-1"
    assert [
        "1",
        "Fetch",
        "FetchRequest",
        "(top level)",
        "0",
        "ClusterId",
        "string",
        "12+",
        "in use",
    ] in tables["tags"]
    assert all("\r\n" in files[f"data/{name}.csv"] for name in (*tables, "matrix"))


@examples(0.5)
@given(st.text(), st.text(alphabet="=+-@\t\r 0189.,\"'|!A\n\uff1d\u202e"))
def test_no_cell_is_a_formula_and_every_cell_is_read_back(about: str, name: str) -> None:
    text = errors_csv(
        [DescribedError(-7, name, True, None, about, ("Fetch",), ("=cmd|' /C calc'!A0",))]
    )
    text.encode()
    head, row = csv.reader(io.StringIO(text, newline=""))
    assert len(head) == len(row)
    assert row[0] == "-7"
    assert row[4] == "'=cmd|' /C calc'!A0"
    for cell in row:
        assert cell.isprintable()
        assert (
            not cell.startswith(("=", "+", "@", "\uff1d", "\t", "\r")) or cell.lstrip("+").isdigit()
        )
        assert not cell.startswith("-") or float(cell) < 0 or float(cell) == 0
