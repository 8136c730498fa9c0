"""The language service of Visual Studio Code, with the settings of the page and the printed schema."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clients import modules
from tests.support import ROOT

HERE = Path(__file__).resolve().parent / "editor"
SPEC = "examples/otter/messages/OpenSessionRequest.json"


@cache
def lacking() -> str:
    """Why there is no language service here; nothing where there is."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "needs node and npm"
    try:
        modules(HERE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the language service was not installed: {error}"
    return ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the schema that the page copies."""
    if lacking():
        pytest.skip(lacking())
    page = (ROOT / "site_src" / "authoring.md").read_text(encoding="utf-8")
    (schema, name) = re.findall(r"^cp .*/(specs/schema/\S+)\" (\S+)$", page, re.MULTILINE)[0]
    shutil.copy(ROOT / schema, tmp_path / name)
    return tmp_path


def settings() -> dict[str, Any]:
    """The settings of the page."""
    page = (ROOT / "site_src" / "authoring.md").read_text(encoding="utf-8")
    (text,) = re.findall(
        r'^```json title=".vscode/settings.json"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL
    )
    found: dict[str, Any] = json.loads(text)
    return found


def edit(project: Path, text: str, path: str = "messages/OpenSessionRequest.json") -> Any:
    """What the editor shows for a text, with the cursor at the sign ‸."""
    offset = max(text.find("‸"), 0)
    asked = {
        "schemas": settings()["json.schemas"],
        "folder": str(project),
        "path": path,
        "text": text.replace("‸", ""),
        "offset": offset,
    }
    done = subprocess.run(
        ["node", str(HERE / "edit.js")],
        input=json.dumps(asked), env={**os.environ, "NODE_PATH": str(modules(HERE))},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_specs_without_faults_have_no_error(project: Path) -> None:
    names = ["HelloResponse", "StoredReadingData"]
    texts = [(ROOT / SPEC).with_name(f"{name}.json").read_text() for name in names]
    assert [edit(project, text)["errors"] for text in texts] == [[], []]


def test_our_own_specs_name_their_schema(project: Path) -> None:
    path = "specs/kafka/messages/MetadataRequest.json"
    text = (ROOT / path).read_text()
    assert edit(ROOT, text, path)["errors"] == []
    assert edit(ROOT, text.replace('"0-13"', '"0 to 13"'), path)["errors"] != []
    assert "commonStructs" in edit(ROOT, text.replace('"apiKey"', '"‸",\n  "apiKey"'), path)["keys"]


def test_a_bad_range_is_an_error_in_its_line(project: Path) -> None:
    text = (ROOT / SPEC).read_text().replace('"2+"', '"2 +"', 1)
    (line,) = [number for number, line in enumerate(text.splitlines(), 1) if "2 +" in line]
    assert [shown for shown, _ in edit(project, text)["errors"]] == [line]


def test_keys_and_values_are_completed_and_explained(project: Path) -> None:
    text = (ROOT / SPEC).read_text()
    keys = edit(project, text.replace('{ "name": "Token"', '{ "‸", "name": "Token"'))["keys"]
    assert {"taggedVersions", "tag", "default", "ignorable", "entityType"} <= set(keys)
    assert "apiKey" not in keys
    top = edit(project, text.replace('"apiKey": 1,', '"apiKey": 1,\n  "‸",'))["keys"]
    assert {"latestVersionUnstable", "commonStructs", "headerVersions"} <= set(top)
    values = edit(project, text.replace('"name": "Token", "type": "bytes"', '"name": "Token", "type": "‸"'))[
        "keys"
    ]
    assert {'"bytes"', '"[]int32"'} <= set(values)
    hover = edit(project, text.replace('"ignorable"', '"ignor‸able"'))["hover"]
    assert len(hover) > 40


def test_other_files_are_left_in_peace(project: Path) -> None:
    assert edit(project, '{ "nullableVersion": 1 }', "package.json")["errors"] == []
    assert edit(project, '{ "nullableVersion": 1 }')["errors"] != []
