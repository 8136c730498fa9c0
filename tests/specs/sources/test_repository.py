"""The repository of a folder: a working tree, a linked one, a bare one, one that is elsewhere, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.repository import Repository, find_repository, name_of


@pytest.fixture(autouse=True)
def _no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


def found(folder: Path, *, index: bool = False) -> Repository:
    repository = find_repository(folder, index=index)
    assert repository is not None
    return repository


def test_a_folder_of_a_working_tree(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    for folder in (repo.folder, repo.folder / "clients" / "src"):
        opened = found(folder)
        assert (opened.top, opened.folder, opened.place) == (repo.folder, repo.folder / ".git", repo.folder)
        assert opened.index_file() == repo.folder / ".git" / "index"
    inside = found(repo.folder / ".git" / "refs")
    assert (inside.top, inside.folder) == (repo.folder, repo.folder / ".git")
    assert find_repository(tmp_path) is None
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked), "-b", "other")
    other = found(linked)
    assert other.top == linked
    assert other.folder == repo.folder / ".git" / "worktrees" / "linked"
    assert other.refs.branch == "other"
    other.close()


def test_a_bare_repository_counts_unless_it_is_content(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    for place in (tmp_path / "bare.git", repo.folder / "content.git"):
        repo.git("clone", "-q", "--bare", str(repo.folder), str(place))
    for folder in (tmp_path / "bare.git", tmp_path / "bare.git" / "objects"):
        bare = found(folder)
        assert (bare.top, bare.folder, bare.place) == (None, tmp_path / "bare.git", tmp_path / "bare.git")
    content = found(repo.folder / "content.git")
    assert content.top == repo.folder


def test_a_file_that_names_a_repository(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    sub = tmp_path / "sub"
    sub.mkdir()
    for text in ("gitdir: ../repo/.git\n", "gitdir: ../repo/.git\r\nmore\n", f"gitdir: {repo.folder}/.git"):
        (sub / ".git").write_text(text)
        assert found(sub).folder == repo.folder / ".git"
    (sub / ".git").write_text("gitdir: ../nowhere\n")
    with pytest.raises(InputError) as caught:
        find_repository(sub)
    assert str(caught.value) == f"{sub}/.git: names {tmp_path}/nowhere, which is not a git repository"


def test_a_damaged_repository_is_said_unless_one_is_around_it(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / ".git").mkdir()
    (deep / ".git").mkdir()
    with pytest.raises(InputError) as caught:
        find_repository(deep)
    assert str(caught.value) == f"{deep}/.git: is not a git repository, or a damaged one"
    outer = Repo(tmp_path)
    assert found(deep).top == outer.folder


def test_the_repository_of_a_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, other = started(tmp_path / "repo"), started(tmp_path / "other")
    (repo.folder / "in").mkdir()
    monkeypatch.setenv("GIT_DIR", ".git")
    hooked = found(repo.folder, index=True)
    assert (hooked.top, hooked.folder, hooked.index) == (repo.folder, repo.folder / ".git", True)
    assert not found(repo.folder).index
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", "..")
    hooked = found(repo.folder / "in", index=True)
    assert (hooked.top, hooked.folder) == (repo.folder, other.folder / ".git")
    assert found(repo.folder / "in").folder == repo.folder / ".git"
    monkeypatch.setenv("GIT_INDEX_FILE", "../next")
    assert hooked.index_file() == repo.folder / "../next"
    assert found(repo.folder).index_file() == repo.folder / ".git" / "index"
    # A variable that names nothing is of no account.
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    again = found(repo.folder, index=True)
    assert (again.top, again.folder, again.index) == (repo.folder, repo.folder / ".git", True)


def test_a_repository_without_a_commit_is_unborn(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    opened = found(repo.folder)
    assert opened.is_unborn()
    assert not opened.is_shallow()
    repo.commit()
    assert not opened.is_unborn()
    repo.git("tag", "1.0")
    assert opened.tags() == ("1.0",)
    repo.git("tag", "2.0")
    # The refs are read once; a closed repository opens itself again.
    assert opened.tags() == ("1.0",)
    git = opened.git
    assert opened.git is git
    opened.close()
    assert opened.git is not git
    opened.close()
    opened.close()


@pytest.mark.parametrize(("value", "top"), [("../../tree", "tree"), ("..", "repo"), (None, "repo")])
def test_the_working_tree_that_the_settings_name(value: str | None, top: str, tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    (tmp_path / "tree").mkdir()
    if value is not None:
        repo.git("config", "core.worktree", value)
    assert found(repo.folder).top == tmp_path / top
    assert found(repo.folder).place == repo.folder


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.org/team/otter.git", "otter"),
        ("git@example.org:team/otter", "otter"),
        ("/home/me/otter.bundle", "otter"),
        ("https://example.org/team/kafka.git/", "team-kafka"),
        ("/home/me/kafka", "kafka-fork"),
        ("", ""),
    ],
)
def test_a_repository_is_named_by_its_address(address: str, name: str) -> None:
    assert name_of(address, ["kafka"]) == name
