"""`wirebook check --all`: the same findings whether or not a spec differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from wirebook.cli.main import main

SPEC: dict[str, Any] = {
    "type": "event",
    "name": "Opened",
    "validVersions": "0",
    "flexibleVersions": "none",
    "fields": [{"name": "X", "versions": "0", "type": "int32", "about": "x"}],
}
EVENT = 'name = "otter"\nmessage_types = ["event"]\n'
LISTENED = {**SPEC, "apiKey": 1, "type": "request", "name": "OpenRequest", "listeners": ["nowhere"]}
LEVEL = {"id": 0, "version": "1.0-IV0", "release": "1.0"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An empty repository."""
    repo = Repo(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def rules(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", "--all", "--format", "json", *arguments])
    return sorted(item["rule"] for item in json.loads(capsys.readouterr().out)["findings"])


NEW_SIDES = (("--against", "HEAD~1"), ("--against", "HEAD~1.."), ("--staged",), ("--against", "HEAD"))


@pytest.mark.parametrize("sides", NEW_SIDES)
@pytest.mark.parametrize("differs", [False, True])
def test_the_profile_of_unchanged_specs(
    repo: Repo, capsys: pytest.CaptureFixture[str], sides: tuple[str, ...], differs: bool
) -> None:
    repo.write("proto/Opened.json", SPEC)
    repo.write("proto/profile.toml", EVENT)
    repo.commit("base")
    if differs:
        repo.write("proto/Opened.json", json.dumps(SPEC) + "\n\n")
    repo.commit("next")
    assert rules(capsys, *sides) == []
    # Without the profile, the type is unknown.
    repo.git("rm", "-q", "proto/profile.toml")
    repo.commit("no profile")
    repo.commit("next")
    assert rules(capsys, *sides) == ["unknown-message-type"]


@pytest.mark.parametrize("sides", NEW_SIDES)
@pytest.mark.parametrize("differs", [False, True])
def test_what_the_old_side_has_is_reported(
    repo: Repo, capsys: pytest.CaptureFixture[str], sides: tuple[str, ...], differs: bool
) -> None:
    repo.write("proto/profile.toml", 'name = "otter"\nlisteners = ["here"]\n')
    repo.write("proto/OpenRequest.json", LISTENED)
    repo.commit("base")
    if differs:
        repo.write("proto/OpenRequest.json", json.dumps(LISTENED) + "\n\n")
    repo.commit("next")
    assert "unknown-listener" in rules(capsys, *sides)


@pytest.mark.parametrize("sides", NEW_SIDES)
@pytest.mark.parametrize("differs", [False, True])
def test_the_registry_of_unchanged_specs(
    repo: Repo, capsys: pytest.CaptureFixture[str], sides: tuple[str, ...], differs: bool
) -> None:
    spec = {**SPEC, "type": "data", "history": [{"version": 0, "added": "9.9-IV9"}]}
    repo.write("proto/Opened.json", spec)
    repo.write("proto/api_versions.json", [LEVEL])
    repo.commit("base")
    if differs:
        repo.write("proto/Opened.json", json.dumps(spec) + "\n\n")
    repo.commit("next")
    assert "api-version-unknown" in rules(capsys, *sides)
