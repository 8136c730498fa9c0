"""The rows of the typed search, computed from small catalogs; the index of our site has its own tests."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.docgen.histories import field, inputs, request, response
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.search.typed import SUBJECTS, TypedIndex, typed_index
from wirebook.specs.kafka.aliases import all_aliases
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.texts.model import folded


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Four releases of an API, and a message of another kind that goes."""

    def foo(valid: str, **more: object) -> list[dict[str, Any]]:
        tag = field("Tag", tag=3, taggedVersions="2+", versions="2+")
        old = field("Old", versions="0")
        asked = request("Foo", 1, valid, field("A"), old, tag, flexibleVersions="2+", **more)
        item = field("B", "[]In", fields=[field("C", "string")])
        return [asked, response("Foo", 1, valid, item, flexibleVersions="2+")]

    bar = {"type": "data", "name": "Bar", "validVersions": "0", "flexibleVersions": "none"}
    marked = foo("0-3", deprecatedVersions="0", latestVersionUnstable=True)
    more = [*marked, {**bar, "fields": [field("D")]}]
    folder = tmp_path_factory.mktemp("catalog")
    build(inputs({"1.0.0": foo("0-1"), "1.1.0": more, "1.2.0": more, "2.0.0": foo("1-3")}), folder)
    return Catalog.open(folder)


def documents(catalog: Catalog) -> list[ApiDocument]:
    """The documents of the catalog."""
    return [catalog.api(item.api) for item in catalog.index]


def things(index: TypedIndex, *kinds: str) -> list[list[Any]]:
    """The rows of things of some kinds, without the kind."""
    return [row[1:] for row in (thing.row() for thing in index.things) if row[0] in kinds]


def test_apis_and_fields_have_what_their_addresses_need(catalog: Catalog) -> None:
    index = typed_index(documents(catalog), catalog.snapshots)
    assert [(api["name"], api["page"], api["names"], api["served"]) for api in index.apis] == [
        (
            "Foo",
            "api/foo/",
            ["FooRequest", "FooResponse"],
            [[0, 0, "0–1"], [1, 2, "0–2; 0 deprecated; 3 unstable"], [3, 3, "1–3"]],
        ),
        ("Bar", "api/bar/", [], [[1, 2, "0"]]),
    ]
    assert [(api.get("key"), api.get("kind"), api.get("gone"), api.get("errors")) for api in index.apis] == [
        (1, None, None, None),
        (None, "data", 1, None),
    ]
    assert index.apis[0]["versions"] == [[3, ""], [2, ""], [1, ""], [0, "removed."]]
    assert index.fields == [
        [0, 0, "A", 3, "int32", "0+"],
        [0, 0, "Tag", 3, "int32", "2+", 3],
        [0, 0, "Old", 0, "int32", "0"],
        [0, 1, "B", 3, "[]In", "0+"],
        [0, 1, "B.C", 3, "string", "0+"],
        [1, 2, "D", 0, "int32", "0+"],
    ]
    assert index.snapshots[1] == ["1.1.0", "releases/1.1.0/"]
    assert {"api/foo/", "releases/2.0.0/", "rules/tag-reused/"} <= index.addresses()


def test_an_api_without_a_key_with_errors_and_scattered_versions(catalog: Catalog) -> None:
    (foo, _), snapshots = documents(catalog), list(catalog.snapshots)
    served = replace(snapshots[1].apis["foo"], served="none", deprecated=(0, 2), unstable=(3, 4, 5))
    snapshots[1] = replace(snapshots[1], apis={"foo": served})
    changed = replace(foo, api_key=None, errors=("X",), purpose="First.\n\nSecond. Third.")  # type: ignore[arg-type]
    (row,) = typed_index([changed], snapshots).apis
    assert (row["key"], row["errors"], row["about"]) == (-1, 1, "First")
    assert row["served"][1] == [1, 1, "; 0, 2 deprecated; 3–5 unstable"]


def test_proposals_and_issues_are_found_by_what_names_them(catalog: Catalog) -> None:
    foo, bar = documents(catalog)
    versions = tuple(
        replace(item, about="For KIP-1 and KIP-1." if item.version in (1, 2) else "") for item in foo.versions
    )
    told = replace(foo, versions=versions, purpose="See KIP-1.", pitfalls=("KAFKA-7 and KIP-35.", "KIP-35."))
    index = typed_index([told, replace(bar, purpose="KIP-35.")], catalog.snapshots)
    about = "For KIP-1 and KIP-1."
    assert things(index, "kip", "issue") == [
        ["KIP-1: Foo 1", "api/foo/", "v1", about, ["KIP-1"], 30],
        ["KIP-1: Foo 2", "api/foo/", "v2", about, ["KIP-1"], 30],
        ["KAFKA-7: Foo", "api/foo/", "", "KAFKA-7 and KIP-35.", ["KAFKA-7"], 10],
        ["KIP-35: Foo", "api/foo/", "", "KAFKA-7 and KIP-35.", ["KIP-35"], 10],
        ["KIP-35: Bar", "api/bar/", "", "KIP-35.", ["KIP-35"], 10],
    ]


def test_errors_are_found_by_their_code_and_former_names() -> None:
    error = DescribedError(6, "NEW_NAME", True, None, "It moved.")
    index = typed_index([], [], [replace(error, former_names=("OLD_NAME",)), replace(error, retriable=False)])
    assert things(index, "error") == [
        [
            "NEW_NAME (6)",
            "errors/",
            "new-name",
            "Retriable, formerly OLD_NAME. It moved.",
            ["NEW_NAME", "error 6", "OLD_NAME"],
            20,
        ],
        ["NEW_NAME (6)", "errors/", "new-name", "Not retriable. It moved.", ["NEW_NAME", "error 6"], 20],
    ]


def test_pages_are_found_by_title_headings_and_what_they_name() -> None:
    index = TypedIndex(with_subjects=False)
    index.add_page("Upgrading KIP-9", "a/", [("Head", "h")], "Detail", "KIP-9, KIP-2, KAFKA-3 and KIP-2")
    assert [thing.row() for thing in index.things] == [
        ["page", "Upgrading KIP-9", "a/", "", "Detail", ["Upgrading KIP-9", "Upgrade KIP-9"], 50],
        ["page", "Head", "a/", "h", "Upgrading KIP-9", ["Head", "h"], 10],
        ["kip", "KIP-9: Upgrading KIP-9", "a/", "", "", ["KIP-9"], 5],
        ["kip", "KIP-2: Upgrading KIP-9", "a/", "", "", ["KIP-2"], 5],
        ["issue", "KAFKA-3: Upgrading KIP-9", "a/", "", "", ["KAFKA-3"], 5],
    ]


def test_the_page_of_a_proposal_is_the_proposal() -> None:
    index = TypedIndex(with_subjects=False)
    index.add_page("KIP-35: Versions", "kip-35/", [], "Detail", "KIP-35 and KIP-2")
    index.add_page("KAFKA-4", "issue/", [], "", "KAFKA-4 and KIP-2")
    assert [thing.row() for thing in index.things] == [
        ["kip", "KIP-35: Versions", "kip-35/", "", "Detail", ["KIP-35: Versions", "KIP-35"], 50],
        ["page", "KAFKA-4", "issue/", "", "", ["KAFKA-4", "KAFKA-4"], 50],
        ["kip", "KIP-2: KAFKA-4", "issue/", "", "", ["KIP-2"], 5],
    ]
    index.add_page("A" * 130, "long/", [], "", "")
    assert index.things[-1].row()[1] == "A" * 119 + "…"
    index.add_page("A" * 120, "long/", [], "", "")
    assert index.things[-1].row()[1] == "A" * 120
    urls = {"kip-35/": "k", "long/": "l"}
    written = index.as_json(urls)
    assert [written["pages"][row[1]] for rows in written["things"].values() for row in rows] == [
        "k",
        "l",
        "l",
    ]


def test_a_subject_has_no_name_of_another_subject_and_no_alias() -> None:
    subjects = json.loads(SUBJECTS.read_text(encoding="utf-8"))
    names = [name for subject in subjects for name in {folded(name) for name in subject["names"]}]
    assert len(set(names)) == len(names)
    assert set(names) & {folded(alias.name) for alias in all_aliases()} == set()
