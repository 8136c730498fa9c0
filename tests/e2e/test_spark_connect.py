"""A server of Spark Connect gives the same table as one process, from paths and from addresses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

from tests.fleet.logs import container_log, kafka_line
from tests.support import ROOT, free_port
from wirebook.docgen.pipeline.java import find_java

pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]

SPARK = Path(pyspark.__file__).resolve().parent
MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"
START_SECONDS = 300


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `viewfs://c/logs` shows to the server."""
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def server(top: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose Python has the packages of Spark, but not ours."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    packages = folder / "packages"
    packages.mkdir()
    for place in map(Path, sys.path):
        for package in place.glob("*") if place.name == "site-packages" else ():
            if "wirebook" not in package.name and not (packages / package.name).exists():
                (packages / package.name).symlink_to(package)
    python = folder / "python"
    base = getattr(sys, "_base_executable", sys.executable)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {base} -s "$@"\n')
    python.chmod(0o755)
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.hadoop.fs.viewfs.mounttable.c.link./logs": top.as_uri(),
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment |= {"JAVA_HOME": str(find_java()), "SPARK_HOME": str(SPARK)}
    environment["PYSPARK_PYTHON"] = str(python)  # the setting of this name is not read by a server
    command = ["bash", str(SPARK / "bin" / "spark-submit"), "--class", MAIN, "--master", "local[1]", *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "spark-internal"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while "Spark Connect server started" not in (folder / "log").read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail((folder / "log").read_text(errors="replace")[-2_000:])
            time.sleep(0.2)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def run(*given: str) -> None:
    """`wirebook fleet`, in a process of its own: a session of Connect and one of another kind exclude each
    other.
    """
    command = [sys.executable, "-m", "wirebook.cli.main", "fleet", *given, "--target", "4.0", "-q"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert not ended.returncode, ended.stderr


def test_the_table_is_that_of_one_process(server: str, top: Path, tmp_path: Path) -> None:
    lines = [kafka_line(version=3 + n % 2, client_id=f"app-{n % 300}") for n in range(3_000)]
    (top / "plain.log").write_bytes(b"\n".join(lines) + b"\n")
    (top / "container.log").write_bytes(b"\n".join(container_log()) + b"\n")
    run(str(top), "--output", str(tmp_path / "one"))
    run(str(top), "--output", str(tmp_path / "paths"), "--master", server)
    run("viewfs://c/logs", "--output", str(tmp_path / "addresses"), "--master", server)
    one, paths, addresses = (
        (tmp_path / name / "requests.jsonl").read_bytes() for name in ("one", "paths", "addresses")
    )
    assert one == paths == addresses != b""
