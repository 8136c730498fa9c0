"""Which profile judges two sources that are no commits of a repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import request
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.finding import Finding

HEADERS = "[headers]\nrequest = [5, {}]\n"


def sources(tmp_path: Path, files: dict[str, Any]) -> None:
    """Write files, by their paths from a folder."""
    for path, content in files.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content if isinstance(content, str) else json.dumps(content))


def found(tmp_path: Path, old: str = "old", new: str = "new") -> list[Finding]:
    asked = CheckRequest(cwd=tmp_path, old=str(tmp_path / old), new=str(tmp_path / new))
    return list(judge(asked).report.findings)


@pytest.mark.parametrize("name", ["profile.toml", "wirebook.toml", "pyproject.toml"])
@pytest.mark.parametrize(("old", "new", "changed"), [("6", "6", False), ("6", "7", True), ("7", "6", True)])
def test_each_side_has_the_profile_of_its_own_repository(
    tmp_path: Path, name: str, old: str, new: str, changed: bool
) -> None:
    """They are at different depths: each is looked for up to the top of its repository."""
    above = {"profile.toml": "", "wirebook.toml": "protocol.", "pyproject.toml": "tool.wirebook.protocol."}
    files: dict[str, Any] = {
        "one/deep/er/messages/FetchRequest.json": request(),
        "two/messages/FetchRequest.json": request(),
        f"one/{name}": HEADERS.format(old).replace("[headers]", f"[{above[name]}headers]"),
        f"two/{name}": HEADERS.format(new).replace("[headers]", f"[{above[name]}headers]"),
    }
    sources(tmp_path, files)
    for side in ("one", "two"):
        (tmp_path / side / ".git" / "refs").mkdir(parents=True)
        (tmp_path / side / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    items = found(tmp_path, "one/deep/er/messages", "two/messages")
    assert [item.rule for item in items] == (["header-version-changed"] if changed else [])
    if changed:
        assert f"FetchRequest has header {new} instead of {old}" in items[0].message
    items = found(tmp_path, "two/messages", "one/deep/er/messages")
    assert [item.rule for item in items] == (["header-version-changed"] if changed else [])
