"""The tables of error codes that releases have, where their profiles have named them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repo, request
from wirebook.cli.main import main

Check = Callable[..., list[str]]
TAGS = "v*"


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
    """Release what there is, as a tag."""
    repo.commit()
    repo.git("tag", "v1.0.0")


def test_the_table_of_a_profile_is_the_one_that_it_named_in_the_release(repo: Repo, check: Check) -> None:
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
    assert check("--released", TAGS) == ["error-code-reused"]


def test_every_profile_that_names_a_table_counts(repo: Repo, check: Check) -> None:
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
    assert check("--released", TAGS) == ["error-code-reused"]
    repo.write("common/errors.json", HAD)
    assert check("--released", TAGS) == []


SOURCE = "git:.@v1.0.0"
RELEASED = pytest.mark.parametrize("released", [TAGS, SOURCE])
CONFIGURATIONS = {
    "one protocol": '[protocol]\nname = "a"\ntables.errors = "a/{}"\n',
    "several protocols": '[[protocol]]\nname = "a"\npaths = ["/a"]\ntables.errors = "a/{}"\n',
}


def configured(repo: Repo, kind: str, table: str) -> None:
    """A configuration that names a table of error codes, in the place of the profile.toml."""
    (repo.folder / "a/profile.toml").unlink(missing_ok=True)
    repo.write("wirebook.toml", CONFIGURATIONS[kind].format(table))


@RELEASED
@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_table_of_a_configuration_is_the_one_that_it_named_in_the_release(
    kind: str, released: str, repo: Repo, check: Check
) -> None:
    protocol(repo, "a", "codes.json", "NONE", "OLD")
    configured(repo, kind, "codes.json")
    release(repo)
    (repo.folder / "a/codes.json").unlink()
    repo.write("a/errors.json", HAS)
    configured(repo, kind, "errors.json")
    repo.commit()
    repo.write("a/errors.json", REUSES)
    assert check("--released", released) == ["error-code-reused"]
    repo.write("a/errors.json", HAD)
    assert check("--released", released) == []


@RELEASED
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("profile.toml", "one protocol"),
        ("profile.toml", "several protocols"),
        ("one protocol", "profile.toml"),
        ("one protocol", "several protocols"),
        ("several protocols", "profile.toml"),
        ("several protocols", "one protocol"),
    ],
)
def test_a_table_that_another_file_names_since_the_release(
    before: str, after: str, released: str, repo: Repo, check: Check
) -> None:
    protocol(repo, "a", "codes.json", "NONE", "OLD")
    if before in CONFIGURATIONS:
        configured(repo, before, "codes.json")
    release(repo)
    (repo.folder / "a/codes.json").unlink()
    (repo.folder / "wirebook.toml").unlink(missing_ok=True)
    protocol(repo, "a", "errors.json", "NONE")
    if after in CONFIGURATIONS:
        configured(repo, after, "errors.json")
    repo.commit()
    repo.write("a/errors.json", REUSES)
    assert check("--released", released) == ["error-code-reused"]


@RELEASED
def test_the_table_of_another_protocol_of_a_configuration(released: str, repo: Repo, check: Check) -> None:
    """A protocol that gets its first table after the release does not get the codes of others."""
    text = CONFIGURATIONS["several protocols"] + '[[protocol]]\nname = "b"\npaths = ["/b"]\n'
    protocol(repo, "a", "errors.json", "NONE", "OLD")
    protocol(repo, "b", "errors.json")
    configured(repo, "several protocols", "errors.json")
    (repo.folder / "b/profile.toml").unlink()
    repo.write("wirebook.toml", text.format("errors.json"))
    release(repo)
    repo.write("b/errors.json", HAS)
    repo.write("wirebook.toml", text.format("errors.json") + 'tables.errors = "b/errors.json"\n')
    repo.commit()
    repo.write("b/errors.json", REUSES)
    assert check("--released", released) == []


@RELEASED
def test_a_table_of_a_profile_that_the_profile_of_the_release_extends(
    released: str, repo: Repo, check: Check
) -> None:
    protocol(repo, "a", "codes.json", "NONE", "OLD")
    repo.write("a/profile.toml", 'extends = "../base.toml"\n')
    repo.write("base.toml", '[tables]\nerrors = "a/codes.json"\n')
    release(repo)
    (repo.folder / "a/codes.json").unlink()
    repo.write("a/errors.json", HAS)
    repo.write("base.toml", '[tables]\nerrors = "a/errors.json"\n')
    repo.commit()
    repo.write("a/errors.json", REUSES)
    assert check("--released", released) == ["error-code-reused"]
