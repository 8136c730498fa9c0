"""A deprecation window in days, with nothing but the tags of a repository to count them from."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, request, response
from wirebook.cli.main import main

Printed = pytest.CaptureFixture[str]
AGO = {"1.0.0": 400, "2.0.0": 100, "2.0.1": 20}
RAISED = {"validVersions": "1-2"}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Three releases, of which the second deprecated version 0."""
    repo = Repo(tmp_path / "repository")
    for name, days in AGO.items():
        marks = {} if name == "1.0.0" else {"deprecatedVersions": "0"}
        repo.spec(request(**marks))
        repo.spec(response())
        repo.write("README.md", name)
        repo.git("add", "-A")
        noon = f"{date.today() - timedelta(days=days)}T12:00:00+0000"
        repo.git("commit", "-q", "-m", name, GIT_COMMITTER_DATE=noon, GIT_AUTHOR_DATE=noon)
        repo.git("tag", name)
    monkeypatch.chdir(repo.folder)
    return repo


def removal(repo: Repo, capsys: Printed, window: str, released: str) -> dict[str, Any]:
    """What is found where version 0 is removed."""
    repo.write("wirebook.toml", f'released = "{released}"\ndeprecated_for = "{window}"\n')
    repo.spec(request(deprecatedVersions="0"))
    repo.spec(response())
    repo.commit("settings")
    repo.spec(request(**RAISED))
    repo.spec(response(**RAISED))
    main(["check", "--against", "HEAD", "--format", "json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    (finding,) = (item for item in found if item["rule"] == "lowest-version-raised")
    return {key: finding[key] for key in ("severity", "message", "fix")}


def test_days_are_counted_from_the_tag_that_deprecates(repo: Repo, capsys: Printed) -> None:
    released = "[0-9]*"
    early = removal(repo, capsys, "180 days", released)
    assert early["severity"] == "error"
    assert early["fix"] == f"remove them from {date.today() + timedelta(days=80)} on"
    assert "deprecated since 2.0.0, which must last 180 days first" in early["message"]
    assert removal(repo, capsys, "101 days", released)["fix"].endswith(
        f"{date.today() + timedelta(days=1)} on"
    )
    late = removal(repo, capsys, "100 days", released)
    assert (late["severity"], late["fix"]) == ("info", "announce the removal in the release notes")
