"""Releases with some specs in the paths of today, and others where their own configuration had them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.rules.check.running import Run

GLOB = 'released = ["v*"]\n'
BEFORE, AFTER, ONLY = ('paths = ["a", "b"]\n', 'paths = ["a", "c"]\n', 'paths = ["a"]\n')
TWO = """\
[[protocol]]
name = "otter"
paths = ["/a", "/c"]

[[protocol]]
name = "newt"
paths = ["/d"]
"""

Steps = Callable[[Repo], object]


def settings(repo: Repo, text: str) -> None:
    repo.write("wirebook.toml", text)
    repo.commit()


def shorter(name: str = "DiveRequest", key: int | None = 7) -> dict[str, object]:
    """A request, or data, without a field that the release has."""
    return request(name=name, apiKey=key, fields=request()["fields"][1:], **({} if key else DATA))


DATA = {"type": "data", "listeners": None}


def released(repo: Repo, paths: str = BEFORE) -> None:
    settings(repo, GLOB + paths)
    repo.git("tag", "v1.1.0")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Messages in two folders."""
    repo = Repo(tmp_path / "repo")
    for folder, name, key in (("a", "Swim", 8), ("b", "Dive", 7)):
        repo.spec(request(name=f"{name}Request", apiKey=key), folder)
        repo.spec(response(name=f"{name}Response", apiKey=key), folder)
    repo.spec(request(name="LogRecord", apiKey=None, **DATA), "b")
    repo.commit()
    return repo


def moved(repo: Repo, before: str = BEFORE, after: str = AFTER) -> None:
    """One folder moves after the release."""
    released(repo, before)
    repo.git("mv", "b", "c")
    settings(repo, GLOB + after)


def request_loses_a_field(repo: Repo) -> None:
    moved(repo)
    repo.spec(shorter(), "c")


def data_loses_a_field(repo: Repo) -> None:
    moved(repo)
    repo.spec(shorter("LogRecord", None), "c")


def deleted(repo: Repo) -> None:
    moved(repo)
    repo.git("rm", "-qr", "c")


def released_without_paths(repo: Repo) -> None:
    moved(repo, "")
    repo.spec(shorter(), "c")


def released_before_the_configuration(repo: Repo) -> None:
    repo.git("tag", "v1.1.0")
    repo.git("mv", "b", "c")
    settings(repo, GLOB + AFTER)
    repo.spec(shorter(), "c")


def released_as_one_of_two_protocols(repo: Repo) -> None:
    moved(repo, TWO.replace("/c", "/b"), TWO)
    repo.spec(shorter(), "c")


def released_as_one_protocol(repo: Repo) -> None:
    moved(repo, "", TWO)
    repo.spec(shorter(), "c")


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "change",
    [
        request_loses_a_field,
        data_loses_a_field,
        deleted,
        released_without_paths,
        released_before_the_configuration,
        released_as_one_of_two_protocols,
        released_as_one_protocol,
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_a_message_that_moved_keeps_its_releases(
    repo: Repo, check: Run, change: Steps, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.folder)
    change(repo)
    repo.commit()
    for _ in range(2):  # the second check reads what the first has kept
        outcome = check(repo.folder, *arguments)
        assert (outcome.code, "v1.1.0" in outcome.out) == (1, True), outcome.out


PROFILE = 'name = "otter"\n[tables]\nerrors = "errors.json"\n'


def codes(*names: str) -> str:
    """A table of error codes."""
    entries = [
        {"code": code, "name": name, "retriable": False, "first_release": None, "about": "It."}
        for code, name in enumerate(names)
    ]
    return json.dumps({"schema": "wirebook/errors/1", "errors": entries})


def test_a_table_that_moved_keeps_its_releases(repo: Repo, check: Run) -> None:
    repo.write("b/profile.toml", PROFILE)
    repo.write("b/errors.json", codes("NONE", "BUSY"))
    moved(repo)
    repo.write("c/errors.json", codes("NONE"))
    repo.commit()
    repo.write("c/errors.json", codes("NONE", "COLD"))
    repo.commit()
    outcome = check(repo.folder)
    assert (outcome.code, "error-code-reused" in outcome.out) == (1, True), outcome.out


def test_a_table_that_was_left_out_is_no_release(repo: Repo, check: Run) -> None:
    repo.write("b/profile.toml", PROFILE)
    repo.write("b/errors.json", codes("NONE", "BUSY"))
    narrowed(repo)
    repo.write("a/profile.toml", PROFILE)
    repo.write("a/errors.json", codes("NONE", "COLD"))
    repo.commit()
    for arguments in ((), ("--all",)):
        outcome = check(repo.folder, *arguments)
        assert (outcome.code, "error-code" in outcome.out) == (0, False), outcome.out


def narrowed(repo: Repo) -> None:
    released(repo)
    settings(repo, GLOB + ONLY)


def narrowed_from_all(repo: Repo) -> None:
    released(repo, "")
    settings(repo, GLOB + ONLY)


def excluded(repo: Repo) -> None:
    released(repo)
    settings(repo, GLOB + 'exclude = ["b"]\n')


def excluded_after_the_move(repo: Repo) -> None:
    """The team gives up the releases of these messages, and says so."""
    moved(repo, after=AFTER + 'exclude = ["b"]\n')
    repo.spec(shorter("LogRecord", None), "c")
    repo.commit()


def key_of_what_was_left_out(repo: Repo) -> None:
    narrowed(repo)
    repo.spec(request(name="RunRequest", apiKey=7, fields=[]), "a")
    repo.spec(response(name="RunResponse", apiKey=7, fields=[]), "a")
    repo.commit()


def unreadable_where_it_was_left_out(repo: Repo) -> None:
    repo.write("b/BadRequest.json", '{ "apiKey": 2, "type": "request", }')
    narrowed(repo)


def copy_that_was_left_out(repo: Repo) -> None:
    repo.spec(request(name="SwimRequest", apiKey=8, fields=[]), "b")
    released(repo)
    settings(repo, GLOB + ONLY)


def name_in_another_protocol(repo: Repo) -> None:
    repo.spec(request(name="DiveRequest", apiKey=9), "d")
    repo.spec(response(name="DiveResponse", apiKey=9), "d")
    moved(repo, TWO.replace("/c", "/b"), TWO)
    repo.spec(request(name="JumpRequest", apiKey=7, fields=[]), "d")
    repo.spec(response(name="JumpResponse", apiKey=7, fields=[]), "d")


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "change",
    [
        moved,
        narrowed,
        narrowed_from_all,
        excluded,
        excluded_after_the_move,
        key_of_what_was_left_out,
        unreadable_where_it_was_left_out,
        copy_that_was_left_out,
        name_in_another_protocol,
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_what_a_team_left_out_is_no_release(
    repo: Repo, check: Run, change: Steps, arguments: tuple[str, ...]
) -> None:
    change(repo)
    repo.write("a/README.md", "")
    repo.commit()
    outcome = check(repo.folder, *arguments)
    assert (outcome.code, "v1.1.0:" in outcome.out.partition("\n")[2]) == (0, False), outcome.out
    assert "error" not in outcome.out.replace("0 errors", "")
