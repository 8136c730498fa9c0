"""Checks of a working tree with links: only what git lists counts behind them, as in a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, broken, request
from tests.rules.check.running import Run

THIRD = request(name="ThirdRequest", apiKey=3)
OTHER = request(name="OtherRequest", apiKey=2, validVersions="1-0")


@pytest.mark.parametrize("content", ["ignored", "environment", "repository", "submodule"])
def test_what_git_does_not_list_is_not_judged_behind_a_link(
    content: str, repo: Repo, check: Run, tmp_path: Path
) -> None:
    (repo.folder / "linked").symlink_to("build")
    repo.write("build/ThirdRequest.json", THIRD)
    if content == "ignored":
        repo.write(".gitignore", "generated\n")
        repo.write("build/generated/OtherRequest.json", OTHER)
    elif content == "environment":
        repo.write("build/generated/pyvenv.cfg", "")
        repo.write("build/generated/OtherRequest.json", OTHER)
    else:
        inner = Repo(repo.folder / "build" / "inner" if content == "repository" else tmp_path / "inner")
        inner.write("OtherRequest.json", OTHER)
        inner.commit()
    if content == "submodule":
        repo.git("submodule", "add", "-q", str(tmp_path / "inner"), "build/inner")
    repo.git("add", "linked", "build/ThirdRequest.json")
    repo.git("commit", "-qm", "a link")
    outcome = check(repo.folder, "--against", "HEAD")
    assert (outcome.code, "OtherRequest" in outcome.out) == (0, False)
    # What git lists behind the link is judged.
    repo.write("build/ThirdRequest.json", {**THIRD, "fields": broken()["fields"]})
    assert check(repo.folder, "--against", "HEAD", "--format", "json").rules == ["type-changed"]
