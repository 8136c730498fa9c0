"""The hook of this repository, installed and run by the real pre-commit, and the plain hook of git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import broken, request, started
from tests.support import ROOT

pytest.importorskip("pre_commit")


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, "GIT_CONFIG_GLOBAL": os.devnull, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


PACKAGES = ("wirebook", "specs", "rules", "live", "docgen", "cli")


@pytest.fixture(scope="module")
def wirebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This tree as a repository with one commit, as somebody who uses the hook sees it."""
    folder = tmp_path_factory.mktemp("wirebook") / "wirebook"
    listed = run(ROOT, "git", "ls-files", "-z", "-c", "-o", "--exclude-standard")
    if listed.returncode:
        pytest.skip("needs the repository")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_symlink():
            continue
        if name.startswith(tuple(f"{package}/" for package in PACKAGES)) or "/" not in name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    who = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "all")):
        assert run(folder, "git", *command).returncode == 0
    return folder


def test_pre_commit_blocks_a_breaking_change(wirebook: Path, tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    revision = run(wirebook, "git", "rev-parse", "HEAD").stdout.strip()
    config = f"repos:\n  - repo: {wirebook}\n    rev: {revision}\n    hooks:\n      - id: wirebook\n"
    repo.write(".pre-commit-config.yaml", config)
    repo.commit("the hook")
    home = {"PRE_COMMIT_HOME": str(tmp_path / "cache")}
    tool = (sys.executable, "-m", "pre_commit")
    done = run(repo.folder, *tool, "install", "--install-hooks", **home)
    if done.returncode and re.search("No matching distribution|Failed to establish", done.stdout):
        pytest.skip("needs packages to build with")
    assert done.returncode == 0, done.stdout + done.stderr
    environments = list((tmp_path / "cache").glob("repo*/py_env-*/lib/python*/site-packages"))
    installed = {
        path.name.partition("-")[0] for folder in environments for path in folder.glob("*.dist-info")
    }
    # The light core: no Spark, no MkDocs, nothing at all besides it.
    assert installed <= {"wirebook", "pip", "setuptools", "wheel"}
    assert "wirebook" in installed

    repo.spec(broken())
    repo.git("add", "-A")
    repo.spec(request(validVersions="0-9"))  # what is not staged does not count
    who = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
    done = run(repo.folder, "git", *who, "commit", "-qm", "break", **home)
    assert done.returncode == 1
    assert "type-changed" in done.stderr
    assert repo.git("log", "-1", "--format=%s") == "the hook"

    # Nor does a commit pass that has no file left to look at.
    repo.git("reset", "-q", "--hard")
    repo.git("rm", "-q", str(repo.spec(request()).relative_to(repo.folder)))
    done = run(repo.folder, "git", *who, "commit", "-qm", "delete", **home)
    assert done.returncode == 1
    assert "message-deleted" in done.stderr
    repo.git("reset", "-q", "--hard")

    repo.spec({**request(), "fields": [{**item, "about": "x"} for item in request()["fields"]]})
    repo.git("add", "-A")
    done = run(repo.folder, "git", *who, "commit", "-qm", "words", **home)
    assert done.returncode == 0, done.stderr
    assert repo.git("log", "-1", "--format=%s") == "words"


def test_plain_hook(tmp_path: Path) -> None:
    page = (ROOT / "site_src/check.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^printf .*pre-commit$", page, re.MULTILINE)
    repo = started(tmp_path / "repo")
    tools = tmp_path / "bin"
    tools.mkdir()
    program = tools / "wirebook"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m wirebook.cli.main "$@"\n')
    program.chmod(0o755)
    path = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    assert run(repo.folder, "sh", "-c", line).returncode == 0
    repo.spec(broken())
    who = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
    # `commit -a` and `commit FILE` have an index of their own.
    for arguments in (["-a"], ["clients"]):
        done = run(repo.folder, "git", *who, "commit", "-qm", "break", *arguments, **path)
        assert done.returncode == 1
        assert "type-changed" in done.stdout + done.stderr
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = tmp_path / "linked" / repo.spec(broken()).relative_to(repo.folder)
    shutil.copy(repo.spec(broken()), linked)
    done = run(tmp_path / "linked", "git", *who, "commit", "-aqm", "break", **path)
    assert done.returncode == 1
    repo.spec(request())
    repo.write("package.json", "{}")
    assert run(repo.folder, "git", *who, "commit", "-aqm", "fine", **path).returncode == 0
