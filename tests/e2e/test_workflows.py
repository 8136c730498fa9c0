"""Our own workflows: steps that `make` does not run, as GitHub's runner runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.support import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SITE = "https://ada.github.io/wirebook/"
# What curl gets for anchors.json: a status, and a body in the file that -o names.
CURL = """#!/bin/bash
[[ ${@: -1} == https://ada.github.io/wirebook/anchors.json ]] || exit 6
while [[ $1 != -o ]]; do shift; done
echo "an answer" > "$2"
printf '%s' "$STATUS"
"""


def jobs(name: str) -> dict[str, dict[str, Any]]:
    """The jobs of a workflow."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((WORKFLOWS[0].parent / name).read_text("utf-8"))["jobs"]
    return found


@pytest.mark.parametrize(
    ("status", "code", "keep"),
    [("200", 0, "KEEP=--keep-anchors {folder}/anchors.json\n"), ("404", 0, ""), ("503", 1, "")],
)
def test_the_anchors_of_the_published_site_are_kept(
    tmp_path: Path, status: str, code: int, keep: str
) -> None:
    """Before the first deployment there are none; a server that fails must not pass for that."""
    (step,) = (step for step in jobs("pages.yml")["build"]["steps"] if "curl" in step.get("run", ""))
    assert list(step["env"]) == ["WIREBOOK_SITE_URL"]
    curl = tmp_path / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text(CURL, encoding="utf-8")
    curl.chmod(0o755)
    carried = tmp_path / "env"
    carried.touch()
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]],
        env={
            "PATH": f"{curl.parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ENV": str(carried),
            "RUNNER_TEMP": str(tmp_path),
            "WIREBOOK_SITE_URL": SITE,
            "STATUS": status,
        },
        check=False,
    )
    assert ran.returncode == code
    assert carried.read_text(encoding="utf-8") == keep.format(folder=tmp_path)


def test_a_job_that_compares_with_the_commit_before_has_it() -> None:
    """The checkout of a runner has one commit by default, and `wirebook check` then exits with 2."""
    compare = {}
    for path in WORKFLOWS:
        for name, job in jobs(path.name).items():
            steps = job["steps"]
            if any("wirebook check" in step.get("run", "") or step.get("uses") == "./" for step in steps):
                compare[name] = steps[0].get("with", {}).get("fetch-depth", 1)
    assert compare.keys() == {"protocol", "example"}
    assert 1 not in compare.values()
