"""The line ends of Windows are no change, and a change in a text that has them is found at its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import broken, request, started
from wirebook.cli.main import main


def text(spec: dict[str, Any], line_end: str) -> str:
    """A spec as text."""
    return (json.dumps(spec, indent=2) + "\n").replace("\n", line_end)


def checked(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the check prints in the current folder, as JSON."""
    capsys.readouterr()
    main(["check", "--against", "HEAD", "--format", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.parametrize("committed", ["\n", "\r\n"])
def test_a_change_is_found_at_the_same_place(
    committed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {}
    for line_end in ("\n", "\r\n"):
        repo = started(tmp_path / f"{len(line_end)}")
        path = repo.spec(request()).relative_to(repo.folder).as_posix()
        repo.write(path, text(request(), committed))
        repo.commit("the old side")
        repo.write(path, text(broken(), line_end))
        monkeypatch.chdir(repo.folder)
        found[line_end] = checked(capsys)["findings"]
    assert found["\n"] == found["\r\n"]
    (finding,) = found["\r\n"]
    line = text(broken(), "\n").splitlines()[finding["location"]["line"] - 1]
    assert line[finding["location"]["column"] - 1 :].startswith('"int64"')


def test_line_ends_are_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = started(tmp_path / "repo")
    repo.write(repo.spec(request()).relative_to(repo.folder).as_posix(), text(request(), "\r\n"))
    monkeypatch.chdir(repo.folder)
    document = checked(capsys)
    assert (document["findings"], document["unchecked"]) == ([], [])
