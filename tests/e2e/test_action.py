"""The action for pull requests: its own script, as a runner of GitHub runs it, on a small repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml  # type: ignore[import-untyped]

from tests.repositories import Repo, broken, started
from tests.support import ROOT
from wirebook import __version__

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_CALLS"
case "$*" in
*--paginate*) cat "$GH_KNOWN" ;;
*) exit "$GH_ENDS" ;;
esac
"""


class Ran(NamedTuple):
    """What a run left: the process, the summary of the job, the outputs, and what gh was asked for."""

    done: subprocess.CompletedProcess[str]
    summary: str
    outputs: str
    calls: str


def action() -> dict[str, Any]:
    """action.yml, read."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def pull_request(folder: Path, branch: str = "topic") -> Repo:
    """The clone that a runner has: on a branch with a change that breaks, its base as origin/main."""
    repo = started(folder)
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", branch)
    repo.spec(broken())
    # What would run instead of wirebook, were the folder of the pull request to come first.
    for name in ("wirebook/__init__.py", "wirebook/cli/__init__.py", "wirebook/cli/main.py"):
        repo.write(name, "raise SystemExit('the code of a pull request ran')\n")
    repo.commit("a change")
    return repo


def run(
    repo: Repo, aside: Path, known: str = "", gh_ends: int = 0, script: str | None = None, **given: str
) -> Ran:
    """Run the step of the action, or a script in its place, as GitHub's runner does, with another gh."""
    (step,) = action()["runs"]["steps"]
    aside.mkdir()
    (aside / "bin").mkdir()
    (aside / "bin" / "python3").symlink_to(sys.executable)
    (aside / "bin" / "gh").write_text(GH)
    (aside / "bin" / "gh").chmod(0o755)
    for name in ("summary", "output", "calls", "known"):
        (aside / name).write_text(known if name == "known" else "")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("GIT", "PYTHON", "GH_"))},
        **dict.fromkeys(step["env"], ""),
        "PATH": f"{aside / 'bin'}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(aside / "cache"),
        "RUNNER_TEMP": str(aside),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_BASE_REF": "main",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_STEP_SUMMARY": str(aside / "summary"),
        "GITHUB_OUTPUT": str(aside / "output"),
        "GH_CALLS": str(aside / "calls"),
        "GH_KNOWN": str(aside / "known"),
        "GH_ENDS": str(gh_ends),
        **given,
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script or step["run"]],
        cwd=repo.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    texts = ((aside / name).read_text(encoding="utf-8") for name in ("summary", "output", "calls"))
    return Ran(done, *texts)


def test_a_breaking_change_fails_and_is_told_in_the_summary(tmp_path: Path) -> None:
    ran = run(pull_request(tmp_path / "repo"), tmp_path / "aside")
    assert ran.done.returncode == 1, ran.done.stderr
    assert "::error file=" in ran.done.stdout
    assert ran.summary.startswith("<!-- wirebook report -->")
    report = ran.outputs.removeprefix("report=").strip()
    assert Path(report).read_text(encoding="utf-8") == ran.summary
    assert ran.calls == ""


def test_sarif_and_json_name_the_version_where_nothing_is_installed(tmp_path: Path) -> None:
    # A runner has a checkout of the action and a Python without wirebook: no metadata of a distribution.
    (step,) = action()["runs"]["steps"]
    begin, found, _ = step["run"].partition("asked=()")
    assert found
    assert "wirebook() {" in begin
    repo = pull_request(tmp_path / "repo")
    check = "wirebook check --against=origin/main... --format"
    sarif = run(repo, tmp_path / "sarif", script=f"{begin}{check}=sarif")
    assert sarif.done.returncode == 1, sarif.done.stderr
    (only,) = json.loads(sarif.done.stdout)["runs"]
    assert only["tool"]["driver"]["version"] == __version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    document = run(repo, tmp_path / "json", script=f"{begin}{check}=json").done.stdout
    assert json.loads(document)["tool"] == {"name": "wirebook", "version": __version__}


def test_a_change_without_specs_passes(tmp_path: Path) -> None:
    repo = pull_request(tmp_path / "repo")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.write("README.md", "words\n")
    repo.commit("words")
    ran = run(repo, tmp_path / "aside")
    assert ran.done.returncode == 0, ran.done.stderr
    assert "does not change" in ran.summary


@pytest.mark.parametrize(
    ("known", "call"),
    [
        ("", "--method POST repos/owner/name/issues/7/comments"),
        ("41\n42\n", "--method PATCH repos/owner/name/issues/comments/41"),
    ],
)
def test_one_comment_is_made_and_then_edited(tmp_path: Path, known: str, call: str) -> None:
    ran = run(pull_request(tmp_path / "repo"), tmp_path / "aside", known, COMMENT="true", PULL="7")
    assert ran.done.returncode == 1
    looked, posted = ran.calls.splitlines()
    assert "--paginate repos/owner/name/issues/7/comments" in looked
    assert f"{call} -F body=@" in posted


def test_a_comment_that_may_not_be_posted_stops_nothing(tmp_path: Path) -> None:
    ran = run(pull_request(tmp_path / "repo"), tmp_path / "aside", gh_ends=1, COMMENT="true", PULL="7")
    assert ran.done.returncode == 1
    assert "::warning::wirebook: the report could not be posted" in ran.done.stdout
    assert "::error file=" in ran.done.stdout


def test_what_cannot_be_compared_ends_with_the_code_of_the_check(tmp_path: Path) -> None:
    ran = run(
        pull_request(tmp_path / "repo"), tmp_path / "aside", AGAINST="nowhere", COMMENT="true", PULL="7"
    )
    assert ran.done.returncode == 2
    assert (ran.summary, ran.calls) == ("", "")


@pytest.mark.parametrize("name", ["--output=/tmp/x", "$(touch ran)", "a; touch ran", "`touch ran`"])
def test_a_name_is_never_a_command(tmp_path: Path, name: str) -> None:
    repo = pull_request(tmp_path / "repo")
    by_input = run(repo, tmp_path / "input", AGAINST=name)
    by_branch = run(repo, tmp_path / "branch", GITHUB_BASE_REF=name)
    assert (by_input.done.returncode, by_branch.done.returncode) == (2, 2)
    assert not (repo.folder / "ran").exists()


def test_nothing_of_an_event_is_written_into_the_script() -> None:
    (step,) = action()["runs"]["steps"]
    assert "${{" not in step["run"]
