"""The documents of an edit are those that the whole pipeline makes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.histories import repository
from tests.docgen.site_requests import site_request
from tests.docgen.without_spark import catalog
from tests.repositories import request, response
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.edited import EditedDocuments
from wirebook.docgen.request import BuildRequest
from wirebook.specs.problems import InputError


def write(folder: Path, spec: dict[str, Any], **changes: object) -> None:
    (folder / f"{spec['name']}.json").write_text(json.dumps({**spec, **changes}))


def named(spec: dict[str, Any], name: str, key: int) -> dict[str, Any]:
    return {**spec, "name": f"{name}{spec['type'].capitalize()}", "apiKey": key}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for spec in (request(), response()):
        for name, key in (("Alpha", 900), ("Beta", 901)):
            write(folder, named(spec, name, key))
    return folder


def documents(request: BuildRequest) -> dict[str, ApiDocument]:
    return {document.api: document for document in Catalog.open(request.catalog).apis()}


@pytest.mark.parametrize(
    "changes",
    [
        {"about": "Another purpose."},
        {"validVersions": "0-9", "deprecatedVersions": "0"},
        {"fields": [{"name": "New", "type": "int8", "versions": "1+", "about": "A new one."}]},
    ],
    ids=["text", "versions", "fields"],
)
def test_an_edit_gives_the_document_of_the_whole_catalog(
    source: Path, tmp_path: Path, changes: dict[str, object]
) -> None:
    first = replace(site_request(source), catalog=catalog(tmp_path / "first", source=str(source)))
    edited = EditedDocuments(first)
    assert edited.changed() == []
    write(source, named(request(), "Alpha", 900), **changes)
    (document,) = edited.changed()
    then = replace(first, catalog=catalog(tmp_path / "then", source=str(source)))
    assert documents(first)["Alpha"] != document == documents(then)["Alpha"]
    assert edited.changed() == []


def test_a_new_api_waits_for_the_whole_catalog_and_a_broken_spec_is_an_error(
    source: Path, tmp_path: Path
) -> None:
    edited = EditedDocuments(
        replace(site_request(source), catalog=catalog(tmp_path / "catalog", source=str(source)))
    )
    for spec in (request(), response()):
        write(source, named(spec, "Gamma", 902))
    assert edited.changed() == []
    (source / "AlphaRequest.json").write_text("{")
    with pytest.raises(InputError, match=r"AlphaRequest\.json"):
        edited.changed()


def test_an_edit_leaves_out_what_the_whole_catalog_leaves_out(source: Path, tmp_path: Path) -> None:
    """A release has two files for one message; the first by path counts."""
    copies = {"a.json": named(request(), "Alpha", 900), "b.json": named(request(), "Alpha", 900)}
    copies["b.json"] |= {"validVersions": "0-7"}
    history = repository({"1.0.0": dict(copies)})
    given: dict[str, Any] = {"source": str(source), "history": str(history), "releases": "*"}
    first = replace(site_request(**given), catalog=catalog(tmp_path / "first", **given))
    edited = EditedDocuments(first)
    write(source, named(request(), "Alpha", 900), about="Another purpose.")
    (document,) = edited.changed()
    then = documents(replace(first, catalog=catalog(tmp_path / "then", **given)))["Alpha"]
    assert document == then
    assert document.presence[0].versions != "0-7"
