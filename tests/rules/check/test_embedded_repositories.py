"""Changes that add the files of a bare repository, whose history would hide what they break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, started
from tests.rules.check.running import Run
from wirebook.specs.sources.git_command import is_bare

REFUSAL = (
    "this folder is a bare repository inside another one, which is read only if its name ends in .git; "
    "rename it or move it out"
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch with a break."""
    repo = started(tmp_path / "repo")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    repo.commit()
    return repo


def embed(repo: Repo, folder: Path, place: Path) -> None:
    """Commit a bare repository in a folder, in whose history the break is old."""
    inner = Repo(folder)
    shutil.copytree(repo.folder / "clients", inner.folder / "clients")
    inner.commit()
    inner.git("checkout", "-q", "-b", "feature")
    inner.write("README", "new")
    inner.commit()
    git_folder = inner.folder / ".git"
    (git_folder / "refs" / "kept").write_text("")
    for name in ("objects", "refs"):
        shutil.copytree(git_folder / name, place / name)
    for name in ("HEAD", "config", "index"):
        shutil.copy(git_folder / name, place / name)
    repo.commit("embed")


@pytest.mark.parametrize("arguments", [(), ("--staged", "--against", "main"), ("--against", "main...")])
def test_a_bare_repository_at_the_top_is_content(
    arguments: tuple[str, ...], repo: Repo, check: Run, tmp_path: Path
) -> None:
    embed(repo, tmp_path / "inner", repo.folder)
    for folder in (repo.folder, repo.folder / "clients"):
        outcome = check(folder, *arguments, "--format", "json")
        assert (outcome.code, outcome.rules) == (1, ["type-changed"])


def test_a_bare_repository_in_a_folder_is_content(repo: Repo, check: Run, tmp_path: Path) -> None:
    place = repo.folder / FOLDER
    embed(repo, tmp_path / "inner", place)
    sides = ("--old", f"main:{FOLDER}", "--new")
    for new in (f"./{FOLDER}", f"dir:{FOLDER}", f"HEAD:{FOLDER}"):
        assert check(repo.folder, *sides, new, "--format", "json").rules == ["type-changed"], new
    assert check(repo.folder, "--format", "json").rules == ["type-changed"]
    # git itself would take it for the repository of this folder.
    assert check(place, "--format", "json").rules == ["type-changed"]
    for arguments in (("--staged", "--against", "main"), ("--old", "main", "--new", "HEAD")):
        outcome = check(place, *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert REFUSAL in outcome.err


def test_a_mirror_in_a_workspace_is_refused_with_what_to_do(repo: Repo, check: Run) -> None:
    repo.git("tag", "1.0.0", "main")
    repo.git("clone", "-q", "--mirror", str(repo.folder), "mirror")
    place = repo.folder / "mirror"
    for option, name, start in (
        ("--against", "mirror@main", ""),
        ("--released", "mirror@1.0.0", "--released mirror@1.0.0: "),
    ):
        outcome = check(repo.folder, option, name)
        assert (outcome.code, outcome.err) == (2, f"wirebook: {start}{place}: {REFUSAL}\n")
    place.rename(repo.folder / "mirror.git")
    assert check(repo.folder, "--against", "mirror.git@main", "--format", "json").rules == ["type-changed"]


def test_a_bare_repository_in_a_linked_working_tree_is_content(
    repo: Repo, check: Run, tmp_path: Path
) -> None:
    embed(repo, tmp_path / "inner", repo.folder / FOLDER)
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    outcome = check(tmp_path / "linked" / FOLDER, "--against", "main", "--format", "json")
    assert (outcome.code, outcome.rules) == (1, ["type-changed"])


def test_only_a_repository_above_makes_a_bare_repository_content(
    repo: Repo, check: Run, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare"))
    outcome = check(tmp_path / "bare", "--against", "main", "--format", "json")
    assert (outcome.code, outcome.rules) == (1, ["type-changed"])


def test_what_is_named_like_a_bare_repository_is_one(repo: Repo, tmp_path: Path) -> None:
    for place in (tmp_path / "bare", tmp_path / "bare.git", repo.folder / "bare.git"):
        repo.git("clone", "-q", "--bare", str(repo.folder), str(place))
        assert is_bare(place)
    assert is_bare(repo.folder / ".git")
    assert is_bare(Path(shutil.copytree(repo.folder / ".git", repo.folder / ".git" / "modules" / "sub")))
    assert not is_bare(Path(shutil.copytree(tmp_path / "bare", repo.folder / "content")))
    shutil.copytree(tmp_path / "bare", repo.folder, dirs_exist_ok=True)
    assert not is_bare(repo.folder)
