"""The hook of this repository, installed and run by the real pre-commit, and the plain hook of
git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import Repo, broken, request, response, started
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


PACKAGES = ("wirebook", "specs", "rules", "peers", "docgen", "fleet", "cli")


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


WHO = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
TOOL = (sys.executable, "-m", "pre_commit")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where pre-commit keeps the environment of the hook, which all tests share."""
    return {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("cache"))}


@pytest.fixture
def repo(wirebook: Path, home: dict[str, str], tmp_path: Path) -> Repo:
    """A repository with the hook at each of its stages, pushed to the bare repository origin."""
    repo = started(tmp_path / "repo")
    revision = run(wirebook, "git", "rev-parse", "HEAD").stdout.strip()
    config = (
        f"repos:\n  - repo: {wirebook}\n    rev: {revision}\n    hooks:\n      - id: wirebook\n"
    )
    repo.write(".pre-commit-config.yaml", config)
    repo.commit("the hook")
    stages = ("pre-commit", "pre-merge-commit", "pre-push")
    types = [word for stage in stages for word in ("--hook-type", stage)]
    done = run(repo.folder, *TOOL, "install", "--install-hooks", *types, **home)
    if done.returncode and re.search("No matching distribution|Failed to establish", done.stdout):
        pytest.skip("needs packages to build with")
    assert done.returncode == 0, done.stdout + done.stderr
    repo.git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    repo.git("push", "-q", "--no-verify", "origin", "main")
    repo.git("remote", "set-head", "origin", "main")
    return repo


@pytest.mark.long
def test_pre_commit_blocks_a_breaking_change(repo: Repo, home: dict[str, str]) -> None:
    environments = list(
        Path(home["PRE_COMMIT_HOME"]).glob("repo*/py_env-*/lib/python*/site-packages")
    )
    installed = {
        path.name.partition("-")[0]
        for folder in environments
        for path in folder.glob("*.dist-info")
    }
    # The light core: no Spark, no MkDocs, nothing at all besides it.
    assert installed <= {"wirebook", "pip", "setuptools", "wheel"}
    assert "wirebook" in installed

    repo.spec(broken())
    repo.git("add", "-A")
    repo.spec(request(validVersions="0-9"))  # what is not staged does not count
    done = run(repo.folder, "git", *WHO, "commit", "-qm", "break", **home)
    assert done.returncode == 1
    assert "type-changed" in done.stderr
    assert repo.git("log", "-1", "--format=%s") == "the hook"

    # Nor does a commit pass that has no file left to look at.
    repo.git("reset", "-q", "--hard")
    repo.git("rm", "-q", str(repo.spec(request()).relative_to(repo.folder)))
    done = run(repo.folder, "git", *WHO, "commit", "-qm", "delete", **home)
    assert done.returncode == 1
    assert "message-deleted" in done.stderr
    repo.git("reset", "-q", "--hard")

    repo.spec({**request(), "fields": [{**item, "about": "x"} for item in request()["fields"]]})
    repo.git("add", "-A")
    done = run(repo.folder, "git", *WHO, "commit", "-qm", "words", **home)
    assert done.returncode == 0, done.stderr
    assert repo.git("log", "-1", "--format=%s") == "words"
    assert "wirebook check: the index against HEAD (" in done.stderr  # what passes is shown, too

    # An amended commit is judged as part of its branch.
    repo.git("checkout", "-q", "-b", "topic")
    repo.spec(broken())
    commit(repo, "break")
    done = run(repo.folder, "git", *WHO, "commit", "-q", "--amend", "-m", "break again", **home)
    assert (done.returncode, "type-changed" in done.stderr) == (1, True)


def commit(repo: Repo, message: str) -> None:
    """A commit without its hook."""
    repo.git("add", "-A")
    repo.git(*WHO, "commit", "-qnm", message)


def third(repo: Repo, kind: str) -> None:
    """Add a version 3, which has a field of a type."""
    field = {"name": "More", "type": kind, "versions": "3+", "about": "More."}
    repo.spec(request(validVersions="0-3", fields=[*request()["fields"], field]))
    repo.spec(response(validVersions="0-3"))


def hook(repo: Repo, home: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run the hook as CI does; its exit code, and its output without what pre-commit prints around
    it."""
    done = run(repo.folder, *TOOL, "run", *arguments, **home)
    lines = [line for line in done.stdout.splitlines() if line.startswith("wirebook check:")]
    assert len(lines) == 1, done.stdout + done.stderr
    shown = done.stdout if done.returncode else lines[0]
    return done.returncode, shown


@pytest.mark.long
def test_the_refs_of_a_run_in_ci(repo: Repo, home: dict[str, str]) -> None:
    """A commit made with -n breaks; CI runs the hook on the refs of the pull request."""
    repo.git("checkout", "-q", "-b", "topic")
    repo.spec(broken())
    commit(repo, "break")
    repo.write("notes.txt", "words")
    commit(repo, "words")
    base = repo.git("rev-parse", "main")[:12]
    for first in ("main", "origin/main", "HEAD~2"):
        code, out = hook(repo, home, "--from-ref", first, "--to-ref", "HEAD")
        assert (code, "type-changed" in out, f"({base}; command line)" in out) == (1, True, True), (
            out
        )
    code, out = hook(repo, home, "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert (code, out.endswith("; command line)")) == (0, True), out
    code, out = hook(repo, home, "--from-ref", "HEAD", "--to-ref", "HEAD")
    assert (code, out.count(repo.git("rev-parse", "HEAD")[:12])) == (0, 2), out
    # What others add to the branch is not removed by this one.
    repo.git("checkout", "-q", "-B", "side", "main~0")
    repo.write("notes.txt", "words")
    commit(repo, "words")
    repo.git("checkout", "-q", "main")
    third(repo, "int32")
    commit(repo, "a version")
    code, out = hook(repo, home, "--from-ref", "main", "--to-ref", "side")
    assert (code, out.endswith("; command line)")) == (0, True), out
    repo.git("tag", "side")
    code, out = hook_fails(repo, home, "--from-ref", "main", "--to-ref", "side")
    assert "refs/tags/side and refs/heads/side" in out


def hook_fails(repo: Repo, home: dict[str, str], *arguments: str) -> tuple[int, str]:
    done = run(repo.folder, *TOOL, "run", *arguments, **home)
    assert "- exit code: 2" in done.stdout
    return done.returncode, done.stdout


def push(repo: Repo, home: dict[str, str], *arguments: str) -> tuple[int, str]:
    done = run(repo.folder, "git", "push", "-q", "origin", *arguments, **home)
    return done.returncode, done.stdout + done.stderr


def test_plain_hook(tmp_path: Path) -> None:
    page = (ROOT / "site_src/check.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^printf .*pre-commit$", page, re.MULTILINE)
    repo = started(tmp_path / "repo")
    (repo.folder / ".git" / "hooks").mkdir()
    tools = tmp_path / "bin"
    tools.mkdir()
    program = tools / "wirebook"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m wirebook.cli.main "$@"\n'
    )
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
