"""Spark reads logs to the same tables as one process."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from pyspark.sql import DataFrame

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, published, rows, simulated
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark import stages
from wirebook.docgen.pipeline.spark.stages import stages_shown
from wirebook.docgen.pipeline.spark.storage import Storage, checked_uri
from wirebook.docgen.progress import Progress
from wirebook.fleet import run as module
from wirebook.fleet.applications.naming import Names, Naming
from wirebook.fleet.counting.counting import Count, Counting
from wirebook.fleet.reading import pieces
from wirebook.fleet.reading.files import Packing
from wirebook.fleet.reading.pieces import split
from wirebook.fleet.reading.progress import FilePiece
from wirebook.fleet.reading.reading import Read, read_lines
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.spark import published as published_module
from wirebook.fleet.spark.job import SparkReader, check_seen
from wirebook.fleet.spark.published import _from_here, publish
from wirebook.specs.problems import InputError

# For the Java process.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests of this file: what runs inside takes it."""
    # A task that fails is tried again, as on a cluster.
    with spark_session("local[2, 4]"):
        yield


def on_spark(logs: Path, output: Path, **more: Any) -> Any:
    """The output for some logs, read on Spark."""
    return fleet(FleetRequest([str(logs)], "4.0", output, master="local[2]", **more))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a run that names a master takes the session."""
    monkeypatch.setattr(module, "at_hand", lambda: False)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("compress", ["false", "true"])
def test_the_result_is_that_of_one_process(
    compress: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "LONGEST_PIECE", 50_000)
    truth = simulated(tmp_path / "sim", compress=compress)
    logs = tmp_path / "sim" / "logs"
    (logs / "broken.gz").write_bytes(gzip.compress(kafka_line() * 50)[:-20])
    plain, spark = asked(logs, tmp_path / "plain"), on_spark(logs, tmp_path / "spark")
    assert to_json(spark.summary) == to_json(plain.summary)
    assert spark.lines == plain.lines
    assert rows(tmp_path / "spark") == rows(tmp_path / "plain")
    assert len(rows(tmp_path / "spark")) >= len(truth["rows"])
    assert (tmp_path / "spark" / "state.json").read_bytes() == (
        tmp_path / "plain" / "state.json"
    ).read_bytes()
    again = on_spark(logs, tmp_path / "spark")
    assert (again.lines, again.summary) == (0, plain.summary)


@pytest.mark.usefixtures("one_process")
def test_bounds_and_pseudonyms_are_the_same(tmp_path: Path) -> None:
    lines = [kafka_line(version=3, client_id=f"evil-{letters(number)}") + b"\n" for number in range(400)]
    (tmp_path / "logs").mkdir()
    for number in range(4):
        (tmp_path / "logs" / f"{number}.log").write_bytes(b"".join(lines[number * 50 : number * 50 + 200]))
    (tmp_path / "key").write_text("0123456789abcdef")
    more = {"most_applications": 30, "pseudonymize": tmp_path / "key"}
    plain = asked(tmp_path / "logs", tmp_path / "plain", **more)
    spark = on_spark(tmp_path / "logs", tmp_path / "spark", **more)
    assert plain.summary.logs.by_beginning > 400
    assert to_json(spark.summary) == to_json(plain.summary)
    assert rows(tmp_path / "spark") == rows(tmp_path / "plain")


def on_executors(log: Path, naming: Naming) -> Counting:
    """What executors count of a log, each request named there."""
    counting = Counting(naming)
    piece = FilePiece(str(log), Packing.PLAIN, 0, log.stat().st_size)
    with spark_session() as spark:
        reads = SparkReader(spark).pieces([piece], counting)
        assert sum(done.read.lines for _, done in reads) == 900
    return counting


def test_a_worker_that_is_killed_half_way_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "LONGEST_PIECE", 50_000)
    log, marker = tmp_path / "a.log", tmp_path / "killed"
    log.write_bytes(b"".join(kafka_line(version=n % 9, client_id=f"app-{n}") + b"\n" for n in range(900)))

    class Killed(Naming):
        def forms(self, client_ids: str) -> list[str]:
            if "app-450" in client_ids and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().forms(client_ids)

    found = sorted(on_executors(log, Killed()))
    assert marker.exists()
    plain = Read()
    read_lines([log.read_bytes()], "a.log", plain)
    assert found == sorted(plain.counting)


def test_a_full_disk_on_an_executor_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes((kafka_line() + b"\n") * 900)

    class Full(Naming):
        def names(self, principal: str, client_id: str) -> Names:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/blockmgr-1/temp_shuffle")

    with pytest.raises(InputError, match="the disk is full") as caught:
        on_executors(log, Full())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("longest", [1, 7, 64, 1000])
def test_pieces_are_whole_lines(longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "LONGEST_PIECE", longest)
    path = tmp_path / "a.log"
    path.write_bytes(b"".join(b"x" * (number % 13) + b"\n" for number in range(60)) + b"half")
    end = path.read_bytes().rfind(b"\n") + 1
    found = list(split(FilePiece(str(path), Packing.PLAIN, 5, end)))
    assert [found[0].start, *(piece.end for piece in found)] == [*(piece.start for piece in found), end]
    assert all(path.read_bytes()[(piece.end or 0) - 1 : piece.end] == b"\n" for piece in found)
    assert len(found) > 1 or longest == 1000


def test_the_session_of_the_caller_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_bytes(kafka_line() + b"\n")
    monkeypatch.delattr(module, "read_here")
    assert asked(tmp_path / "logs", tmp_path / "fleet").lines == 1


def test_a_file_that_only_the_driver_sees_is_one_line(tmp_path: Path) -> None:
    check_seen(str(tmp_path / "rotated.log"), True)
    log = tmp_path / "a.log"
    log.write_bytes(kafka_line() + b"\n")
    check_seen(str(log), False)
    with pytest.raises(InputError, match="an executor of Spark does not see this file") as caught:
        check_seen(str(log), True)
    assert str(caught.value).startswith(str(log))


def test_progress_names_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "POLL_SECONDS", 0.05)

    class Seen(Progress):
        reached: ClassVar[set[tuple[int, int | None, str]]] = set()

        def reach(self, done: int, total: int | None = None, part: str = "") -> None:
            self.reached.add((done, total, part))

    def slowly(number: int) -> tuple[int, int]:
        import time

        time.sleep(0.3)
        return number % 2, number

    with spark_session() as spark, stages_shown(spark.sparkContext, Seen()):
        rows = spark.sparkContext.parallelize(range(4), 4).map(slowly).groupByKey(2)
        assert rows.mapValues(lambda some: slowly(len(list(some)))).count() == 2
    named = {(total, part) for _, total, part in Seen.reached}
    assert named >= {(4, "stage 1 of 2"), (2, "stage 2 of 2")}


def test_executors_write_each_day_once(tmp_path: Path) -> None:
    def lines(day: int) -> bytes:
        return b"".join(
            kafka_line(version=each, at=f"2026-10-0{day} 10:00:00,123") + b"\n" for each in (3, 9)
        )

    logs, output, there = tmp_path / "logs", tmp_path / "fleet", tmp_path / "uri"
    uri = checked_uri(f"file://{there}/")
    logs.mkdir()
    (logs / "a.log").write_bytes(lines(1) + lines(2))
    on_spark(logs, output, tables=uri)
    assert published(there) == rows(output)
    assert len(rows(output)) == 4
    first = [path for path in there.rglob("*.parquet") if "day=2026-10-01" in str(path)]
    with (logs / "a.log").open("ab") as log:
        log.write(lines(2) + lines(3))
    on_spark(logs, output, tables=uri)
    assert published(there) == rows(output)
    assert len(rows(output)) == 6
    # A day that is as it was is not written again, and no day is when nothing is new.
    assert [path for path in there.rglob("*.parquet") if "day=2026-10-01" in str(path)] == first
    assert publish(output, uri, "default", None, {}) == 0
    # A run that was killed in between leaves days without a note of them: they are written again.
    shutil.rmtree(there / "published")
    assert publish(output, uri, "default", None, {}) == 3
    assert published(there) == rows(output)
    other = tmp_path / "other"
    on_spark(logs, other)
    shutil.rmtree(other / "requests" / "day=2026-10-02")
    with pytest.raises(InputError, match="holds requests of 2026-10-02 of the cluster default that this"):
        publish(other, uri, "default", None, {})
    # What a killed run has left is nothing that a reader sees.
    of_cluster = there / "requests" / "cluster=default"
    shutil.copytree(
        next(of_cluster.glob("publication=*")),
        of_cluster / "publication=000000009-killed",
        dirs_exist_ok=True,
    )
    assert published(there) == rows(output)
    # Another cluster has its own days in the same table.
    assert publish(other, uri, "west", None, {}) == 2
    assert len(published(there)) == 6 + 4
    assert publish(other, uri, "west", None, {}) == publish(output, uri, "default", None, {}) == 0


@pytest.mark.usefixtures("one_process")
def test_executors_write_what_they_have_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from_driver: list[int] = []

    def noted(storage: Storage, counts: Sequence[Count]) -> DataFrame:
        from_driver.append(len(counts))
        return _from_here(storage, counts)

    monkeypatch.setattr(published_module, "_from_here", noted)
    lines = [kafka_line(version=3, client_id=f"evil-{letters(number)}") + b"\n" for number in range(120)]
    logs, output, there = tmp_path / "logs", tmp_path / "fleet", tmp_path / "uri"
    logs.mkdir()
    more = {"most_applications": 30}
    # A day that was counted before there were published tables comes from this machine, the others do not.
    (logs / "0.log").write_bytes(b"".join(lines[:50]))
    on_spark(logs, output, **more)
    for number in (1, 2):
        (logs / f"{number}.log").write_bytes(b"".join(lines[number * 40 : number * 40 + 40]))
        on_spark(logs, output, tables=f"file://{there}", **more)
        assert published(there) == rows(output)
    before = len(rows(tmp_path / "plain")) if asked(logs / "0.log", tmp_path / "plain", **more) else 0
    assert from_driver == [before, 0]
    # Metrics are read by the driver, and added to what executors have.
    (logs / "broker-1_2026-10-01.prom").write_text(
        'kafka_network_RequestMetrics_Count{name="RequestsPerSec",request="Fetch",version="3"} 7\n'
    )
    (logs / "3.log").write_bytes(kafka_line(version=9) + b"\n")
    on_spark(logs, output, tables=f"file://{there}", **more)
    assert published(there) == rows(output)
    assert from_driver == [before, 0, 1]


@pytest.mark.usefixtures("one_process")
def test_tables_that_cannot_be_written_leave_the_output_as_it_was(tmp_path: Path) -> None:
    logs, output, there = tmp_path / "logs", tmp_path / "fleet", tmp_path / "uri"
    logs.mkdir()
    (logs / "0.log").write_bytes(kafka_line() + b"\n")
    on_spark(logs, output, tables=f"file://{there}")
    before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    (there / "published" / "notes.txt").write_text("mine")
    (logs / "1.log").write_bytes(kafka_line(version=9) + b"\n")
    with pytest.raises(InputError, match=r"notes\.txt"):
        on_spark(logs, output, tables=f"file://{there}")
    assert {path: path.read_bytes() for path in output.rglob("*") if path.is_file()} == before
    (there / "published" / "notes.txt").unlink()
    assert on_spark(logs, output, tables=f"file://{there}").lines == 1
    assert published(there) == rows(output)


def made(folder: Path, client_id: str, day: int = 1) -> Path:
    """The output for a log of one request."""
    folder.mkdir()
    log = folder / "a.log"
    log.write_bytes(kafka_line(client_id=client_id, at=f"2026-10-0{day} 10:00:00,123") + b"\n")
    asked(log, folder / "out")
    return folder / "out"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.mark.usefixtures("one_process")
def test_requests_of_another_fleet_are_not_replaced(tmp_path: Path) -> None:
    there = tmp_path / "uri"
    uri = f"file://{there}"
    assert publish(made(tmp_path / "a", "a"), uri, "default", None, {}) == 1
    before = contents(there)
    for name, day in (("b", 1), ("c", 2)):
        with pytest.raises(InputError, match="requests of 2026-10-01 of the cluster default that this fleet"):
            publish(made(tmp_path / name, name, day), uri, "default", None, {})
    assert contents(there) == before
    assert publish(tmp_path / "b" / "out", uri, "west", None, {}) == 1
    # A run that was killed after it had published reads the same again, and what is new.
    output = tmp_path / "again"
    with (tmp_path / "a" / "a.log").open("ab") as log:
        log.write(kafka_line(client_id="a2") + b"\n")
    on_spark(tmp_path / "a" / "a.log", output, tables=uri)
    assert published(there) == sorted(rows(output) + rows(tmp_path / "b" / "out"))


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("cluster", ["default", "west"])
def test_two_runs_that_publish_at_once(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "uri"
    uri = f"file://{there}"
    own, other = made(tmp_path / "a", "a"), made(tmp_path / "b", "b")
    check = published_module._check

    def while_another_publishes(*given: Any) -> None:
        monkeypatch.setattr(published_module, "_check", check)
        assert publish(other, uri, cluster, None, {}) == 1
        check(*given)

    monkeypatch.setattr(published_module, "_check", while_another_publishes)
    if cluster == "west":
        assert publish(own, uri, "default", None, {}) == 1
        assert published(there) == sorted(rows(own) + rows(other))
        return
    with pytest.raises(InputError, match="another run has published days of the cluster default meanwhile"):
        publish(own, uri, "default", None, {})
    assert published(there) == rows(other)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("requests", "one column more"),
        ("published", "another type"),
        ("requests", "other folders"),
        ("published", "no Parquet"),
    ],
)
def test_tables_of_another_version_are_one_line(name: str, way: str, tmp_path: Path) -> None:
    there = tmp_path / "uri"
    uri = f"file://{there}"
    output = made(tmp_path / "a", "a")
    publish(output, uri, "default", None, {})
    (path,) = (there / name).rglob("*.parquet")
    path.with_name(f".{path.name}.crc").unlink()
    # Spark's own schema is in the metadata.
    table = pq.ParquetFile(path).read().replace_schema_metadata()
    if way == "one column more":
        pq.write_table(table.append_column("edition", pa.array([2])), path)
    elif way == "another type":
        pq.write_table(table.set_column(0, table.schema.names[0], pa.array([2])), path)
    elif way == "other folders":
        moved = there / name / "day=2026-10-01" / path.name
        moved.parent.mkdir()
        path.rename(moved)
        shutil.rmtree(there / name / "cluster=default")
    else:
        path.write_bytes(b"PAR1")
    before = contents(there)
    with (tmp_path / "a" / "a.log").open("ab") as log:
        log.write(kafka_line(client_id="b") + b"\n")
    with pytest.raises(InputError) as caught:
        on_spark(tmp_path / "a" / "a.log", output, tables=uri)
    words = "Spark failed: " if way == "no Parquet" else f"{uri}/{name}: holds a table with other columns, as"
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)
    assert contents(there) == before
    assert len(rows(output)) == 1


def test_executors_replace_no_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "requests").mkdir()
    (tmp_path / "requests" / "notes.txt").write_text("mine")
    table = pa.table({"day": ["2026-10-01"], "requests": [1]})
    with spark_session() as spark:
        with pytest.raises(InputError, match=r"holds file:.*notes\.txt, which no table of wirebook has"):
            Storage(spark, f"file://{tmp_path}").write("requests", table)
        Storage(spark, f"file://{tmp_path}").write("counts", table)
        with pytest.raises(InputError, match="holds a table with other columns"):
            Storage(spark, f"file://{tmp_path}").write("counts", table.rename_columns(["day", "other"]))
    assert (tmp_path / "requests" / "notes.txt").read_text() == "mine"
    assert pq.read_table(tmp_path / "counts").to_pylist() == table.to_pylist()


def test_a_file_system_that_spark_lacks_is_one_line() -> None:
    with pytest.raises(InputError) as caught, spark_session() as spark:
        Storage(spark, "s3a://bucket/folder").write("counts", pa.table({"day": ["2026-10-01"]}))
    assert str(caught.value).startswith("Spark failed: it has no file system for s3a: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["folder", "/folder", "s3a://", "file:///", "s3a:bucket"])
def test_what_is_no_uri_is_one_line(text: str) -> None:
    with pytest.raises(InputError, match="is not a URI for tables; write s3a://BUCKET/FOLDER"):
        checked_uri(text)
