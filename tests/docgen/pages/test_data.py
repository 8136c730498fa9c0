"""What programs read of a site: JSON and its schemas, read as others read them."""

from __future__ import annotations

import json
from functools import cache

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.histories import own_book
from wirebook.docgen.pages import contents, schemas

pytestmark = pytest.mark.xdist_group("book")


@cache
def downloads() -> dict[str, str]:
    return dict(contents.downloads(own_book()))


def test_each_schema_is_published_where_its_id_says() -> None:
    files = downloads()
    for name in schemas.SCHEMAS:
        place = schemas.place(name)
        schema = json.loads(files[place])
        edition = place.rpartition("/")[2].removesuffix(".json")
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == f"urn:wirebook:schema:{name}:{edition}"


def test_a_document_satisfies_the_schema_that_it_names() -> None:
    files = downloads()
    seen = set()
    for path, text in files.items():
        document = (
            json.loads(text) if path.endswith(".json") and not path.startswith("schema/") else {}
        )
        if "schema" not in document:
            continue
        _, name, edition = document["schema"].split("/")
        if name in seen and not path.endswith("/fetch.json"):
            continue
        seen.add(name)
        schema = json.loads(files[f"schema/{name}/{edition}.json"])
        assert list(Draft202012Validator(schema).iter_errors(document)) == [], path
    assert seen >= {"api", "vectors", "index", "snapshots", "errors", "negotiation-data"}
