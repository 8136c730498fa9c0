"""Git processes that would wait forever: a settings file or an object that is a pipe ends in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.repositories import Repo
from wirebook.specs import limits
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.git_objects import ObjectReader

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")

WORDS = "git does not answer: not a byte in 0.2 seconds"
CHECK = [sys.executable, "-c", "from wirebook.cli.main import main; raise SystemExit(main())", "check"]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with one commit, and a short time limit."""
    made = Repo(tmp_path / "repo")
    made.write("FooRequest.json", '{"type": "data", "name": "Foo", "validVersions": "0", "fields": []}')
    made.commit("one")
    monkeypatch.setattr(limits, "GIT_SECONDS", 0.2)
    return made


def block(repo: Repo) -> None:
    """Make the settings of a repository include a pipe that nobody writes to."""
    pipe = repo.folder / "pipe"
    os.mkfifo(pipe)
    with (repo.folder / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f"[include]\n\tpath = {pipe}\n")


def children(pid: int) -> list[int]:
    """The git processes that a process has started and that run."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(row[0]) for row in rows if row[1:] == [str(pid), "git"]]


def is_running(pid: int) -> bool:
    """Whether there is a process with this id that is not a zombie."""
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listed.stdout.strip()[:1] not in ("", "Z")


def test_a_command_of_git_ends(repo: Repo) -> None:
    others = children(os.getpid())  # of other tests of this worker
    block(repo)
    with pytest.raises(InputError, match=WORDS):
        run(repo.folder, "rev-parse", "HEAD")
    assert set(children(os.getpid())) <= set(others)


def test_the_reader_of_objects_ends_and_may_be_used_again(repo: Repo) -> None:
    others = children(os.getpid())
    block(repo)
    reader = ObjectReader(repo.folder)
    with pytest.raises(InputError, match=WORDS):
        reader.query_one("HEAD")
    assert not reader.is_running
    assert set(children(os.getpid())) <= set(others)
    (repo.folder / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n", encoding="utf-8")
    assert reader.query_one("HEAD").kind == "commit"
    reader.close()


def test_an_object_that_is_a_pipe_ends_the_reader(repo: Repo) -> None:
    name = repo.git("rev-parse", "HEAD:FooRequest.json").strip()
    place = repo.folder / ".git" / "objects" / name[:2] / name[2:]
    place.unlink()
    os.mkfifo(place)
    reader = ObjectReader(repo.folder)
    assert reader.query_one("HEAD").kind == "commit"
    with pytest.raises(InputError, match=WORDS):
        reader.query_one(name)
    assert not reader.is_running


def test_a_slow_answer_that_comes_is_read(repo: Repo) -> None:
    """The limit is on silence, not on the whole time."""
    script = "for n in 1 2 3 4 5 6; do sleep 0.1; echo $n; done"
    repo.git("config", "alias.slow", f"!{script}")
    assert run(repo.folder, "slow").split() == [b"1", b"2", b"3", b"4", b"5", b"6"]


def test_git_does_not_outlive_a_check(repo: Repo) -> None:
    block(repo)
    process = subprocess.Popen(
        [*CHECK, "--staged"], cwd=repo.folder, stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 20
    while not (started := children(process.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(started) == 1
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert not is_running(started[0])


def test_a_check_ends_with_one_line(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    block(repo)
    short = "from wirebook.specs import limits; limits.GIT_SECONDS = 0.2; "
    done = subprocess.run(
        [CHECK[0], "-c", short + CHECK[2], "check", "--staged"],
        cwd=repo.folder, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert WORDS in done.stderr
