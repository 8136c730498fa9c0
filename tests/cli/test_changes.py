"""`wirebook changes` as a command: two sources in, everything that changed out."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.repositories import Repo
from tests.support import ROOT
from wirebook.cli.main import main

SIDES = ROOT / "tests" / "rules" / "diff" / "changes"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["changes", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    for name in ("old", "new"):
        shutil.copytree(SIDES / name, tmp_path / name)
        (tmp_path / name / "Hostile.json").unlink()
    return str(tmp_path / "old"), str(tmp_path / "new")


def test_two_directories(sides: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *sides)
    assert (code, err) == (0, "")
    assert "Bar (API key 7)\n  wire     BarRequest: is new; its valid versions are 0\n" in out
    assert "promise  the protocol level 1.1-IV1 is added: id 2, release 1.1" in out


def test_nothing_changed(sides: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, sides[0], sides[0])
    assert code == 0
    assert out.endswith("\n\nno changes\n")


def test_a_side_that_cannot_be_read(
    sides: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(sides[1], "BarRequest.json").write_text('{"type": "request", "name": "BarRequest",')
    code, out, err = run(capsys, *sides)
    assert (code, out) == (2, "")
    assert err.startswith("wirebook: BarRequest.json:1:")


def test_commits_of_a_repository(
    sides: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "repository")
    top = repo.folder
    shutil.copytree(sides[0], top / "specs" / "messages")
    (top / "specs/messages/api_versions.json").rename(top / "specs/api_versions.json")
    repo.commit("old")
    shutil.rmtree(top / "specs")
    shutil.copytree(sides[1], top / "specs" / "messages")
    (top / "specs/messages/api_versions.json").rename(top / "specs/api_versions.json")
    repo.commit("new")
    code, out, err = run(capsys, f"{top}@HEAD~1", f"{top}@HEAD")
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == run(capsys, *sides)[1].splitlines()[1:]


@pytest.mark.parametrize("effects", [("wire",), ("text", "code")])
@pytest.mark.parametrize("form", ["text", "json"])
def test_only_some_effects(
    effects: tuple[str, ...],
    form: str,
    sides: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    only = [word for effect in effects for word in ("--only", effect)]
    code, out, _ = run(capsys, *sides, *only, "--format", form)
    assert code == 0
    if form == "json":
        document = json.loads(out)
        Draft202012Validator(
            json.loads((ROOT / "rules/schema/changes.json").read_text(encoding="utf-8"))
        ).validate(document)
        found = {change["effect"] for change in document["changes"]}
        whole = json.loads(run(capsys, *sides, "--format", "json")[1])["summary"]
        summary = document["summary"]
        assert (
            summary["changes"]
            == len(document["changes"])
            == sum(whole[effect] for effect in effects)
        )
    else:
        found = set(re.findall(r"^  (wire|promise|code|text) ", out, re.MULTILINE))
    assert found == {*effects}


@pytest.mark.parametrize("name", ["Bar", "bar", "7", "BarRequest"])
def test_only_some_apis(
    name: str, sides: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(run(capsys, *sides, "--api", name, "--format", "json")[1])
    assert {change["api_key"] for change in document["changes"]} == {7}
    both = json.loads(run(capsys, *sides, "--api", name, "--api", "1", "--format", "json")[1])
    assert {change["api_key"] for change in both["changes"]} == {1, 7}


def test_an_api_that_neither_side_has(
    sides: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *sides, "--api", "Barr")
    assert (code, out) == (2, "")
    assert 'there is no API or message "Barr"' in err
    assert "did you mean Bar" in err


def test_the_embedded_specs_have_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "kafka", "kafka")
    assert (code, out) == (
        0,
        "wirebook changes: from the embedded specs to the embedded specs\n\nno changes\n",
    )
