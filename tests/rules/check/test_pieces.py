"""Parts of the check by themselves: the command line, the scope, what could not be read."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, started
from wirebook.rules.check.reading import ReadSide
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Scope
from wirebook.rules.finding import Place
from wirebook.specs.problems import InputError, Position

# --- the command line -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ({}, ""),
        ({"against": "HEAD"}, "--against HEAD"),
        ({"old": "a", "new": "b c"}, "--old a --new 'b c'"),
        (
            {"branch": "x", "config": Path("c.toml")},
            "--branch x --config c.toml",
        ),
        ({"released": ("v*", "w")}, "--released 'v*' --released w"),
        ({"staged": True}, "--staged"),
        ({"everything": True}, "--all"),
        ({"files": ("a", "$b")}, "a '$b'"),
        ({"verbose": True, "cwd": Path("x")}, ""),
        (
            {"files": ("a",), "against": "b", "staged": True, "released": ("c",)},
            "--against b --released c --staged a",
        ),
    ],
)
def test_a_request_is_a_command_line(asked: dict[str, Any], command: str) -> None:
    assert CheckRequest(**asked).command == f"wirebook check {command}".rstrip()


# --- what could not be read -------------------------------------------------------------------------------


def test_what_cannot_be_read_has_a_place_if_its_file_is_known() -> None:
    side = ReadSide()
    side.refuse(InputError("one", "a.json", Position(3, 7)))
    side.refuse(InputError("two", "b.json"))
    side.refuse(InputError("three"))
    assert side.unread == ["a.json:3:7: one", "b.json: two", "three"]
    assert side.places == {
        "a.json:3:7: one": Place("a.json", 3, 7),
        "b.json: two": Place("b.json", 1, 1),
    }


# --- the scope --------------------------------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = started(tmp_path / "repo")
    (made.folder / "docs" / "deep").mkdir(parents=True)
    return made


def scope(repo: Repo, folder: str = ".", **asked: Any) -> Scope:
    with ExitStack() as stack:
        return Scope(CheckRequest(cwd=repo.folder / folder, **asked), stack)


@pytest.mark.parametrize(
    ("folder", "name", "path"),
    [
        (".", "a.json", "a.json"),
        (".", "./a/b.json", "a/b.json"),
        (".", ".", "."),
        ("docs", ".", "docs"),
        ("docs", "..", "."),
        ("docs", "../a.json", "a.json"),
        ("docs", "deep/", "docs/deep"),
        ("docs", "deep/..", "docs"),
        ("docs", "../../a.json", "../a.json"),
        ("docs/deep", "../../x/y.json", "x/y.json"),
    ],
)
def test_a_file_is_named_from_the_current_folder(repo: Repo, folder: str, name: str, path: str) -> None:
    assert scope(repo, folder).from_top(name) == path


def test_a_folder_that_is_a_link_is_followed_and_a_file_that_is_one_is_not(repo: Repo) -> None:
    (repo.folder / "link").symlink_to("docs")
    (repo.folder / "docs" / "a.json").symlink_to("b.json")
    assert scope(repo).from_top("link/a.json") == "docs/a.json"
    assert scope(repo, "link").from_top("a.json") == "docs/a.json"
    assert scope(repo).inside(repo.folder / "link" / "a.json") == "docs/a.json"
    assert scope(repo).inside(repo.folder / "docs" / ".." / "x") == "x"
    assert scope(repo).inside(repo.folder.parent / "x") is None
    assert scope(repo).inside(repo.folder.parent / "repo2" / "x") is None
    assert scope(repo).inside(repo.folder / "..x") == "..x"


@pytest.mark.parametrize(
    ("files", "wanted", "others"),
    [
        ((), ["a.json", "b/c.json"], []),
        ((".",), ["a.json", "b/c.json"], []),
        (("a.json",), ["a.json"], ["b/a.json", "a.jsonx"]),
        (("b",), ["b/c.json", "b/c/d.json"], ["bc/d.json", "a/b/c.json"]),
        (("b/", "a.json"), ["b/c.json", "a.json"], ["c.json"]),
    ],
)
def test_files_limit_a_check(
    repo: Repo, files: tuple[str, ...], wanted: list[str], others: list[str]
) -> None:
    made = scope(repo, files=files)
    assert [path for path in wanted if not made.wants(path)] == []
    assert [path for path in others if made.wants(path)] == []


def test_a_file_is_in_scope_by_its_configuration_or_its_name(repo: Repo) -> None:
    inside, test = f"{FOLDER}/A.json", "src/test/A.json"
    assert [scope(repo).takes(path) for path in (inside, test, "a.txt")] == [True, False, False]
    assert scope(repo, files=(test,)).takes(test)
    assert scope(repo, files=("a.txt",)).takes("a.txt")
    repo.write("wirebook.toml", 'paths = ["src/test"]\nexclude = ["B*"]\n')
    made = scope(repo)
    assert [made.takes(path) for path in (inside, test, "src/test/B.json")] == [False, True, False]
    # The registry lies beside what the paths name.
    registry = "api_versions.json"
    assert [made.takes(path) for path in (registry, f"src/{registry}")] == [True, True]
    repo.write("wirebook.toml", f'exclude = ["{registry}"]\n')
    assert not scope(repo).takes(registry)


def test_a_configuration_in_a_folder_counts_there(repo: Repo) -> None:
    repo.write("docs/wirebook.toml", 'exclude = ["deep"]\nbranch = "x"\n')
    assert scope(repo).config.branch.value is None
    for folder in ("docs", "docs/deep"):
        made = scope(repo, folder)
        assert made.config.branch.value == "x"
        assert made.config_folder == (repo.folder / "docs").resolve()
        assert [made.takes(path) for path in ("docs/deep/A.json", "deep/A.json")] == [False, True]
    other = scope(repo, config=Path("docs/wirebook.toml"))
    assert other.config.branch.value == "x"
    assert scope(repo, "docs", branch="y").config.branch.value == "y"
