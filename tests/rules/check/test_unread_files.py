"""`check --all` names files that look like specs and are not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from wirebook.cli.main import main


def test_files_with_another_ending_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.spec(request(), "messages")
    repo.spec(response(), "messages")
    spec = '{ "type": "data", "name": "Memo", "validVersions": "0", "fields": [] } // a memo\n'
    repo.write("messages/Memo.jsonc", spec)
    repo.write("messages/Note.yaml", "type: data\nname: Note\nvalidVersions: 0\n")
    repo.write("messages/settings.yaml", "name: x\n")
    repo.write("elsewhere/Memo.jsonc", spec)
    monkeypatch.chdir(repo.folder)
    assert main(["check", "--all"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for name in ("Memo.jsonc", "Note.yaml"):
        assert f"note: messages/{name} looks like a spec and is not read: specs end in .json" in out
    assert "settings.yaml" not in out
    assert "elsewhere" not in out
    repo.write("wirebook.toml", 'exclude = ["*.yaml"]\n')
    repo.commit()
    assert main(["check", "--all"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("Memo.jsonc" in out, "Note.yaml" in out) == (True, False)
