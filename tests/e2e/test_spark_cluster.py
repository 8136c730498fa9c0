"""Spark's own standalone cluster on loopback makes the same catalog, and fails in one clear
line."""

from __future__ import annotations

import contextlib
import filecmp
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyspark
import pytest
from pyspark import SparkContext

from tests.docgen.histories import field, inputs
from tests.docgen.histories import request as request_of
from tests.docgen.pipeline.small_history import history
from tests.docgen.site_requests import gathered
from tests.fleet.logs import kafka_line
from tests.repositories import broken, request, started
from tests.shared import temporary
from tests.support import ROOT, free_port
from wirebook.docgen.pipeline import session
from wirebook.docgen.pipeline.audit import audit
from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.pipeline.session import spark_context
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.specs.output import CATALOG, replaced
from wirebook.specs.problems import InputError

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]

SPARK = Path(pyspark.__file__).resolve().parent
START_SECONDS = 300
WORKERS = ("worker-1", "worker-2")
# The processes live for seconds: compiling their code well takes longer than it saves.
QUICK_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class Cluster:
    """A master and workers, each a Java process in a folder of its own from which nothing of ours
    is seen."""

    def __init__(self) -> None:
        self.folder = temporary("cluster")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = free_port()
        self.python = self.bare_python()

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def bare_python(self, base: str = getattr(sys, "_base_executable", sys.executable)) -> Path:
        """A Python for executors that has Spark's package, and neither ours nor this
        environment's."""
        packages = self.folder / "packages"
        packages.mkdir(exist_ok=True)
        python = self.folder / f"python-{len(list(self.folder.glob('python-*')))}"
        for name in ("pyspark", "py4j"):
            if not (packages / name).is_symlink():
                (packages / name).symlink_to(SPARK.parent / name)
        python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {base} -s "$@"\n')
        python.chmod(0o755)
        return python

    def start(self, name: str, main: str, *arguments: str) -> None:
        folder = self.folder / name
        folder.mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "JAVA_TOOL_OPTIONS": QUICK_JAVA,
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

    def start_workers(self, *names: str) -> None:
        """Start the workers that do not run, of those with these names; without names, of all."""
        for name in names or WORKERS:
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


# What a cluster with little memory is given.
SMALL = {"spark.executor.memory": "600m", "spark.cores.max": "2"}
# For what does not depend on how many there are.
ONE_EXECUTOR = {**SMALL, "spark.cores.max": "1"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster with a master; a test that needs workers starts them."""
    made = Cluster()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", str(made.python))
        try:
            made.start_master()
            yield made
        finally:
            made.stop()
            shutil.rmtree(made.folder, ignore_errors=True)


def same_files(left: Path, right: Path) -> list[Path]:
    """The names of the files of two folders, which must be the same in both, with the same
    bytes."""
    names = sorted(path.relative_to(left) for path in left.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(right) for path in right.rglob("*") if path.is_file())
    same, different, odd = filecmp.cmpfiles(
        left, right, [str(name) for name in names], shallow=False
    )
    assert (different, odd) == ([], [])
    assert len(same) == len(names)
    return names


def audited(folder: Path, own: str | None = None) -> Path:
    """A repository with two releases, commits between them that break something and mend it, and
    perhaps an API of its own.
    """
    repo = started(folder)
    if own is not None:
        repo.spec(request(name=f"{own}Request", apiKey=501))
    repo.git("tag", "1.0.0")
    for number in range(6):
        repo.spec(broken() if number % 2 else request())
        repo.commit(f"change {number}")
    repo.git("tag", "1.1.0")
    return repo.folder


def logs_of_three(folder: Path) -> Path:
    """Logs of three clients; one file is compressed."""
    folder.mkdir()
    for number in range(3):
        lines = b"".join(
            kafka_line(version=version, client_id=f"client-{number}") + b"\n"
            for version in (2, 3, 11, 17) * 20
        )
        (folder / f"{number}.log").write_bytes(lines)
    plain = folder / "2.log"
    (folder / "2.log.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    return folder


class Given:
    """What the tests read, and what local mode makes of it, in one session."""

    def __init__(self, folder: Path) -> None:
        self.repository = str(audited(folder / "kafka"))
        self.logs = logs_of_three(folder / "logs")
        self.specs = folder / "specs"
        self.specs.mkdir()
        odd = request_of("Odd", 900, "0-1", field("A", "string"))
        (self.specs / "OddRequest.json").write_text(json.dumps(odd))
        self.folder = folder / "local"
        self.folder.mkdir()
        with spark_context("local[2]"), distribution(None, {}, SILENT) as distribute:
            self.make(self.folder)
            with replaced(self.folder / "odd", CATALOG) as target:
                build(gathered(self.specs), target, distribute)

    def make(self, folder: Path) -> None:
        """A catalog, an audit and a fleet, in the session of the caller."""
        (folder / "catalog").mkdir(parents=True)
        with distribution(None, {}, SILENT) as distribute:
            build(inputs(history()), folder / "catalog", distribute)
        made = audit(self.repository, "[0-9]*", folder / "audit")
        assert made.findings.commits.error >= 3
        found = fleet(FleetRequest([str(self.logs)], "4.0", folder / "fleet"))
        assert (found.logs.lines, found.applications.total) == (240, 1)


@pytest.fixture(scope="module")
def given() -> Iterator[Given]:
    folder = temporary("given")
    yield Given(folder)
    shutil.rmtree(folder, ignore_errors=True)


# Parts of pyarrow that nothing here loads: of 170 MB each executor unpacks 100.
NOT_LOADED = re.compile(
    r"include|tests|src|__pycache__|.*(flight|_s3|\.so\.\d+\.\d+\.\d+$|\.px[di]$|\.pyx$).*"
)


@cache
def packed_pyarrow() -> Path:
    """An archive of pyarrow, made once."""
    found = Path(pa.__file__).parent
    archive = temporary("packages") / "packages.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(found.rglob("*")):
            part = path.relative_to(found.parent)
            if path.is_file() and not any(NOT_LOADED.fullmatch(name) for name in part.parts):
                packed.write(path, part)
    return archive


def shipped_packages() -> dict[str, str]:
    """Settings that give pyarrow to executors whose Python lacks it, as the page on clusters
    describes."""
    return {
        "spark.archives": f"{packed_pyarrow()}#packages",
        "spark.executorEnv.PYTHONPATH": "packages",
    }


class TestTwoWorkers:
    """One session on two workers, which have nothing of ours and no pyarrow but what is shipped."""

    @pytest.fixture(scope="class")
    def started(self, given: Given, cluster: Cluster) -> Iterator[SparkContext]:
        cluster.start_workers()
        with spark_context(cluster.master, conf={**shipped_packages(), **SMALL}) as context:
            yield context

    def test_the_results_are_those_of_local_mode(
        self, started: SparkContext, given: Given, cluster: Cluster, tmp_path: Path
    ) -> None:
        given.make(tmp_path / "made")
        names = same_files(given.folder / "catalog", tmp_path / "made" / "catalog")
        assert len([name for name in names if name.suffix == ".parquet"]) >= 5
        names = same_files(given.folder / "audit", tmp_path / "made" / "audit")
        assert {"index.html", "findings.jsonl", "summary.json"} <= {str(name) for name in names}
        same_files(given.folder / "fleet", tmp_path / "made" / "fleet")
        # Both workers had a part in it.
        for worker in WORKERS:
            shipped = list((cluster.folder / worker / "work").rglob("wirebook.zip"))
            assert shipped, f"{worker} had nothing to do"

    def test_a_worker_that_is_killed_changes_nothing(
        self, started: SparkContext, given: Given, cluster: Cluster, tmp_path: Path
    ) -> None:
        class Killing(Progress):
            """Ends a worker when the first result is there."""

            def advance(self) -> None:
                cluster.stop(WORKERS[1])

        with distribution(None, {}, SILENT) as distribute:
            build(inputs(history()), tmp_path, distribute, Killing())
        assert WORKERS[1] not in cluster.processes
        same_files(given.folder / "catalog", tmp_path)


def test_a_cluster_without_workers_is_given_up(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "EXECUTOR_SECONDS", 2.0)
    cluster.stop(*WORKERS)
    refused = pytest.raises(InputError, match="gave no executor within 2 seconds")
    with refused, spark_context(cluster.master):
        pytest.fail("there is no executor")


SUBMITTED = """\
import sys
from pyspark.sql import SparkSession
from wirebook.cli.main import main

specs, logs, out = sys.argv[1:]
# No session is there yet: the command makes one, in the Java process of spark-submit.
assert main(["build", specs, "--catalog", f"{out}/odd", "--site-dir", f"{out}/site"]) == 0

spark = SparkSession.builder.appName("theirs").config("spark.sql.shuffle.partitions", 4).getOrCreate()
spark.range(1).count()  # Spark sets the folder of its warehouse with the first query
before = dict(spark.sparkContext.getConf().getAll())
assert main(["fleet", logs, "--target", "4.0", "--output", f"{out}/fleet", "-q"]) == 0
assert SparkSession.getActiveSession() is spark
assert spark.range(7).count() == 7
assert spark.conf.get("spark.sql.adaptive.enabled") == "true"
assert dict(spark.sparkContext.getConf().getAll()) == before
print("still", spark.sparkContext.appName)
"""


def test_spark_submit_runs_commands_and_a_session_of_the_caller_is_left_running(
    given: Given, cluster: Cluster, tmp_path: Path
) -> None:
    """The user's own spark-submit, with its options, of a script: the commands run in its Java
    process."""
    cluster.start_workers(WORKERS[0])
    script, out = tmp_path / "job.py", tmp_path / "out"
    script.write_text(SUBMITTED)
    out.mkdir()
    shipped = [f"{name}={value}" for name, value in {**shipped_packages(), **ONE_EXECUTOR}.items()]
    done = subprocess.run(
        [
            *("bash", str(SPARK / "bin" / "spark-submit"), "--master", cluster.master),
            *(word for setting in shipped for word in ("--conf", setting)),
            # A session of spark-submit has Spark's defaults: 200 partitions, in which tasks do
            # nothing.
            *("--conf", "spark.sql.shuffle.partitions=4", "--conf", "spark.ui.enabled=false"),
            *("--name", "mine"),
            *(str(script), str(given.specs), str(given.logs), str(out)),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "JAVA_TOOL_OPTIONS": QUICK_JAVA,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "still theirs"
    same_files(given.folder / "odd", out / "odd")
    assert (out / "site" / "index.html").is_file()
    same_files(given.folder / "fleet", out / "fleet")
    logs = (cluster.folder / "master" / "log").read_text(errors="replace")
    assert "Registering app mine" in logs
