"""What `wirebook init` finds out about a repository: its name, its server, its releases, its specs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.repositories import Repo, request
from wirebook.rules.authoring.survey import RepositorySurvey, survey
from wirebook.specs.problems import InputError

DATA = {"type": "data", "name": "Foo", "validVersions": "0", "flexibleVersions": "0+", "fields": []}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "otter")


def surveyed(repo: Repo, folder: str = ".") -> RepositorySurvey:
    return survey(repo.folder / folder)


@pytest.mark.parametrize(
    ("remote", "name", "title"),
    [
        ("", "otter", "Otter protocol"),
        ("git@example.com:team/order.git", "order", "Order protocol"),
        ("git@example.com:order.git", "order", "Order protocol"),
        ("C:\\repositories\\order", "order", "Order protocol"),
        ("https://example.com/team/order-book-protocol", "order-book-protocol", "Order book protocol"),
        ("https://example.com/team/wire-specs.git//", "wire-specs", "Wire protocol"),
        ("https://example.com/protocol-specs", "protocol-specs", "Wire protocol"),
        ("https://example.com/Two__Words.v2", "two-words-v2", "Two words v2 protocol"),
        ("https://example.com/w2", "w2", "W2 protocol"),
        ("https://example.com/2wire", "protocol-2wire", "2wire protocol"),
        ("https://example.com/東京", "protocol", "Wire protocol"),
        ("///", "protocol", "Wire protocol"),
    ],
)
def test_the_names_are_those_of_the_remote_or_of_the_folder(
    repo: Repo, remote: str, name: str, title: str
) -> None:
    if remote:
        repo.git("config", "remote.origin.url", remote)
    found = surveyed(repo)
    assert (found.name, found.title, f"{found.product} protocol") == (name, title, title)


@pytest.mark.parametrize(
    ("remote", "files", "gitlab"),
    [
        ("", (), False),
        ("", (".gitlab-ci.yml",), True),
        ("", (".gitlab/issues/a.md",), True),
        ("", (".gitlab-ci.yml", ".github/workflows/ci.yml"), False),
        ("https://GitLab.example/team/order", (), True),
        ("https://gitlab.example/team/order", (".github/workflows/ci.yml",), False),
        ("https://github.com/team/order", (".gitlab-ci.yml",), True),
        ("https://github.com/team/order", (), False),
    ],
)
def test_the_server_is_that_of_the_files_or_else_of_the_remote(
    repo: Repo, remote: str, files: tuple[str, ...], gitlab: bool
) -> None:
    if remote:
        repo.git("config", "remote.origin.url", remote)
    for file in files:
        repo.write(file, "a")
    assert surveyed(repo).gitlab == gitlab


@pytest.mark.parametrize(
    ("tags", "released"),
    [
        ((), None),
        (("nightly", "v1", "release-1.0"), None),
        (("1.0.0",), "[0-9]*"),
        (("v1.0",), "v*"),
        (("v1.0", "1.1"), "[0-9]*"),
        (("v1.0", "v1.1", "1.2"), "v*"),
        (("v1.0", "1.1", "1.2", "v2"), "[0-9]*"),
    ],
)
def test_releases_are_tagged_in_the_most_common_form(
    repo: Repo, tags: tuple[str, ...], released: str | None
) -> None:
    repo.commit()
    for tag in tags:
        repo.git("tag", tag)
    assert surveyed(repo).released == released


@pytest.mark.parametrize(
    ("files", "profile", "title"),
    [
        ({}, "", "Otter protocol"),
        ({"profile.toml": 'title = "The Otter wire"\n'}, "profile.toml", "The Otter wire"),
        ({"profile.toml": 'name = "otter"\n'}, "otter", "Otter protocol"),
        ({"profile.toml": 'extends = "kafka"\n'}, "kafka", "Otter protocol"),
        ({"profile.toml": 'extends = "kafka"\ntitle = "Ours"\n'}, "kafka", "Ours"),
        (
            {"wirebook.toml": '[[protocol]]\nname = "a"\npaths = ["a"]\n\n[[protocol]]\nname = "b"\n'},
            "of [[protocol]]",
            "Otter protocol",
        ),
    ],
)
def test_the_profile_is_that_of_the_specs(
    repo: Repo, files: dict[str, str], profile: str, title: str
) -> None:
    for place in ("a/Foo.json", "b/Bar.json"):
        repo.write(place, {**DATA, "name": place[2:5]})
    for place, text in files.items():
        repo.write(place, text)
    found = surveyed(repo)
    assert (found.profile, found.title) == (profile, title)
    assert found.specs.keys() == {"a/Foo.json", "b/Bar.json"}
    assert found.config == (repo.folder / "wirebook.toml" if "wirebook.toml" in files else None)


def test_kafkas_specs_are_known(repo: Repo) -> None:
    repo.write("wirebook.toml", '[protocol]\nextends = "kafka"\n')
    repo.write("FetchRequest.json", request())
    found = surveyed(repo)
    assert (found.profile, found.title, found.top) == ("kafka", "Otter protocol", repo.folder.resolve())


def test_a_folder_of_a_repository_is_that_repository(repo: Repo) -> None:
    repo.write("deep/er/Foo.json", DATA)
    found = surveyed(repo, "deep/er")
    assert (found.top, list(found.specs)) == (repo.folder.resolve(), ["deep/er/Foo.json"])


def test_what_is_no_repository_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare.git")], check=True)
    said = {}
    for name in ("plain", "bare.git", "none"):
        with pytest.raises(InputError) as error:
            survey(tmp_path / name)
        assert error.value.path == str(tmp_path / name)
        said[name] = error.value.message
    assert said == {
        "plain": "this is not a git repository; run `git init` first",
        "bare.git": "this is a repository without a working tree; run `git init` first",
        "none": "no such folder",
    }
