"""Reading a finished catalog, which needs no Spark."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.histories import field, inputs, request
from tests.support import ROOT
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pages.record_schema import json_schema
from wirebook.docgen.pipeline.run import build
from wirebook.specs.json_records import omitted, to_json
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "catalog"
    target.mkdir()
    old = request("Old", 3, "0-1", field("A"))
    new = request("NewName", 3, "0-2", field("A"))
    build(
        inputs({"1.0.0": [old, request("Zero", 0, "0")], "1.1.0": [new, request("Zero", 0, "0")]}),
        target,
    )
    return target


def test_the_catalog_is_read(folder: Path) -> None:
    catalog = Catalog.open(folder)
    assert [row.api for row in catalog.index] == ["Zero", "NewName"]
    assert [snapshot.name for snapshot in catalog.snapshots] == ["1.0.0", "1.1.0"]
    assert catalog.error_table is None
    assert [document.api_key for document in catalog.documents] == [0, 3]


def test_a_folder_without_a_catalog_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no catalog here"):
        Catalog.open(tmp_path)
    with pytest.raises(InputError, match="there is no catalog here"):
        Catalog.open(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": "wirebook/manifest/2"}',
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
)
def test_a_damaged_catalog_or_another_edition_is_refused(text: str | bytes, folder: Path) -> None:
    (folder / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        Catalog.open(folder)
    assert "manifest.json" in str(caught.value)


@dataclass(frozen=True)
class _Inner:
    """What is inside."""

    numbers: tuple[int, ...]
    more: Mapping[str, Any]


@dataclass(frozen=True)
class _Document:
    """A document. It has one inside."""

    SCHEMA: ClassVar[str] = "wirebook/some-thing/2"
    inner: _Inner | None
    name: str | None
    origin: str
    versions: VersionSet = omitted(VersionSet.NONE, "Which ones.")  # noqa: RUF009 - it is frozen


def test_a_record_says_its_json_schema() -> None:
    schema = json_schema(_Document)
    assert (schema["$id"], schema["title"]) == ("urn:wirebook:schema:some-thing:2", "Some thing")
    assert schema["description"].startswith("A document. It has one inside. Later versions")
    assert schema["required"] == ["schema", "inner", "name", "origin"]
    assert schema["properties"] == {
        "schema": {"const": "wirebook/some-thing/2"},
        "inner": {"anyOf": [{"$ref": "#/$defs/_Inner"}, {"type": "null"}]},
        "name": {"type": ["string", "null"]},
        "origin": {"type": "string"},
        "versions": {"description": "Which ones.", "type": "string"},
    }
    assert schema["$defs"]["_Inner"] == {
        "description": "What is inside.",
        "type": "object",
        "required": ["numbers", "more"],
        "properties": {
            "numbers": {"type": "array", "items": {"type": "integer"}},
            "more": {"type": "object", "additionalProperties": {}},
        },
    }
    Draft202012Validator(schema).validate(to_json(_Document(_Inner((1,), {"a": None}), None, "x")))


def test_reading_needs_no_spark(folder: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom wirebook.docgen.catalog.catalog import Catalog\n"
        "catalog = Catalog.open(Path(sys.argv[1]))\n"
        "print(len(catalog.documents), sorted({'pyspark', 'pyarrow', 'mkdocs'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == "2 []\n"
