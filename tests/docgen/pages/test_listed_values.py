"""The values and flags that specs list, on pages and in the data of the site, from a real
catalog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.without_spark import catalog
from tests.repositories import Repo
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import pages
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.schemas import read_schema
from wirebook.specs.json_records import from_json, to_json


def value(number: int, name: str, **more: object) -> dict[str, object]:
    return {"value": number, "name": name, "about": f"It is <{name}>.", **more}


def spec(*values: dict[str, object], top: int = 0) -> dict[str, Any]:
    flags = [{"bit": 0, "name": "urgent"}, {"bit": 3, "name": "durable", "versions": "1+"}][
        : top + 1
    ]
    return {
        "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": f"0-{top}",
        "flexibleVersions": "none", "fields": [
            {"name": "Mode", "type": "int8", "versions": "0+", "about": "The mode.", "values": values},
            {"name": "Options", "type": "uint16", "versions": "0+", "about": "Options.", "flags": flags},
        ],
    }  # fmt: skip


RELEASES = [
    spec(value(0, "safe"), value(1, "quick"), value(2, "never")),
    spec(
        value(0, "safe"),
        value(1, "fast", formerNames=["quick"]),
        value(2, "never", deprecatedVersions="0+"),
    ),
    spec(
        value(0, "safe"),
        value(1, "fast", formerNames=["quick"]),
        value(3, "fair", versions="1+"),
        top=1,
    ),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    folder = tmp_path_factory.mktemp("values")
    repo = Repo(folder / "repo")
    for number, release in enumerate(RELEASES):
        repo.spec(release, "messages")
        repo.commit()
        repo.git("tag", f"1.{number}.0")
    source = str(repo.folder)
    return Book.open(catalog(folder / "catalog", source=source, history=source, releases="*"))


@pytest.fixture(scope="module")
def page(book: Book) -> Page:
    return next(page for page in pages(book) if page.path == "api/foo/")


def test_values_know_the_releases_that_changed_them(book: Book) -> None:
    (document,) = book.documents
    mode, options = document.messages[0].fields
    assert [
        (each.name, each.since, each.deprecated_since, each.removed_in)
        for each in mode.values.listed
    ] == [
        ("safe", "", "", ""),
        ("fast", "", "", ""),
        ("fair", "1.2.0", "", ""),
        ("never", "", "1.1.0", "1.2.0"),
    ]
    assert [(each.bit, each.value, each.since) for each in options.values.listed] == [
        (0, 1, ""),
        (3, 8, "1.2.0"),
    ]


def test_the_document_has_its_schema(book: Book) -> None:
    (document,) = book.documents
    written = json.loads(json.dumps(to_json(document)))
    assert from_json(ApiDocument, written) == document
    schema = read_schema("api")
    listed = {**schema["$defs"]["FieldValues"], "$defs": schema["$defs"]}
    for field in written["messages"][0]["fields"]:
        assert list(Draft202012Validator(listed).iter_errors(field["values"])) == []


def test_a_page_shows_them_with_their_history(page: Page) -> None:
    newest = page.html[page.html.index('id="v1"') : page.html.index('id="v0"')]
    assert "<dt>0</dt><dd><b>safe</b> It is &lt;safe&gt;.</dd>" in newest
    assert "It is &lt;fast&gt;. <small>formerly quick</small>" in newest
    assert "It is &lt;fair&gt;. <small>versions 1+; added in 1.2.0</small>" in newest
    assert "<small>deprecated since 1.1.0; removed in 1.2.0</small>" in newest
    assert (
        "<dt>bit 3</dt><dd><b>durable</b> <small>versions 1+; added in 1.2.0</small></dd>" in newest
    )
    assert "bit 3" not in page.html[page.html.index('id="v0"') :]


def table(*values: dict[str, Any]) -> str:
    """A table of values of a profile, for a mode whose specs list none."""
    rows = [
        {"value": each["value"], "name": each["name"], "meaning": each["about"]}
        | ({"deprecated": True} if "deprecatedVersions" in each else {})
        | ({"former_names": each["formerNames"]} if "formerNames" in each else {})
        for each in values
    ]
    fields = ["FooRequest.Mode"]
    sets = [{"fields": fields, "values": rows, "others": "Modes of plugins."}]
    return json.dumps({"schema": "wirebook/values/1", "sets": sets})


def test_a_table_of_the_profile_is_shown_like_values_in_specs(tmp_path: Path, book: Book) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write("wirebook.toml", 'name = "foo"\n[tables]\nvalues = "facts/values.json"\n')
    for number, release in enumerate(RELEASES):
        mode, options = release["fields"]
        plain = {key: each for key, each in mode.items() if key != "values"}
        repo.spec({**release, "fields": [plain, options]}, "messages")
        repo.write("facts/values.json", table(*mode["values"]))
        repo.commit()
        repo.git("tag", f"1.{number}.0")
    source = str(repo.folder)
    own = Book.open(catalog(tmp_path / "catalog", source=source, history=source, releases="*"))
    (document,), (like,) = own.documents, book.documents
    mode, options = document.messages[0].fields
    expected = [to_json(each) for each in like.messages[0].fields[0].values.listed]
    listed = [to_json(each) for each in mode.values.listed]
    assert [each["name"] for each in listed] == ["safe", "fast", "fair", "never"]
    assert [without_versions(each) for each in listed] == [
        without_versions(each) for each in expected
    ]
    assert mode.values.others == "Modes of plugins."
    assert options.values == like.messages[0].fields[1].values, "the spec lists them"
    page = next(page for page in pages(own) if page.path == "api/foo/")
    assert "It is &lt;fast&gt;. <small>formerly quick</small>" in page.html
    assert "<small>deprecated since 1.1.0; removed in 1.2.0</small>" in page.html


def without_versions(document: dict[str, Any]) -> dict[str, Any]:
    """A value; one of a table is deprecated in all versions, and has those of its table."""
    return {key: each for key, each in document.items() if key not in ("versions", "deprecated")}
