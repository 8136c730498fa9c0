"""A repository read as a list of judgements, and what is said where there is none to make; without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, broken, started
from tests.rules.check.running import PATH
from wirebook.cli.main import main
from wirebook.docgen.pipeline.commits import read_history

HOSTILE = "a \u2028 b \x85 c \x0c d \x1c e \x1b[31m <script> \ufeff"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = started(tmp_path / "repo")
    made.git("tag", "1.0.0")
    made.spec(broken())
    made.commit(HOSTILE)
    return made


def test_subjects_and_tags_are_lines_of_git_and_not_of_python(repo: Repo) -> None:
    repo.git("tag", "2.0.0\u2028x")
    repo.git("tag", "\x85")
    found = read_history(str(repo.folder), "[0-9]*")
    assert [step.subject for step in found.steps] == [
        "the specs",
        HOSTILE,
        "release 1.0.0",
    ]
    assert found.releases == ("1.0.0",)
    assert found.steps[1].baselines == ("1.0.0",)


def test_a_release_is_no_baseline_of_its_own_commit(repo: Repo) -> None:
    assert read_history(str(repo.folder), "[0-9]*").steps[0].baselines == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "--releases", "*"], "there is no such repository"),
        (["repo", "--releases", "v*"], 'no tag of repo matches "v*"'),
        (["repo", "--releases", "*", "--commits", "nope"], 'there is no commit "nope" here'),
        (["repo", "--releases", "*", "--commits=--all"], "is not a git ref"),
        (["repo", "--releases", "*", "--output", "repo"], "holds other files"),
        (["repo", "--releases", "*", "--output", "file"], "is not a folder"),
        (["repo", "--releases", "*", "--output", "file/x"], "is not a folder"),
        (["repo", "--releases", "*", "--master", "nonsense"], '"nonsense" is not a Spark master'),
        (["file", "--releases", "*"], "this git bundle cannot be read"),
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
    told = capsys.readouterr().err
    assert words in told
    assert told.startswith("wirebook: ")
    assert len(told.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "repo"]


@pytest.mark.parametrize(
    ("names", "against"),
    [
        # The 8 of "k8s" is no version, nor does "Final" mark a pre-release.
        (("k8s-1.9.0", "k8s-1.10.0", "k8s-1.10.1"), (None, "k8s-1.9.0", "k8s-1.10.0")),
        (("1.0.0.Final", "1.0.1.Final", "1.1.0.Final"), (None, "1.0.0.Final", "1.0.0.Final")),
        (("v7.6.0-ccs", "v7.6.1-ccs", "v7.7.0-ccs"), (None, "v7.6.0-ccs", "v7.6.0-ccs")),
        (("1.0.0", "1.0.0-hotfix1", "1.0.1-rc1"), (None, "1.0.0", "1.0.0-hotfix1")),
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


def test_a_text_that_is_lost_stops_the_audit(repo: Repo, tmp_path: Path) -> None:
    repo.lose(f"1.0.0:{PATH}")
    assert main(["audit", str(repo.folder), "--releases", "*", "--output", str(tmp_path / "audit")]) == 2
    assert not (tmp_path / "audit").exists()


def test_no_program_that_a_repository_names_is_run_to_show_a_signature(repo: Repo, tmp_path: Path) -> None:
    mark, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\n: > '{mark}'\n")
    program.chmod(0o755)
    # A signature that says nothing suffices: whoever shows it asks the program what it is worth.
    head, _, words = repo.git("cat-file", "commit", "HEAD").partition("\n\n")
    repo.write(
        "signed", f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n -----END PGP SIGNATURE-----\n\n{words}\n"
    )
    repo.git("update-ref", "HEAD", repo.git("hash-object", "-t", "commit", "-w", "signed"))
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "gpg.program", str(program))
    assert [step.subject for step in read_history(str(repo.folder), "[0-9]*").steps][1] == HOSTILE
    assert not mark.exists()
    repo.git("log", "-1")
    assert mark.exists(), "the program is never run: this test shows nothing"
