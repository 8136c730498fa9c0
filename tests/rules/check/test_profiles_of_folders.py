"""Folders with profiles of their own, without [[protocol]]: the nearest profile of each spec counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.rules.check.gate import check

GATE, POND = 'name = "gate"\nlisteners = ["gate"]\n', 'name = "pond"\nlisteners = ["pond"]\n'
HELLO = '[negotiation]\nname = "Hello"\napi_key = 2\n'


def api(repo: Repo, folder: str, name: str, key: int, **changed: object) -> None:
    """A request and its response."""
    own = {"listeners": [folder], **changed}
    repo.spec(request(name=f"{name}Request", apiKey=key, **own), folder)
    repo.spec(response(name=f"{name}Response", apiKey=key), folder)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Fetch and Hello in two folders, each with a profile."""
    repo = Repo(tmp_path / "two")
    api(repo, "gate", "Fetch", 1)
    api(repo, "pond", "Hello", 2)
    repo.write("gate/profile.toml", GATE)
    repo.write("pond/profile.toml", POND + HELLO)
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


def edit_fetch(repo: Repo) -> None:
    """A change of a text in the folder that comes first."""
    spec = repo.folder / "gate/FetchRequest.json"
    spec.write_text(spec.read_text().replace("The wait.", "The longest wait."))


def test_what_is_right_in_each_folder_is_right_together(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = check(capsys, "--all", "--against", "HEAD")
    assert (code, "unknown-listener" in out) == (0, False), out


@pytest.mark.parametrize("options", [[], ["--all"], ["--staged"]])
def test_a_change_in_one_folder_hides_no_error_in_another(
    options: list[str], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_fetch(two)
    api(two, "pond", "Hello", 2, deprecatedVersions="0", listeners=["gate"])
    two.git("add", "-A")
    code, out = check(capsys, *options, "--against", "HEAD")
    for rule in ("api-versions-deprecated", "unknown-listener", "listener-withdrawn"):
        assert (code, out.count(f"error[{rule}]")) == (1, 1), out


def test_a_change_may_bring_a_folder_with_its_profile(two: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    edit_fetch(two)
    two.write("wood/profile.toml", 'listeners = ["wood"]\n')
    api(two, "wood", "Climb", 3)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "unknown-listener" in out) == (0, False), out
    api(two, "wood", "Climb", 3, listeners=["gate"])
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[unknown-listener]")) == (1, 1), out


@pytest.mark.parametrize("moves_both", [True, False])
def test_a_folder_that_moves_keeps_the_profile_of_the_old_side(
    moves_both: bool, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_fetch(two)
    two.git("mv", "pond", "lake")
    if moves_both:
        two.git("mv", "gate", "door")
    two.write("lake/profile.toml", 'name = "pond"\nlisteners = ["pond", "lake"]\n')
    api(two, "lake", "Hello", 2, listeners=["pond", "lake"], deprecatedVersions="0")
    code, out = check(capsys, "--against", "HEAD")
    for rule in ("api-versions-deprecated", "unknown-listener"):
        assert (code, out.count(f"error[{rule}]")) == (1, 1), out


def test_a_profile_that_a_change_brings_does_not_judge_what_the_change_moves_there(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    api(two, "pond", "Swim", 3)
    two.commit("another message")
    two.write("wood/profile.toml", 'listeners = ["wood"]\n')
    for name in ("HelloRequest", "HelloResponse"):
        (two.folder / f"pond/{name}.json").unlink()
    api(two, "wood", "Hello", 2, listeners=["pond", "wood"], deprecatedVersions="0")
    code, out = check(capsys, "--against", "HEAD")
    for rule in ("api-versions-deprecated", "unknown-listener"):
        assert (code, out.count(f"error[{rule}]")) == (1, 1), out
    assert '"wood", which does not exist' in " ".join(out.split())
