"""A repository read as a list of judgements, and what is said where there is none to make; without
Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, broken, started
from wirebook.cli.main import main
from wirebook.docgen.pipeline.judgements import read_history

HOSTILE = "a \u2028 b \x85 c \x0c d \x1c e \x1b[31m <script> \ufeff"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = started(tmp_path / "repo")
    made.git("tag", "1.0.0")
    made.spec(broken())
    made.commit(HOSTILE)
    return made


def test_a_release_is_no_baseline_of_its_own_commit(repo: Repo) -> None:
    assert read_history(str(repo.folder), "[0-9]*").steps[0].baselines == []


def test_the_project_is_that_of_the_top(repo: Repo) -> None:
    """An example of another protocol has settings of its own, and its path comes first."""
    repo.write("a/wirebook.toml", 'name = "other"\n')
    repo.write("wirebook.toml", 'name = "own"\n')
    repo.commit("settings")
    found = read_history(str(repo.folder), "[0-9]*")
    assert found.profile.name == "own"
    assert any(text.path.startswith("clients/") for text in found.specs[found.tip])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "--releases", "*"], "cannot change to 'nowhere'"),
        (["repo", "--releases", "v*"], 'no tag of repo matches "v*"'),
        (["repo", "--releases", "*", "--commits", "nope"], 'it has no commit "nope"'),
        (["repo", "--releases", "*", "--commits=--all"], 'it has no commit "--all"'),
        (["repo", "--releases", "*", "--output", "repo"], "holds other files"),
        (["repo", "--releases", "*", "--output", "file"], "is not a folder"),
        (["repo", "--releases", "*", "--output", "file/x"], "is not a folder"),
        (["repo", "--releases", "*", "--master", "nonsense"], '"nonsense" is not a Spark master'),
        (["file", "--releases", "*"], "Not a directory"),
    ],
)
def test_nothing_to_judge(
    repo: Repo,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert main(["audit", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.startswith("wirebook: ")
    assert len(error.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "repo"]


@pytest.mark.parametrize(
    ("names", "against"),
    [
        # The 8 of "k8s" is no version, nor does "Final" mark a pre-release.
        (("k8s-1.9.0", "k8s-1.10.0", "k8s-1.10.1"), (None, "k8s-1.9.0", "k8s-1.10.0")),
        (("1.0.0.Final", "1.0.1.Final", "1.1.0.Final"), (None, "1.0.0.Final", "1.0.0.Final")),
        (("v7.6.0-ccs", "v7.6.1-ccs", "v7.7.0-ccs"), (None, "v7.6.0-ccs", "v7.6.0-ccs")),
        (("1.0.0", "1.0.0-hotfix1"), (None, "1.0.0")),
    ],
)
def test_a_release_is_judged_against_the_one_before(
    tmp_path: Path, names: tuple[str, ...], against: tuple[str | None, ...]
) -> None:
    repo = started(tmp_path / "repo")
    for name in reversed(names):
        repo.git("tag", name)
    steps = [step for step in read_history(str(repo.folder), "*").steps if step.kind == "release"]
    assert {step.name: step.against for step in steps} == dict(zip(names, against, strict=True))
    assert [step.name for step in steps] == list(names)
