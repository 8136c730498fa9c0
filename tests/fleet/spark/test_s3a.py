"""Tables of a fleet in an object store: Hadoop's s3a and a local S3 server, where both are at hand.

WIREBOOK_S3A_JARS names a folder with hadoop-aws and the AWS SDK that it needs; the package sagemaker-pyspark
carries both. The server is moto's (`moto_server`). Run this file on its own: the Java process of
other tests of Spark lacks the jars.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from pyspark.sql import SparkSession

from tests.fleet.logs import kafka_line
from tests.support import ROOT, free_port
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.fleet.run import FleetRequest, fleet

JARS = sorted(Path(os.environ.get("WIREBOOK_S3A_JARS", "/nowhere")).glob("*.jar"))
SERVER = shutil.which("moto_server")
pytestmark = pytest.mark.skipif(
    not JARS or SERVER is None, reason="WIREBOOK_S3A_JARS or moto_server is not there"
)


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The address of an S3 server with a bucket."""
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
        for attempt in range(100):
            try:
                urlopen(Request(f"{address}/bucket", method="PUT"), timeout=5).close()
                break
            except OSError:
                assert attempt < 99
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
