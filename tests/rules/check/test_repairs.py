"""A change repairs a file of the old side that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from tests.rules.check.running import Run, on_branch

PROFILE = 'name = "x"\n'
WAYS = [["--against", "main..."], ["--against", "main"], ["--staged"], []]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path / "repo")


def repaired(repo: Repo, path: str, bad: str, good: str, way: list[str]) -> str:
    """A branch that repairs a file, and edits a description; returns the commit of the base."""
    repo.write(path, bad)
    base = repo.commit("bad")
    on_branch(repo)
    repo.write(path, good)
    repo.spec({**request(), "fields": [{**item, "about": "New."} for item in request()["fields"]]})
    if way == ["--staged"]:
        repo.git("add", "-A")
    else:
        repo.commit("repair")
    return base


@pytest.mark.share(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("path", "bad", "good"),
    [
        (f"{FOLDER}/profile.toml", "name = [", PROFILE),
        ("profile.toml", "unheard = 1\n", PROFILE),
        ("profile.toml", 'extends = "none.toml"\n', PROFILE),
        ("wirebook.toml", "released = 1\n", ""),
        ("wirebook.toml", "[protocol\n", '[protocol]\nname = "x"\n'),
        ("pyproject.toml", "[tool.wirebook]\nunheard = 1\n", "[tool.wirebook]\n"),
    ],
)
def test_a_repair_is_accepted_on_request(
    path: str,
    bad: str,
    good: str,
    way: list[str],
    repo: Repo,
    check: Run,
) -> None:
    base = repaired(repo, path, bad, good, way)
    refused = check(repo.folder, *way)
    assert refused.code == 2
    assert f"wirebook: {path}" in refused.err
    words = f"(this is the file of the old side, {base[:12]}; --policy new accepts a repair of it)"
    assert words in " ".join(refused.err.split())
    accepted = check(repo.folder, *way, "--policy", "new")
    assert (accepted.code, accepted.err) == (0, "")
    # A break in the same change is one.
    repo.spec(broken())
    repo.git("add", "-A") if way == ["--staged"] else repo.commit("break")
    assert check(repo.folder, *way, "--policy", "new").code == 1


def test_a_file_of_the_new_side_must_be_readable(repo: Repo, check: Run) -> None:
    repaired(repo, "profile.toml", "name = [", "name = {", ["--against"])
    for policy in ("old", "new"):
        outcome = check(repo.folder, "--against", "main...", "--policy", policy)
        assert outcome.code == 2
        assert ("old side" in outcome.err) == (policy == "old")
