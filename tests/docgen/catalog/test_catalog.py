"""Reading a finished catalog, which needs no Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, request
from tests.support import ROOT
from wirebook.docgen.catalog import records
from wirebook.docgen.catalog.catalog import Catalog, Manifest
from wirebook.docgen.pipeline.run import build
from wirebook.specs.problems import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "catalog"
    target.mkdir()
    old = request("Old", 3, "0-1", field("A"))
    new = request("NewName", 3, "0-2", field("A"))
    build(inputs({"1.0.0": [old, request("Zero", 0, "0")], "1.1.0": [new, request("Zero", 0, "0")]}), target)
    return target


def test_the_catalog_is_read(folder: Path) -> None:
    catalog = Catalog.open(folder)
    assert [row.api for row in catalog.index] == ["Zero", "NewName"]
    assert [snapshot.name for snapshot in catalog.snapshots] == ["1.0.0", "1.1.0"]
    assert catalog.errors is None
    assert [document.api_key for document in catalog.apis()] == [0, 3]


@pytest.mark.parametrize("name", ["new-name", "NewName", "3", "Old"])
def test_an_api_is_found_by_any_of_its_names(name: str, folder: Path) -> None:
    assert Catalog.open(folder).api(name).api == "NewName"


@pytest.mark.parametrize("name", ["", "4", "New", "../manifest"])
def test_an_unknown_api_is_an_error(name: str, folder: Path) -> None:
    with pytest.raises(InputError, match="there is no API or message"):
        Catalog.open(folder).api(name)


def test_a_folder_without_a_catalog_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no catalog here"):
        Catalog.open(tmp_path)
    with pytest.raises(InputError, match="there is no catalog here"):
        Catalog.open(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"schema": "wirebook/manifest/2"}', "\ud800".encode("utf-8", "surrogatepass")],
)
def test_a_damaged_catalog_or_another_edition_is_refused(text: str | bytes, folder: Path) -> None:
    (folder / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        Catalog.open(folder)
    assert "manifest.json" in str(caught.value)


def test_every_schema_of_the_catalog_is_in_the_package() -> None:
    found = {
        json.loads(path.read_text())["properties"]["schema"]["const"]
        for path in (ROOT / "docgen/schema").glob("*.json")
    }
    kinds = [kind for kind in (*vars(records).values(), Manifest) if hasattr(kind, "SCHEMA")]
    assert len(kinds) == 4
    assert {kind.SCHEMA for kind in kinds} <= found


def test_reading_needs_no_spark(folder: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom wirebook.docgen.catalog.catalog import Catalog\n"
        "catalog = Catalog.open(Path(sys.argv[1]))\n"
        "print(len(list(catalog.apis())), sorted({'pyspark', 'pyarrow', 'mkdocs'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "2 []\n"
