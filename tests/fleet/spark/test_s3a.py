"""Logs and tables of a fleet in an object store: Hadoop's s3a and a local S3 server, where both are at hand.

WIREBOOK_S3A_JARS names a folder with hadoop-aws and the AWS SDK that it needs; the package sagemaker-pyspark
carries both. The server is moto's (`moto_server`). Run this file on its own: the Java process of
other tests of Spark lacks the jars.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from pyspark.sql import SparkSession

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, rows
from tests.support import ROOT, free_port
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.fleet import run
from wirebook.fleet.reading.objects import StoredObject
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.spark.job import SparkReader
from wirebook.specs.problems import InputError

JARS = sorted(Path(os.environ.get("WIREBOOK_S3A_JARS", "/nowhere")).glob("*.jar"))
SERVER = shutil.which("moto_server")
START_SECONDS = 300
pytestmark = pytest.mark.skipif(
    not JARS or SERVER is None, reason="WIREBOOK_S3A_JARS or moto_server is not there"
)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of an S3 server with a bucket: one, because Hadoop keeps the connections to a bucket."""
    assert SERVER is not None
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    # Its Python may be another one than ours.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [SERVER, "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(
        command, cwd="/", env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                urlopen(Request(f"{address}/bucket", method="PUT"), timeout=5).close()
                break
            except OSError:
                assert server.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield address
    finally:
        server.kill()
        server.wait()


def settings(endpoint: str) -> dict[str, str]:
    """Settings for that server; times are numbers: hadoop-aws may be older than Hadoop, which has units."""
    given = {
        "endpoint": endpoint,
        "endpoint.region": "us-east-1",
        "access.key": "x",
        "secret.key": "y",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "connection.establish.timeout": "30000",
        "connection.timeout": "200000",
        "threads.keepalivetime": "60",
        "multipart.purge.age": "86400",
    }
    jars = ",".join(map(str, JARS))
    return {"spark.jars": jars, **{f"spark.hadoop.fs.s3a.{name}": value for name, value in given.items()}}


def counted(spark: SparkSession, uri: str) -> dict[str, int]:
    """The requests of each day, as the page on clusters reads them."""
    for name in ("requests", "published"):
        spark.read.parquet(f"{uri}/{name}").createOrReplaceTempView(name)
    query = (ROOT / "site_src" / "cluster.md").read_text().partition("```sql\n")[2].partition("```")[0]
    rows = spark.sql(query).groupBy("day").sum("requests").collect()
    return {str(row[0]): row[1] for row in rows}


def test_executors_write_the_days_of_a_fleet_to_s3(endpoint: str, tmp_path: Path) -> None:
    def lines(day: int) -> bytes:
        return b"".join(
            kafka_line(version=each, at=f"2026-10-0{day} 10:00:00,123") + b"\n" for each in (3, 9)
        )

    log, uri = tmp_path / "a.log", "s3a://bucket/fleet"
    log.write_bytes(lines(1) + lines(2))
    with spark_session("local[2]", conf=settings(endpoint)) as spark:
        there = Storage(spark, uri)
        request = FleetRequest([str(log)], "4.0", tmp_path / "out", tables=uri)
        fleet(request)
        assert counted(spark, uri) == {"2026-10-01": 2, "2026-10-02": 2}
        first = there.read("published", "day", "publication")
        with log.open("ab") as more:
            more.write(lines(2) + lines(3))
        fleet(request)
        assert counted(spark, uri) == {"2026-10-01": 2, "2026-10-02": 4, "2026-10-03": 2}
        # The first day is as it was.
        now = there.read("published", "day", "publication")
        assert [row for row in now if row[0] == "2026-10-01"] == [
            row for row in first if row[0] == "2026-10-01"
        ]


def test_logs_in_s3_count_like_files(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def send(name: str, method: str, data: bytes | None = None) -> None:
        headers = {"Authorization": "AWS x:y", "Content-Type": "application/octet-stream"}
        asks = Request(f"{endpoint}/bucket/logs/{name}", data, headers, method=method)
        urlopen(asks, timeout=60).close()

    def put(name: str, day: int) -> bytes:
        lines = [kafka_line(version=each, at=f"2026-10-0{day} 10:00:00,123") for each in (3, 9)]
        text = b"\n".join(lines) + b"\n"
        data = gzip.compress(text, mtime=0) if name.endswith(".gz") else text
        send(name, "PUT", data)
        return text

    logs = tmp_path / "logs"
    logs.mkdir()
    names = ("dt=1/a.log", "dt=1/b.log.gz", "dt=2/a.log")
    for day, name in enumerate(names, 1):
        (logs / f"{day}.log").write_bytes(put(name, day))
    monkeypatch.setattr(run, "at_hand", lambda: False)
    asked(logs, tmp_path / "plain")
    with spark_session("local[1]", conf=settings(endpoint)):
        request = FleetRequest(["s3a://bucket/logs/dt=*/"], "4.0", tmp_path / "out")
        fleet(request)
        assert rows(tmp_path / "out") == rows(tmp_path / "plain")
        # A file vanishes after the listing: nothing changes.
        put("dt=2/b.log", 4)
        before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
        listed = SparkReader.listed

        def vanishing(self: SparkReader, addresses: Sequence[str]) -> list[StoredObject]:
            files = listed(self, addresses)
            send("dt=2/b.log", "DELETE")
            return files

        with monkeypatch.context() as patch:
            patch.setattr(SparkReader, "listed", vanishing)
            with pytest.raises(InputError) as caught:
                fleet(request)
        assert "logs/dt=2/b.log" in str(caught.value)
        assert "\n" not in str(caught.value)
        after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
        assert after == before
        (logs / "4.log").write_bytes(put("dt=2/c.log", 4))
        fleet(request)
        asked(logs, tmp_path / "plain")
        assert rows(tmp_path / "out") == rows(tmp_path / "plain")
