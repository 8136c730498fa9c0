"""A session of our own: what it takes from the user, what it leaves behind, and how it is
stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.xdist_group("spark")

COMMAND = [sys.executable, "-m", "wirebook.cli.main", "build", "kafka", "--quiet"]


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "tmp").mkdir(exist_ok=True)
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp"), **more}


def scripted(folder: Path, code: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


OPENED = (
    "import sys\n"
    "from wirebook.docgen.pipeline.session import spark_context\n"
    "from pyspark import SparkContext\n"
    "for turn in range(2):\n"
    "    with spark_context() as context:\n"
    "        found = dict(context.getConf().getAll())\n"
    "        assert context.parallelize(range(4), 2).map(lambda x: x + 1).sum() == 10\n"
    "    assert SparkContext._active_spark_context is None\n"
    "for name in sys.stdin.read().split() or sorted(found):\n"
    "    print(name, found[name])\n"
)


def settings_of(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@pytest.mark.long
def test_a_session_says_nothing_and_leaves_nothing_and_can_be_opened_again(tmp_path: Path) -> None:
    found = settings_of(scripted(tmp_path, OPENED))
    assert found["spark.master"] == "local[*]"
    assert found["spark.ui.enabled"] == "false"
    assert found["spark.app.name"] == "wirebook"
    deadline = time.monotonic() + 120
    while (left := list((tmp_path / "tmp").iterdir())) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(["--conf", "spark.driver.memory=lots"], "lots", marks=pytest.mark.long),
        pytest.param(
            ["--conf", "spark.driver.extraJavaOptions=-XX:ParallelGCThreads=none"],
            "ParallelGCThreads=none",
            marks=pytest.mark.long,
        ),
        (["--conf", "memory=2g"], '"memory=2g" is not a Spark setting'),
        (["--conf", "spark.driver.memory"], "write spark.NAME=VALUE"),
    ],
)
def test_a_setting_that_spark_refuses_is_one_line(
    settings: list[str], words: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [*COMMAND, "--catalog", "catalog", "--site-dir", "site", *settings],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Try: ")]
    assert len(lines) == 1, done.stderr
    assert words in lines[0]
    assert not (tmp_path / "catalog").exists()


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_leaves_no_java_behind(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C ends the command in one line; whatever ends it, Java and its files go with it."""
    started = subprocess.Popen(
        [*COMMAND, "--catalog", "catalog", "--site-dir", "site"],
        cwd=tmp_path,
        env=environment(tmp_path, WIREBOOK_MARK=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that a shell runs in the background ignore Ctrl-C, and so would the command.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_for(lambda: any("SparkSubmit" in line for line in marked(tmp_path)))
        time.sleep(5)
        started.send_signal(number)
        out, err = started.communicate(timeout=300)
    finally:
        started.kill()
    if number == signal.SIGINT:
        assert started.returncode == 130, err
        assert (out, err) == ("", "wirebook: stopped\n")
        assert [path.name for path in tmp_path.iterdir()] == ["tmp"]
        wait_for(lambda: not list((tmp_path / "tmp").iterdir()))
    wait_for(lambda: not marked(tmp_path))


def marked(folder: Path) -> list[str]:
    """The command lines of the processes that were started with our mark."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"WIREBOOK_MARK={folder}".encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(
                    (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
        except OSError:
            continue
    return [line for line in found if line]


def wait_for(true: object, seconds: float = 300) -> None:
    assert callable(true)
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)
