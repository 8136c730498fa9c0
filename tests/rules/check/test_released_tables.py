"""The tables of error codes that releases have, where their profiles have named them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repo, request
from wirebook.cli.main import main

Check = Callable[..., list[str]]
TAGS, FROZEN = "v*", "./released.wirebook"


def codes(*names: str) -> str:
    """A table with an error code for each name that is not "", beginning with 0."""
    entries = [
        {"code": code, "name": name, "retriable": False, "first_release": None, "about": "It."}
        for code, name in enumerate(names)
        if name
    ]
    return json.dumps({"schema": "wirebook/errors/1", "errors": entries})


HAD, HAS, REUSES = codes("NONE", "OLD"), codes("NONE"), codes("NONE", "NEW")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repo = Repo(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.fixture
def check(repo: Repo, capsys: pytest.CaptureFixture[str]) -> Check:
    """The rules that the working tree breaks."""

    def run(*arguments: str) -> list[str]:
        main(["check", "--against", "HEAD", "--format", "json", *arguments])
        report = json.loads(capsys.readouterr().out)
        assert report["unchecked"] == []
        return [finding["rule"] for finding in report["findings"]]

    return run


def protocol(repo: Repo, folder: str, table: str, *names: str) -> None:
    """A folder with a spec, and a profile that names a table of error codes, by its path from there."""
    key = ord(folder[0])
    repo.spec(request(name=f"{folder.capitalize()}Request", apiKey=key), folder)
    repo.write(f"{folder}/profile.toml", f'name = "{folder}"\n[tables]\nerrors = "{table}"\n')
    if names:
        repo.write(f"{folder}/{table}", codes(*names))


def release(repo: Repo) -> None:
    """Release what there is: as a tag, and as a frozen file."""
    repo.commit()
    repo.git("tag", "v1.0.0")
    assert main(["freeze", "--released", TAGS, "-o", FROZEN]) == 0
    repo.write(".git/info/exclude", "*.wirebook\n")


@pytest.mark.parametrize("released", [TAGS, FROZEN])
def test_the_table_of_a_profile_is_the_one_that_it_named_in_the_release(
    released: str, repo: Repo, check: Check
) -> None:
    """Even if the release has another table at the path of today's."""
    protocol(repo, "b", "errors.json", "NONE", "OLD")
    protocol(repo, "a", "errors.json", "NONE")
    release(repo)
    (repo.folder / "b/errors.json").unlink()
    (repo.folder / "a/profile.toml").unlink()
    (repo.folder / "a/ARequest.json").unlink()
    protocol(repo, "b", "../a/errors.json")
    repo.commit()
    repo.write("a/errors.json", REUSES)
    assert check("--released", released) == ["error-code-reused"]


@pytest.mark.parametrize("released", [TAGS, FROZEN])
def test_every_profile_that_names_a_table_counts(released: str, repo: Repo, check: Check) -> None:
    """Two protocols share a table that was two in the release."""
    protocol(repo, "a", "errors.json", "NONE")
    protocol(repo, "b", "errors.json", "NONE", "OLD")
    release(repo)
    for folder in ("a", "b"):
        (repo.folder / folder / "errors.json").unlink()
        protocol(repo, folder, "../common/errors.json")
    repo.write("common/errors.json", HAS)
    repo.commit()
    repo.write("common/errors.json", REUSES)
    assert check("--released", released) == ["error-code-reused"]
    repo.write("common/errors.json", HAD)
    assert check("--released", released) == []
