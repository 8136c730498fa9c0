"""Every kind of document has one id, and every id one schema."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.docgen.histories import Catalog, field, inputs, request
from tests.support import ROOT
from wirebook.docgen.pages.headers import embedded_headers
from wirebook.docgen.pages.schemas import SCHEMAS, bundled, read_schema
from wirebook.docgen.pages.vectors import vectors_text
from wirebook.docgen.pipeline.run import build

PACKAGES = ("specs", "rules", "peers", "docgen", "fleet", "cli", "wirebook", "site_src", "bench")
ID = re.compile(r"wirebook/([a-z-]+)/(?:(\d+)|(?=\"))")
# A cache in the user's folder, which no other program reads and the next version may drop.
INTERNAL = {"files", "baselines"}
# Forms of specs and of a list, which have no place for an id: Kafka's own files would not be read
# with one.
WITHOUT_ID = {"message", "structs", "api-versions", "config", "profile", "texts"}


def schema_files() -> list[Path]:
    """Every JSON Schema of the distribution."""
    return sorted(
        path for package in PACKAGES[:5] for path in (ROOT / package / "schema").glob("*.json")
    )


def validator(name: str) -> Draft202012Validator:
    """What checks a document against a schema."""
    layout = read_schema("layout")
    registry: Registry[Any] = Registry().with_resource(
        layout["$id"], Resource.from_contents(layout)
    )
    return Draft202012Validator(read_schema(name), registry=registry)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_published_schema_needs_no_other_one(name: str) -> None:
    printed = json.loads(bundled(name))
    Draft202012Validator.check_schema(printed)
    inside = {definition.get("$id") for definition in printed.get("$defs", {}).values()}
    foreign = set(re.findall(r'"\$ref": "([^"#]+)["#]', json.dumps(printed)))
    assert foreign <= inside
    assert bool(foreign) == (name in ("api", "report", "structs"))


def mentioned() -> Iterator[tuple[str, str | None, Path]]:
    """(name, edition, file) of every id that a file of the distribution names, schemas left out."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            if (
                path.suffix not in {".py", ".json", ".js", ".jinja", ".md", ".toml"}
                or "schema" in path.parts
            ):
                continue
            if "__pycache__" in path.parts or (package == "wirebook" and path.is_symlink()):
                continue
            for name, edition in ID.findall(path.read_text(encoding="utf-8")):
                yield name, edition or None, path


def documents(folder: Path) -> Iterator[dict[str, Any]]:
    """The JSON documents that the packages ship and that a catalog consists of."""
    shipped = [path for package in PACKAGES[:5] for path in (ROOT / package).rglob("*.json")]
    for path in [*shipped, *folder.rglob("*.json")]:
        text = path.read_text(encoding="utf-8")
        if "schema" not in path.parts and re.search(r'^\{\s*"schema": ?"wirebook/', text):
            yield json.loads(text)


def test_every_id_that_is_written_anywhere_has_a_schema() -> None:
    unknown = defaultdict(set)
    for name, edition, path in mentioned():
        if name not in SCHEMAS and name not in INTERNAL:
            unknown[name].add(path.relative_to(ROOT).as_posix())
        elif name in SCHEMAS and edition is not None:
            const = read_schema(name)["properties"]["schema"]["const"]
            assert const == f"wirebook/{name}/{edition}", path
    assert dict(unknown) == {}


def test_every_schema_is_listed_under_the_name_of_its_id_and_no_id_is_used_twice() -> None:
    files = sorted(path for path in SCHEMAS.values() if isinstance(path, Path))
    assert files == schema_files()
    for name, path in SCHEMAS.items():
        read = read_schema(name)
        assert re.fullmatch(rf"urn:wirebook:schema:{name}:(\d+)", read["$id"]), path
        if name in WITHOUT_ID:
            assert "schema" not in read.get("properties", {}), path
            continue
        edition = read["$id"].rpartition(":")[2]
        assert read["properties"]["schema"]["const"] == f"wirebook/{name}/{edition}", path
    assert not INTERNAL & SCHEMAS.keys()


@pytest.mark.share(3)
@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_published_schema_is_the_file_and_what_it_refers_to(name: str) -> None:
    printed = json.loads(bundled(name))
    inside = {"api": ("layout",), "structs": ("message",), "report": ("findings", "changes")}.get(
        name, ()
    )
    embedded = {each: read_schema(each) for each in inside}
    given = read_schema(name)
    assert printed == (given | {"$defs": given.get("$defs", {}) | embedded} if embedded else given)
    Draft202012Validator.check_schema(printed)


def test_shipped_documents_and_those_of_a_catalog_have_the_form_that_their_id_names(
    tmp_path: Path,
) -> None:
    old, new = (
        request("Foo", 3, "0-1", field("A")),
        request("Foo", 3, "0-2", field("A"), field("B")),
    )
    build(inputs({"1.0.0": [old], "1.1.0": [new]}), tmp_path)
    (tmp_path / "vectors.json").write_text(
        vectors_text(Catalog.open(tmp_path).api("Foo"), embedded_headers())
    )
    seen = set()
    for document in documents(tmp_path):
        name = document["schema"].split("/")[1]
        assert [error.message for error in validator(name).iter_errors(document)] == [], name
        seen.add(name)
    assert {
        *("manifest", "index", "api", "snapshots", "levels", "vectors"),
        *("clients", "broker-versions", "errors"),
    } <= seen
