"""`formats` of the configuration, in every command that reads the specs of its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.specs.reading.franz import BERTHS, ENUMS
from wirebook.cli.main import main
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.request import BuildRequest


@pytest.fixture
def harbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with specs in two formats."""
    repo = Repo(tmp_path / "harbour")
    repo.write("wirebook.toml", 'formats = ["kafka-json", "franz-go"]\n')
    repo.write("definitions/enums", ENUMS)
    repo.write("definitions/00_berths", BERTHS)
    repo.spec(request(name="DiveRequest", apiKey=701), "messages")
    repo.spec(response(name="DiveResponse", apiKey=701), "messages")
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


def test_show_and_export_read_all_of_them(harbour: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "Berths", "--format", "json"]) == 0
    capsys.readouterr()
    for given in ([], ["."], ["git:HEAD"]):
        assert main(["export", *given]) == 0
        named = {json.loads(line)["message"] for line in capsys.readouterr().out.splitlines()}
        assert named == {"BerthsRequest", "BerthsResponse", "DiveRequest", "DiveResponse"}
    assert main(["bump", "Dive"]) == 0
    assert main(["fmt", "--check"]) in (0, 1)


def test_an_export_converts_them_to_specs(
    harbour: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = tmp_path / "specs"
    assert main(["export", "--specs", str(exported)]) == 0
    named = {"BerthsRequest", "BerthsResponse", "DiveRequest", "DiveResponse"}
    assert {path.stem for path in exported.glob("*.json")} == named
    capsys.readouterr()
    assert main(["export"]) == main(["export", str(exported)]) == 0
    lines = sorted(capsys.readouterr().out.splitlines())
    assert lines[::2] == lines[1::2]
    assert main(["export", "--api", "Dive", "--specs", str(exported)]) == 0
    assert {path.stem for path in exported.glob("*.json")} == {"DiveRequest", "DiveResponse"}
    assert main(["export", "--version", "1", "--specs", str(exported)]) == 2
    assert "--specs goes without --version" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../../Evil", "a/b", ".Evil", "x" * 300])
def test_an_export_writes_no_file_outside_its_folder(
    name: str, harbour: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = {"type": "data", "name": name, "validVersions": "0", "flexibleVersions": "0+", "fields": []}
    harbour.write("messages/Evil.json", json.dumps(spec))
    before = sorted(tmp_path.rglob("*"))
    exported = tmp_path / "specs"
    assert main(["export", "messages", "--specs", str(exported)]) == 2
    assert "is not a valid message name" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_site_has_all_of_them(harbour: Repo) -> None:
    for source in (None, "./", "git:HEAD"):
        made = gather(BuildRequest.of(source))
        paths = {path for _, path, _ in made.files}
        assert "messages/DiveRequest.json" in paths
        assert {path.rpartition("/")[2] for path in paths} >= {"BerthsRequest.json", "BerthsResponse.json"}


def test_a_check_says_what_it_does_not_judge(harbour: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    harbour.spec(request(name="DiveRequest", apiKey=701, validVersions="0-3"), "messages")
    main(["check"])
    assert "specs of the format franz-go are not judged (formats)" in capsys.readouterr().out
