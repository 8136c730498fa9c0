"""Spark's own standalone cluster on loopback makes the same catalog, and fails in one clear line."""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark import SparkContext

from tests.docgen.histories import field, inputs, temporary
from tests.docgen.histories import request as request_of
from tests.docgen.pipeline.test_pipeline import history
from tests.repositories import broken, request, started
from tests.support import ROOT
from wirebook.docgen.pipeline import cluster as executors
from wirebook.docgen.pipeline.audit import audit
from wirebook.docgen.pipeline.java import find_java
from wirebook.docgen.pipeline.run import build_catalog, run
from wirebook.specs.problems import InputError

pytestmark = pytest.mark.xdist_group("spark")

SPARK = Path(pyspark.__file__).resolve().parent
START_SECONDS = 120
WORKERS = ("worker-1", "worker-2")


class Cluster:
    """A master and workers, each a Java process in a folder of its own from which nothing of ours is seen."""

    def __init__(self) -> None:
        self.folder = temporary("cluster")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = free_port()
        self.python = self.bare_python()

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def bare_python(self) -> Path:
        """A Python for executors that has Spark's package, and neither ours nor this environment's."""
        packages = self.folder / "packages"
        packages.mkdir()
        for name in ("pyspark", "py4j"):
            (packages / name).symlink_to(SPARK.parent / name)
        python = self.folder / "python"
        base = getattr(sys, "_base_executable", sys.executable)
        python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {base} -s "$@"\n')
        python.chmod(0o755)
        return python

    def start(self, name: str, main: str, *arguments: str) -> None:
        folder = self.folder / name
        folder.mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "JAVA_HOME": str(find_java()),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        with (folder / "log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                ["bash", str(SPARK / "bin" / "spark-class"), main, *arguments],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.await_words(name, "Successfully registered" if name != "master" else "elected leader")

    def await_words(self, name: str, words: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        log = self.folder / name / "log"
        while words not in log.read_text(errors="replace"):
            if self.processes[name].poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the {name} did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)

    def start_master(self) -> None:
        self.start(
            *("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1"),
            *("--port", str(self.port), "--webui-port", "0"),
        )

    def start_workers(self) -> None:
        """Start the workers that do not run."""
        for name in WORKERS:
            if name not in self.processes:
                shutil.rmtree(self.folder / name, ignore_errors=True)
                self.start(
                    *(name, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1"),
                    *("--webui-port", "0", "--cores", "1", "--memory", "700m"),
                    *("--work-dir", str(self.folder / name / "work"), self.master),
                )

    def stop(self, *names: str) -> None:
        """End processes and all that they started; without names, all."""
        for name in names or list(self.processes):
            process = self.processes.pop(name, None)
            if process is None:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster with a master; a test that needs workers starts them."""
    made = Cluster()
    # What a cluster with little memory is given; Spark reads it from where its users put it.
    conf = made.folder / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text("spark.executor.memory 600m\nspark.cores.max 2\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(conf))
        patch.setenv("PYSPARK_PYTHON", str(made.python))
        try:
            made.start_master()
            yield made
        finally:
            made.stop()
            shutil.rmtree(made.folder, ignore_errors=True)


def same_files(left: Path, right: Path) -> list[Path]:
    """The names of the files of two folders, which must be the same in both, with the same bytes."""
    names = sorted(path.relative_to(left) for path in left.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(right) for path in right.rglob("*") if path.is_file())
    same, different, odd = filecmp.cmpfiles(left, right, [str(name) for name in names], shallow=False)
    assert (different, odd) == ([], [])
    assert len(same) == len(names)
    return names


def test_a_master_with_two_workers_makes_the_same_catalog_as_local_mode(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_workers()
    made = inputs(history())
    for name, master in (("local", "local[*]"), ("cluster", cluster.master)):
        (tmp_path / name).mkdir()
        run(made, tmp_path / name, master)
    names = same_files(tmp_path / "local", tmp_path / "cluster")
    assert len([name for name in names if name.suffix == ".parquet"]) >= 5
    # Both workers had a part in it, with nothing of ours on their machines.
    for worker in WORKERS:
        assert list((cluster.folder / worker / "work").rglob("wirebook.zip")), f"{worker} had nothing to do"


def audited(folder: Path) -> Path:
    """A repository with two releases, and commits between them that break something and mend it."""
    repo = started(folder)
    repo.git("tag", "1.0.0")
    for number in range(6):
        repo.spec(broken() if number % 2 else request())
        repo.commit(f"change {number}")
    repo.git("tag", "1.1.0")
    return repo.folder


def test_a_master_with_two_workers_judges_a_history_as_local_mode_does(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_workers()
    repository = str(audited(tmp_path / "kafka"))
    for name, master in (("local", "local[2]"), ("cluster", cluster.master)):
        made = audit(repository, "[0-9]*", tmp_path / name, "HEAD", master)
        assert made.judged == 7 + 2
        assert made.summary.findings.commits.error >= 3
    names = same_files(tmp_path / "local", tmp_path / "cluster")
    assert {"index.html", "findings.jsonl", "summary.json"} <= {str(name) for name in names}
    for worker in WORKERS:
        assert list((cluster.folder / worker / "work").rglob("wirebook.zip")), f"{worker} had nothing to do"


def test_a_cluster_that_loses_its_workers_is_given_up(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.start_workers()
    monkeypatch.setattr(executors, "LOST_SECONDS", 1.0)
    target = tmp_path / "catalog"
    watch = executors.watch_executors

    def watch_and_lose(context: SparkContext, stop: threading.Event) -> threading.Thread:
        thread = watch(context, stop)
        cluster.stop(*WORKERS)
        return thread

    monkeypatch.setattr(executors, "watch_executors", watch_and_lose)
    with pytest.raises(InputError) as caught:
        build_catalog(target, None, None, None, cluster.master, quiet=True)
    assert str(caught.value) == "Spark failed: the Spark cluster lost all its executors"
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_without_workers_is_given_up(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "EXECUTOR_SECONDS", 2.0)
    cluster.stop(*WORKERS)
    with pytest.raises(InputError, match="gave no executor within 2 seconds"):
        build_catalog(tmp_path / "catalog", None, None, None, cluster.master, quiet=True)
    assert list(tmp_path.iterdir()) == []


def test_a_busy_port_is_one_clear_line(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
        (tmp_path / "conf").mkdir()
        defaults = tmp_path / "conf" / "spark-defaults.conf"
        defaults.write_text(f"spark.driver.port {port}\nspark.port.maxRetries 0\n")
        with pytest.raises(InputError) as caught:
            build_catalog(tmp_path / "catalog", None, None, None, cluster.master, quiet=True)
    assert "a port that Spark was told to use is busy" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["conf"]


def test_spark_submit_runs_the_command_line(cluster: Cluster, tmp_path: Path) -> None:
    """The user's own spark-submit, with its options: the command runs in its Java process."""
    cluster.start_workers()
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "OddRequest.json").write_text(json.dumps(request_of("Odd", 900, "0-1", field("A", "string"))))
    target = tmp_path / "catalog"
    done = subprocess.run(
        [
            *("bash", str(SPARK / "bin" / "spark-submit"), "--master", cluster.master),
            *("--conf", "spark.ui.enabled=false", "--name", "mine"),
            *(str(ROOT / "cli" / "main.py"), "build", str(specs)),
            *("--catalog", str(target), "--site-dir", str(tmp_path / "site")),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "JAVA_HOME": str(find_java()),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    run_here = tmp_path / "here"
    build_catalog(run_here, str(specs), None, None, "local[2]", quiet=True)
    same_files(run_here, target)
    assert (tmp_path / "site" / "index.html").is_file()
    logs = (cluster.folder / "master" / "log").read_text(errors="replace")
    assert "Registering app mine" in logs


def test_a_session_of_the_caller_is_used_and_left_running(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_workers()
    code = (
        "import sys\nfrom pathlib import Path\nfrom pyspark.sql import SparkSession\n"
        "from wirebook.docgen.pipeline.run import build_catalog\n"
        "spark = SparkSession.builder.master(sys.argv[2]).appName('theirs').config('spark.ui.enabled', False)"
        ".config('spark.driver.host', '127.0.0.1').config('spark.executor.memory', '600m')"
        ".config('spark.sql.shuffle.partitions', 4).getOrCreate()\n"
        "spark.range(1).count()  # Spark sets the folder of its warehouse with the first query\n"
        "before = dict(spark.sparkContext.getConf().getAll())\n"
        "build_catalog(Path(sys.argv[1]), None, None, None, quiet=True)\n"
        "assert SparkSession.getActiveSession() is spark\n"
        "assert spark.range(7).count() == 7\n"
        "assert spark.conf.get('spark.sql.adaptive.enabled') == 'true'\n"
        "assert dict(spark.sparkContext.getConf().getAll()) == before\n"
        "print(spark.sparkContext.appName)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "theirs"), cluster.master],
        env={**os.environ, "PYTHONPATH": str(ROOT), "JAVA_HOME": str(find_java())},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == ["theirs"]
    build_catalog(tmp_path / "ours", None, None, None, "local[2]", quiet=True)
    same_files(tmp_path / "ours", tmp_path / "theirs")
