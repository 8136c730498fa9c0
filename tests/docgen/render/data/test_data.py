"""What programs read of a site: schemas, JSON, CSV and inventories, read as others read them."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mkdocstrings import Inventory

from tests.docgen.histories import own_book
from tests.docgen.render.byte_pages import document
from tests.docgen.sites import HOSTILE
from tests.profiles import examples
from wirebook.docgen import schemas
from wirebook.docgen.catalog.records import (
    ApiDocument,
)
from wirebook.docgen.render.data.inventory import InventoryItem, _of_api, lines, read_lines, written
from wirebook.docgen.render.data.tables import errors_csv
from wirebook.docgen.render.kit.links import version_anchor
from wirebook.specs.reading.reader import read_message
from wirebook.specs.reading.tables.errors import DescribedError

pytestmark = pytest.mark.xdist_group("book")
BASE = "https://example.org/ref/"
ATOM = "{http://www.w3.org/2005/Atom}"
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@cache
def downloads() -> dict[str, str]:
    return dict(own_book().downloads(BASE))


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
        document = json.loads(text) if path.endswith(".json") and not path.startswith("schema/") else {}
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


def test_the_address_is_the_first_key_and_the_rest_of_a_document_stays() -> None:
    for text in ('{"schema":"wirebook/api/1","a":1}', '{\n  "schema": "wirebook/api/1",\n  "a": 1\n}\n'):
        made = schemas.with_address(text, "data/api/x.json", "")
        assert list(json.loads(made)) == ["$schema", "schema", "a"]
        assert json.loads(made)["$schema"] == "../../schema/api/1.json"
        assert made.endswith(text.partition('"a"')[2])
    for other in ('{"schema":"wirebook/api/99"}', '{"schema":"other/api/1"}', "[1]"):
        assert schemas.with_address(other, "x.json", BASE) == other


# Releases.


def test_a_release_has_its_versions_and_its_error_codes() -> None:
    old, new = (json.loads(downloads()[f"data/releases/{name}.json"]) for name in ("2.8", "4.0"))
    fetch = {item["api"]: item for item in new["apis"]}["Fetch"]
    assert (fetch["api_key"], fetch["served"], fetch["newest"]) == (1, "4-17", 17)
    assert fetch["data"] in downloads()
    codes = [{item["name"] for item in release["errors"]} for release in (old, new)]
    assert "UNKNOWN_TOPIC_ID" in codes[0]
    assert codes[0] < codes[1]
    assert "REBOOTSTRAP_REQUIRED" in codes[1] - codes[0]
    assert [item["api"] for item in new["changes"] if item["kind"] == "removed"] != []


# Tables.


def test_tables_have_what_the_pages_have() -> None:
    files = downloads()
    tables = {name: list(csv.reader(io.StringIO(files[f"data/{name}.csv"]))) for name in ("errors", "tags")}
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
    text = errors_csv([DescribedError(-7, name, True, None, about, ("Fetch",), ("=cmd|' /C calc'!A0",))])
    text.encode()
    head, row = csv.reader(io.StringIO(text, newline=""))
    assert len(head) == len(row)
    assert row[0] == "-7"
    assert row[4] == "'=cmd|' /C calc'!A0"
    for cell in row:
        assert cell.isprintable()
        assert not cell.startswith(("=", "+", "@", "\uff1d", "\t", "\r")) or cell.lstrip("+").isdigit()
        assert not cell.startswith("-") or float(cell) < 0 or float(cell) == 0


# The inventory.


def test_mkdocstrings_reads_the_inventory() -> None:
    items = [
        InventoryItem("api", "Fetch", "api/fetch/"),
        InventoryItem("field", "FetchRequest.MaxBytes", "api/fetch/", "v3-x", "MaxBytes"),
        InventoryItem("release", HOSTILE, "releases/"),
        InventoryItem("api", "Fetch", "elsewhere/"),
    ]
    foreign = "wirebook.api py:module 1 python/#$ -"
    content = written([foreign, *lines((item, item.page) for item in items)], "wire\nbook", "1 .0")
    read = Inventory.parse_sphinx(io.BytesIO(content))
    assert (read.project, read.version) == ("wire book", "1.0")
    assert (read["Fetch"].domain, read["Fetch"].role, read["Fetch"].uri) == ("wirebook", "api", "api/fetch/")
    assert read["FetchRequest.MaxBytes"].uri == "api/fetch/#v3-x"
    assert read["api-fetch"].domain == "std"
    assert read["wirebook.api"].uri == "python/#wirebook.api"
    assert len(read) == 7
    assert read_lines(content)[0] == foreign
    assert list(Inventory.parse_sphinx(io.BytesIO(content), domain_filter=["wirebook"])) != list(read)


def test_packed_lines_may_contain_a_line_feed() -> None:
    names = (sha256(bytes([number])).hexdigest() for number in range(256))
    packed = {line: written([line], "a", "1") for line in (f"{name} py:module 1 python/ -" for name in names)}
    found = [line for line, content in packed.items() if b"\n" in content.split(b"\n", 4)[4]]
    assert len(found) > 20
    assert all(read_lines(packed[line]) == [line] for line in found)


def three_versions() -> ApiDocument:
    """The document of a request whose versions 0 to 2 each have a field more."""
    fields = [{"name": name, "type": "int8", "versions": f"{n}+"} for n, name in enumerate("ABC")]
    spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2"}
    text = json.dumps({**spec, "flexibleVersions": "none", "fields": fields})
    return document([read_message(text, "FooRequest.json")])


@pytest.mark.parametrize(
    ("stable", "message", "fields"),
    [
        (None, 2, {"A": 2, "B": 2, "C": 2}),
        (2, 2, {"A": 2, "B": 2, "C": 2}),
        (1, 1, {"A": 1, "B": 1, "C": 2}),
        (0, 0, {"A": 0, "B": 2, "C": 2}),
    ],
)
def test_a_field_is_in_the_newest_stable_version_that_has_it(
    stable: int | None, message: int, fields: dict[str, int]
) -> None:
    items = list(_of_api(replace(three_versions(), newest_stable=stable)))
    assert [item.id for item in items if item.role == "message"] == [version_anchor(message, "request")]
    assert {item.title: item.id for item in items if item.role == "field"} == {
        name: version_anchor(version, "request", name) for name, version in fields.items()
    }


def test_only_an_api_has_its_name_in_the_inventory() -> None:
    api = replace(three_versions(), former_names=("Old",))
    assert [item.name for item in _of_api(api) if item.role == "api"] == ["Foo", "Old"]
    assert [item for item in _of_api(replace(api, kind="data")) if item.role == "api"] == []


@pytest.mark.parametrize(
    "content", [b"", b"# Sphinx inventory version 1\na\nb\nc\n", b"# Sphinx inventory version 2\n\n\n\nx"]
)
def test_what_is_no_inventory_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"inventory|decompressing"):
        read_lines(content)
