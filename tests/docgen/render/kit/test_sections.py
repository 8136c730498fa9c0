"""What is shown of each version: which comes first, and which has the table of an older one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.docgen.histories import Spec, field, inputs, request, response, text_of
from tests.docgen.render.agreement import plain
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.inputs import Inputs
from wirebook.docgen.pipeline.older_releases import DistinctText
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.bytes.pages import version_pages
from wirebook.docgen.render.kit.links import Ids
from wirebook.docgen.render.kit.sections import PageSection, PartIds, _changes, version_sections
from wirebook.specs.sources.source import digest_of


def made(folder: Path, *specs: Spec) -> ApiDocument:
    """The document of an API that one release has."""
    build(inputs({"1.0.0": list(specs)}), folder)
    return next(iter(Catalog.open(folder).apis()))


def sections(folder: Path, *specs: Spec) -> dict[int, PageSection]:
    return {each.number: each for each in version_sections(made(folder, *specs), Ids())}


def test_a_table_is_shown_once_for_neighbours_that_share_it(tmp_path: Path) -> None:
    spec = request("Foo", 1, "0-6", field("A"), field("B", versions="2+"), flexibleVersions="5+")
    found = sections(tmp_path, spec)
    assert list(found) == [6, 5, 4, 3, 2, 1, 0]
    assert {number: each.parts[0].same_as for number, each in found.items()} == {
        # The newest is always shown.
        6: None, 5: None, 4: 2, 3: 2, 2: None, 1: 0, 0: None,
    }  # fmt: skip
    assert [each.number for each in found.values() if each.open] == [6]
    assert {number: each.previous for number, each in found.items()} == {
        6: 5, 5: 4, 4: 3, 3: 2, 2: 1, 1: 0, 0: None,
    }  # fmt: skip


def test_the_newest_stable_version_comes_first(tmp_path: Path) -> None:
    spec = request("Foo", 1, "0-2", field("A"), latestVersionUnstable=True)
    document = made(tmp_path, spec)
    found = version_sections(document, Ids())
    assert [(each.number, each.open) for each in found] == [(1, True), (2, False), (0, False)]


def test_without_a_stable_version_the_newest_is_shown(tmp_path: Path) -> None:
    document = made(tmp_path, response("Foo", 1, "0", field("A"), latestVersionUnstable=True))
    assert document.newest_stable is None
    assert [each.open for each in version_sections(document, Ids())] == [True]


def test_a_text_that_messages_share_is_said_once() -> None:
    def part(title: str, about: str, *notes: str) -> Any:
        return SimpleNamespace(title=title, version=SimpleNamespace(about=about, notes=notes))

    request, response = part("Request", "Both."), part("Response", "", "Both.")
    assert _changes([]) == []
    assert _changes([part("Request", "")]) == []
    assert _changes([request, response]) == [("", "Both.")]
    assert _changes([request, part("Response", "")]) == [("", "Both.")]
    assert _changes([request, part("Response", "", "Two", "notes.")]) == [
        ("Request", "Both."), ("Response", "Two notes."),
    ]  # fmt: skip


def noted(*specs: tuple[Spec, str]) -> Inputs:
    """A source whose specs have a comment each."""
    texts = {}
    for spec, comment in specs:
        text = b"{\n" + f"// {comment}\n// Version 2 is the same.\n".encode() + text_of(spec)[1:]
        texts[digest_of(text)] = DistinctText(f"{spec['name']}.json", text)
    files = [SnapshotFile(0, path, digest) for digest, (path, _) in texts.items()]
    paths = {digest: path for digest, (path, _) in texts.items()}
    here = (CatalogSnapshot(0, "own", "source", None, True),)
    return Inputs(here, files, texts, "own", paths, None, None, (), {"source": {}})


def test_what_messages_say_of_a_version_has_their_names_where_it_differs(tmp_path: Path) -> None:
    asked = request("Foo", 1, "0-2", field("A")), "Version 1 asks # more."
    answered = response("Foo", 1, "0-2", field("B")), "Version 1 answers more."
    build(noted(asked, answered), tmp_path)
    document = next(iter(Catalog.open(tmp_path).apis()))
    found = {each.number: each.changes for each in version_sections(document, Ids())}
    assert found == {
        2: [("", "Version 2 is the same.")],
        1: [("Request", "Version 1 asks # more."), ("Response", "Version 1 answers more.")],
        0: [],
    }
    pages = {page.path: page for page in version_pages(document)}
    assert "Request: Version 1 asks # more." in " ".join(plain(str(pages["api/foo/v1/"].html)).split())


def test_a_field_of_a_shared_struct_has_the_versions_of_its_place(tmp_path: Path) -> None:
    spec = request(
        "Foo",
        1,
        "0-3",
        field("Old", "[]Part", versions="0-1"),
        field("New", "[]Part", versions="2+"),
        commonStructs=[{"name": "Part", "versions": "0+", "fields": [field("Index")]}],
    )
    rows = {row.id: row.versions for row in sections(tmp_path, spec)[3].parts[0].rows}
    assert (rows["v3-new"], rows["v3-new-index"]) == ("2+", "2+")


def test_links_to_fields_have_the_ids_that_the_page_gives_them(tmp_path: Path) -> None:
    """Names that differ only in case, and those that are called like a part of the page, share an id."""
    fields = [field("Text"), field("TEXT"), field("Response"), field("Tags", versions="1+")]
    document = made(
        tmp_path,
        request("Foo", 1, "0-1", *fields, flexibleVersions="0+"),
        response("Foo", 1, "0-1", field("Text"), flexibleVersions="0+"),
    )
    ids = PartIds(document)
    assert ids.of(1, "request", "Text") == "v1-text"
    assert ids.of(1, "request", "TEXT") == "v1-text-2"
    assert ids.of(1, "response") == "v1-response-2"
    for section in version_sections(document, Ids()):
        for part in section.parts:
            number, kind = section.number, part.message.type
            assert ids.of(number, kind) == part.id
            paths = {row.field.path: row.id for row in part.rows if row.field is not None}
            assert {path: ids.of(number, kind, path) for path in paths} == paths


def test_a_table_that_is_not_repeated_leads_to_the_id_of_the_one_that_is(tmp_path: Path) -> None:
    document = made(
        tmp_path,
        request("Foo", 1, "0-2", field("Response", versions="1+")),
        response("Foo", 1, "0-2", field("A")),
    )
    parts = {each.number: each.parts[1] for each in version_sections(document, Ids())}
    assert (parts[1].id, parts[1].same_as, parts[1].same_id) == ("v1-response-2", 0, "v0-response")
