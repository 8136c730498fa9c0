"""Our own workflows: steps that `make` does not run, as GitHub's runner runs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.support import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs(name: str) -> dict[str, dict[str, Any]]:
    """The jobs of a workflow."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(
        (WORKFLOWS[0].parent / name).read_text("utf-8")
    )["jobs"]
    return found


def test_a_job_that_compares_with_the_commit_before_has_it() -> None:
    """The checkout of a runner has one commit by default, and `wirebook check` then exits with
    2."""
    compare = {}
    for path in WORKFLOWS:
        for name, job in jobs(path.name).items():
            steps = job.get("steps", [])
            if any(
                "wirebook check --all" in step.get("run", "") or step.get("uses") == "./"
                for step in steps
            ):
                compare[name] = steps[0].get("with", {}).get("fetch-depth", 1)
    assert compare.keys() == {"protocol", "example"}
    assert 1 not in compare.values()


def runs(name: str) -> list[str]:
    """The lines that the steps of a workflow run, outside its longer scripts, for each target of a
    matrix."""
    found = []
    for job in jobs(name).values():
        targets = job.get("strategy", {}).get("matrix", {}).get("target", [""])
        for step in job.get("steps", []):
            if "run" in step and "\n" not in step["run"].strip():
                found += [step["run"].replace("${{ matrix.target }}", target) for target in targets]
    return found


def _matrix(job: dict[str, Any]) -> dict[str, Any]:
    """The values that a job is run with."""
    matrix: dict[str, Any] = job.get("strategy", {}).get("matrix", {})
    return matrix


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_workflow_runs_is_in_the_repository(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    lines = runs(path.name)
    assert lines
    each = {name for job in jobs(path.name).values() for name in _matrix(job).get("target", ())}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "make":
            names = each if rest == '"$TARGET"' else {rest.split()[0]}
            assert names, line
            assert names <= targets, line
        elif word == ".venv/bin/python" and rest.startswith("-m pytest "):
            assert all((ROOT / tests).exists() for tests in rest.split()[2:]), line
        elif word == "python" and not rest.startswith("-m pip "):
            assert (ROOT / rest.split()[0]).is_file(), line
        elif word == ".ci/run":
            assert (ROOT / word).is_file(), line
        else:
            assert word in ("python", ".venv/bin/python", "../../.venv/bin/wirebook"), line


def test_a_release_publishes_what_ci_has_built_and_tried() -> None:
    release, ci = jobs("release.yml"), jobs("ci.yml")
    for name in ("ci", "long"):
        assert (release[name]["uses"], release[name]["needs"]) == (
            f"./.github/workflows/{name}.yml",
            "stated",
        )
    assert (release["attest"]["needs"], release["publish"]["needs"]) == (["ci", "long"], "attest")
    uploads = [
        step["with"] for step in ci["dist"]["steps"] if "upload-artifact@" in step.get("uses", "")
    ]
    assert {given["name"]: given["path"].split() for given in uploads} == {
        "dist": ["dist/*.whl", "dist/*.tar.gz"]
    }
    for job in (ci["installed"], release["attest"], release["publish"]):
        (download,) = [
            step["with"] for step in job["steps"] if "download-artifact@" in step.get("uses", "")
        ]
        assert download == {"name": "dist", "path": "dist"}
    # No other job may leave an artifact that would be attested.
    assert not [
        name for name, job in ci.items() if name != "dist" and "upload-artifact@" in str(job)
    ]
    assert "upload-artifact@" not in str(release) + str(jobs("long.yml"))


@pytest.mark.parametrize(("tag", "code"), [("0.3.0", 0), ("0.3.1", 1), ("0.3.0 || true; echo", 1)])
def test_a_release_compares_the_tag_with_the_version(tmp_path: Path, tag: str, code: int) -> None:
    (step,) = (step for step in jobs("release.yml")["stated"]["steps"] if "run" in step)
    for name in ("tools/check_release.py", "wirebook/_version.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "wirebook" / "_version.py").write_text('__version__ = "0.3.0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 0.3.0 (2027-01-31)\n", encoding="utf-8"
    )
    project = (
        (ROOT / "pyproject.toml").read_text("utf-8").replace("github.com/OWNER/", "github.com/ada/")
    )
    (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]],
        cwd=tmp_path,
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_REF_NAME": tag,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "ada/wirebook",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stderr
    assert ran.stderr == (
        f'wirebook: the tag is "{tag}", and wirebook/_version.py has "0.3.0"\n' if code else ""
    )
