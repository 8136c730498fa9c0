"""Specs that move into a folder in which none is looked for are reported as moved, not as deleted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, started
from wirebook.cli.main import main

NAMES = ("FooRequest.json", "FooResponse.json")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def moved(repo: Repo, folder: str) -> list[str]:
    (repo.folder / folder).mkdir(parents=True)
    names = sorted(path.name for path in (repo.folder / FOLDER).glob("*.json"))
    for name in names:
        repo.git("mv", f"{FOLDER}/{name}", f"{folder}/{name}")
    return names


def found(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> dict[str, tuple[str, str]]:
    main(["check", *arguments, "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    deleted = [item for item in report["findings"] if item["rule"] == "message-deleted"]
    return {item["message_name"]: (item["message"], item["fix"]) for item in deleted}


@pytest.mark.parametrize("folder", ["build/messages", "src/test/messages"])
def test_a_spec_in_a_skipped_folder_has_moved(
    folder: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    names = moved(repo, folder)
    staged = found(capsys, ["--staged"])
    assert staged.keys() == {name.removesuffix(".json") for name in names}
    skipped = "build" if "build" in folder else "test"
    for name, (message, fix) in staged.items():
        assert message == (
            f"{name} moved to {folder}/{name}.json, and {skipped} is a skipped folder, which is not checked"
        )
        assert ("paths" in fix) == (skipped == "test")
    assert found(capsys, []) == staged
    repo.commit()
    assert found(capsys, ["--against", "HEAD^..HEAD"]) == staged


def test_a_spec_that_is_deleted_is_deleted(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    names = moved(repo, "build")
    repo.git("rm", "-rqf", "build")
    deleted = found(capsys, ["--staged"])
    assert len(deleted) == len(names)
    assert all("is deleted" in message for message, _ in deleted.values())
