"""How Spark's failures become one line, and whose settings count."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pyspark import SparkContext

from wirebook.docgen.pipeline import cluster, session, settings
from wirebook.docgen.pipeline.failures import explain
from wirebook.specs.problems import InputError

MASTER = "spark://somewhere:7077"
JAVA = """An error occurred while calling o12.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 3 times
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2898)
"""
PYTHON = (
    JAVA
    + """Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
ValueError: the text is
 odd
\tat org.apache.spark.api.python.BasePythonRunner.run(PythonRunner.scala:1)
"""
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (JAVA + "Caused by: java.io.IOException: No space left on device\n", "the disk is full"),
        (
            JAVA + "Caused by: java.io.IOException: File too large\n",
            "a file may not grow any further (the limit on file sizes)",
        ),
        (
            "java.net.BindException: Address already in use: Service 'sparkDriver' failed after 16 retries\n",
            "a port that Spark was told to use is busy: "
            "Address already in use: Service 'sparkDriver' failed after 16 retries",
        ),
        (
            "ERROR StandaloneSchedulerBackend: All masters are unresponsive! Giving up.",
            f"the Spark master {MASTER} does not answer",
        ),
        (JAVA + "ExecutorLostFailure (executor 1 exited)", "a Spark executor died again and again: "
         "ExecutorLostFailure (executor 1 exited)"),
        ("Job 3 cancelled as part of cancellation of all jobs", "the Spark cluster lost all its executors"),
        ("java.lang.OutOfMemoryError: Java heap space\n\tat x", "Spark ran out of memory: "
         "OutOfMemoryError: Java heap space"),
        (PYTHON, "ValueError: the text is"),
        (
            "RuntimeError: Python in worker has different version: 3.7 than that in driver: 3.11, PySpark "
            "cannot run with different minor versions.\n",
            "Python in worker has different version: 3.7 than that in driver: 3.11, PySpark cannot run with "
            "different minor versions. PYSPARK_PYTHON names the Python of the executors",
        ),
        (
            PYTHON.replace("ValueError: the text is", "ModuleNotFoundError: No module named 'pyarrow.lib'"),
            "the Python of the executors lacks the package pyarrow: install it there, or ship it by "
            "--conf spark.archives (Running on a cluster)",
        ),
        (
            JAVA,
            "org.apache.spark.SparkException: Job aborted due to stage failure: "
            "Task 0 in stage 1.0 failed 3 times",
        ),
        ("", "no reason given"),
    ],
)  # fmt: skip
def test_a_failure_is_one_line(text: str, line: str) -> None:
    assert explain(text, MASTER) == f"Spark failed: {line}"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (
            "Caused by: java.io.IOException: No space left on device\n",
            "the folder /scratch of Spark (spark.local.dir)",
        ),
        (
            "java.io.FileNotFoundException: /scratch/b-1/shuffle_0.data (No space left on device)\n",
            '"shuffle_0.data" in the folder /scratch/b-1',
        ),
        ("OSError: [Errno 28] No space left on device: '/a b/c.json'\n", '"c.json" in the folder /a b'),
    ],
)
def test_a_full_disk_names_the_file_or_the_folder(text: str, where: str) -> None:
    assert explain(JAVA + text, MASTER, "/scratch") == f"Spark failed: the disk is full: {where}"


# -- whose settings count -------------------------------------------------------------------------


@pytest.fixture
def unconfigured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    return monkeypatch


def test_without_a_configuration_the_defaults_count(tmp_path: Path, unconfigured: pytest.MonkeyPatch) -> None:
    conf = settings.conf_folder(settings.spark_home())
    assert conf is None
    assert settings.users_settings(conf) == {}
    made = settings.defaults("127.0.0.1", True, False, 2, tmp_path)
    memory = int(made["spark.driver.memory"].removesuffix("m"))
    assert 1024 <= memory <= 4096
    assert memory == settings.driver_memory() >> 20
    assert made["spark.ui.enabled"] == "false"


@pytest.mark.parametrize(
    ("gib", "expected"), [(0.5, 1024), (4, 1024), (6, 1536), (12, 3072), (16, 4096), (500, 4096)]
)
def test_the_default_memory_is_a_quarter_of_the_machines_within_bounds(
    gib: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_memory", lambda: int(gib * settings.GIB))
    assert settings.driver_memory() >> 20 == expected
    # Work of minutes may take a quarter of a larger machine, too.
    large = 16384 if gib == 500 else expected
    assert settings.driver_memory(large=True) >> 20 == large


@pytest.mark.parametrize(
    ("large", "sized", "is_taken"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_only_a_quick_run_takes_memory_from_the_start_and_only_of_our_amount(
    large: bool, sized: bool, is_taken: bool
) -> None:
    flags = settings.java_flags(large, sized=sized)
    assert any(flag.startswith("-Xms") for flag in flags) == is_taken


def test_work_of_minutes_gets_adaptive_plans_and_compiled_queries(
    tmp_path: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    small, large = (settings.defaults("127.0.0.1", True, each, 2, tmp_path) for each in (False, True))
    assert small["spark.sql.adaptive.enabled"] == "false"
    assert large["spark.sql.adaptive.enabled"] == "true"
    assert small["spark.sql.codegen.wholeStage"] == "false"
    assert "spark.sql.codegen.wholeStage" not in large


def test_the_spark_of_spark_home_is_started(tmp_path: Path, unconfigured: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "spark"
    (mine / "conf").mkdir(parents=True)
    (mine / "conf" / "spark-defaults.conf").write_text("spark.task.maxFailures 7\n")
    assert settings.spark_home() == mine
    conf = settings.conf_folder(mine)
    assert settings.users_settings(conf) == {"spark.task.maxFailures": "7"}
    assert settings.start_environment(Path("/java"), mine, local=True)["SPARK_HOME"] == str(mine)
    unconfigured.delenv("SPARK_HOME")
    packaged = settings.spark_home()
    assert (packaged / "jars").is_dir()
    assert settings.start_environment(Path("/java"), packaged, local=True)["SPARK_HOME"] == str(packaged)


def test_relative_paths_of_the_environment_become_absolute(
    tmp_path: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    unconfigured.chdir(tmp_path)
    unconfigured.setenv("SPARK_HOME", "spark")
    unconfigured.setenv("SPARK_CONF_DIR", "conf")
    unconfigured.setenv("PYSPARK_PYTHON", "venv/bin/python")
    unconfigured.setenv(
        "PYSPARK_SUBMIT_ARGS",
        "--jars a.jar,s3a://b/c.jar --files=d --conf spark.jars=e.jar -c spark.x=f --name g pyspark-shell",
    )
    assert settings.spark_home() == tmp_path / "spark"
    found = settings.start_environment(Path("/java"), settings.spark_home(), local=True)
    assert found["SPARK_CONF_DIR"] == str(tmp_path / "conf")
    assert found["PYSPARK_PYTHON"] == str(tmp_path / "venv" / "bin" / "python")
    assert found["PYSPARK_SUBMIT_ARGS"] == (
        f"--jars {tmp_path}/a.jar,s3a://b/c.jar --files={tmp_path}/d --conf spark.jars={tmp_path}/e.jar "
        "-c spark.x=f --name g pyspark-shell"
    )


@pytest.mark.parametrize(
    ("master", "said", "expected"),
    [
        ("spark://a:7077", None, (60.0, 30.0)),
        ("k8s://https://a:443", None, (600.0, 600.0)),
        ("yarn", None, (600.0, 600.0)),
        ("yarn", "90", (90.0, 90.0)),
        ("spark://a:7077", "5s", (5.0, 5.0)),
    ],
)
def test_masters_that_ask_for_machines_get_more_time(
    master: str, said: str | None, expected: tuple[float, float]
) -> None:
    patience = cluster.Patience.of(master, said)
    assert (patience.first, patience.lost) == expected


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:{}", "sc://127.0.0.1:{}", "sc://127.0.0.1:{}/;token=secret"]
)
def test_a_master_or_server_that_does_not_listen_is_one_line(master: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = master.format(unused.getsockname()[1])
        with pytest.raises(InputError) as refused:
            cluster.check_reachable(address)
        unused.listen()
        cluster.check_reachable(address)
    words = f"the Spark master {address.partition('/;')[0]} cannot be reached: Connection refused"
    assert str(refused.value) == words


def test_no_message_has_the_token_of_a_server() -> None:
    with (
        pytest.raises(InputError, match=r"name a classic master, not sc://a:1$"),
        session.spark_session("sc://a:1/;token=secret"),
    ):
        pass


def test_a_time_that_is_no_number_is_one_line() -> None:
    with pytest.raises(InputError, match=r'executorWait is "soon"; write a number of seconds'):
        cluster.Patience.of("yarn", "soon")


class Stages:
    """A Spark context with stages, as (running, completed) tasks of each, and whether it was cancelled."""

    def __init__(self, *stages: tuple[int, int]) -> None:
        self.stages = stages
        self.cancelled = threading.Event()

    def statusTracker(self) -> Stages:  # noqa: N802
        return self

    def getActiveStageIds(self) -> list[int]:  # noqa: N802
        return list(range(len(self.stages)))

    def getStageInfo(self, number: int) -> SimpleNamespace:  # noqa: N802
        running, completed = self.stages[number]
        return SimpleNamespace(numActiveTasks=running, numCompletedTasks=completed)

    def setJobGroup(self, name: str, description: str) -> None:  # noqa: N802
        pass

    def cancelJobGroup(self, name: str) -> None:  # noqa: N802
        self.cancelled.set()

    def cancelAllJobs(self) -> None:  # noqa: N802
        self.cancelled.set()


def test_a_first_job_that_no_executor_takes_is_given_up() -> None:
    waiting, running = Stages((0, 0)), Stages((1, 0))

    def wait(context: Stages) -> None:
        context.cancelled.wait(30)

    at_once = cluster.Patience(0, 0)
    with pytest.raises(InputError, match="gave no executor within 0 seconds"):
        cluster.await_executor(cast("SparkContext", waiting), MASTER, partial(wait, waiting), at_once)
    job = cluster.await_executor(cast("SparkContext", running), MASTER, partial(wait, running), at_once)
    assert not running.cancelled.is_set()
    running.cancelled.set()
    job.join(30)


def test_only_work_that_nobody_runs_is_given_up() -> None:
    stop, patience = threading.Event(), cluster.Patience(0, 0)
    pause, busy, stuck = Stages(), Stages((0, 3), (1, 0)), Stages((0, 3), (0, 0))
    threads = [
        cluster.watch_executors(cast("SparkContext", each), stop, patience) for each in (pause, busy, stuck)
    ]
    assert stuck.cancelled.wait(30)
    stop.set()
    for thread in threads:
        thread.join(30)
    assert not pause.cancelled.is_set()
    assert not busy.cancelled.is_set()


def test_the_users_configuration_is_read_as_spark_reads_it(
    tmp_path: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        "# spark.ui.enabled true\n\nspark.driver.memory   3g\nspark.master=spark://one:7077\n"
        'spark.driver.extraJavaOptions -Da=b -Dc="d e"\nspark.empty\t \n'
    )
    unconfigured.setenv("SPARK_CONF_DIR", str(conf))
    assert settings.conf_folder(settings.spark_home()) == conf
    found = {
        "spark.driver.memory": "3g",
        "spark.master": "spark://one:7077",
        "spark.driver.extraJavaOptions": '-Da=b -Dc="d e"',
        "spark.empty": "",
    }
    assert settings.users_settings(conf) == found
    unconfigured.setenv(
        "PYSPARK_SUBMIT_ARGS",
        "--driver-memory 2g --conf spark.ui.enabled=true -c 'spark.x=y z=1' --packages a:b:c pyspark-shell",
    )
    assert settings.users_settings(conf) == found | {
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "true",
        "spark.x": "y z=1",
    }
    # Spark reads a file that is named instead of the usual one, not beside it.
    (tmp_path / "mine.conf").write_text("spark.a: b\n")
    unconfigured.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path / 'mine.conf'} pyspark-shell")
    assert settings.users_settings(conf) == {"spark.a": "b"}


@pytest.mark.parametrize("words", ["--conf 'open", "--properties-file /nowhere/x.conf", "--master"])
def test_submit_arguments_that_cannot_be_read_are_one_line(
    words: str, unconfigured: pytest.MonkeyPatch
) -> None:
    unconfigured.setenv("PYSPARK_SUBMIT_ARGS", words)
    with pytest.raises(InputError, match="PYSPARK_SUBMIT_ARGS") as caught:
        settings.users_settings(None)
    assert "\n" not in str(caught.value)


def test_what_the_user_has_set_in_the_environment_stays(
    tmp_path: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    unconfigured.setenv("PYSPARK_PYTHON", "/their/python")
    unconfigured.setenv("SPARK_LOCAL_IP", "10.0.0.1")
    made = settings.start_environment(Path("/java"), tmp_path, local=True)
    assert made["JAVA_HOME"] == "/java"
    assert made["PYSPARK_PYTHON"] == "/their/python"
    assert "SPARK_LOCAL_IP" not in made
    unconfigured.setenv("PYSPARK_PYTHON", "python3")
    assert "PYSPARK_PYTHON" not in settings.start_environment(Path("/java"), tmp_path, local=True)


def test_a_folder_with_a_space_is_one_flag_of_java() -> None:
    assert settings.java_options(["-Da=b", '-Dc=d "e"'], True) == r'"-Da=b" "-Dc=d \"e\""'
    assert "log4j2.properties" in settings.java_options([], False)
    assert settings.LOG_SETTINGS.is_file()


def test_only_the_scratch_of_processes_that_ended_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f"{session._SCRATCH}{pid}-x" for pid in (ended.pid, os.getpid(), 10**30, "me")]
    for name in names:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    session._sweep()
    assert {path.name for path in tmp_path.iterdir()} == {names[1], names[3]}
