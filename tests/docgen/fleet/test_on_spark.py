"""Spark reads logs to the same tables as one process."""

from __future__ import annotations

import errno
import gzip
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.fleet.test_fleet import asked, rows, simulated
from tests.live.fleet.logs import kafka_line
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.fleet.run import FleetRequest, fleet
from wirebook.docgen.pipeline.fleet.job import spark_reader
from wirebook.docgen.pipeline.session import spark_session
from wirebook.live.fleet import pieces
from wirebook.live.fleet.files import Packing
from wirebook.live.fleet.pieces import split
from wirebook.live.fleet.progress import Piece
from wirebook.live.fleet.reading import Change, Read, read_lines
from wirebook.live.fleet.requests import Request
from wirebook.specs.problems import InputError


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests of this file: what runs inside takes it."""
    # A task that fails is tried again, as on a cluster.
    with spark_session("local[2, 4]"):
        yield


def on_spark(logs: Path, output: Path, **more: Any) -> Any:
    """The output for some logs, read on Spark."""
    return fleet(FleetRequest([str(logs)], "4.0", output, master="local[2]", **more))


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


def test_bounds_and_pseudonyms_are_the_same(tmp_path: Path) -> None:
    lines = [kafka_line(version=3, client_id=f"evil-{number}") + b"\n" for number in range(400)]
    (tmp_path / "logs").mkdir()
    for number in range(4):
        (tmp_path / "logs" / f"{number}.log").write_bytes(b"".join(lines[number * 50 : number * 50 + 200]))
    (tmp_path / "key").write_text("0123456789abcdef")
    more = {"most_clients": 30, "pseudonymize": tmp_path / "key"}
    plain = asked(tmp_path / "logs", tmp_path / "plain", **more)
    spark = on_spark(tmp_path / "logs", tmp_path / "spark", **more)
    assert plain.summary.logs.unlisted_requests > 400
    assert to_json(spark.summary) == to_json(plain.summary)
    assert rows(tmp_path / "spark") == rows(tmp_path / "plain")


def on_executors(log: Path, change: Change) -> Read:
    """What executors read of a log, each request changed there."""
    into = Read()
    piece = Piece(str(log), Packing.PLAIN, 0, log.stat().st_size)
    with spark_reader(None, {}) as read:
        assert sum(done.lines for _, done in read([piece], change, into, 1000)) == 900
    return into


def test_a_worker_that_is_killed_half_way_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "LONGEST_PIECE", 50_000)
    log, marker = tmp_path / "a.log", tmp_path / "killed"
    log.write_bytes(b"".join(kafka_line(version=n % 9, client_id=f"app-{n}") + b"\n" for n in range(900)))

    def killed(request: Request) -> Request:
        if request.client_id == "app-450" and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return request

    found = sorted(on_executors(log, killed).counting)
    assert marker.exists()
    plain = Read()
    read_lines(log.read_bytes().splitlines(), "a.log", plain)
    assert found == sorted(plain.counting)


def test_a_full_disk_on_an_executor_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes((kafka_line() + b"\n") * 900)

    def full(request: Request) -> Request:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/blockmgr-1/temp_shuffle")

    with pytest.raises(InputError, match="the disk is full") as caught:
        on_executors(log, full)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("longest", [1, 7, 64, 1000])
def test_pieces_are_whole_lines(longest: int, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"".join(b"x" * (number % 13) + b"\n" for number in range(60)) + b"half")
    end = path.read_bytes().rfind(b"\n") + 1
    found = list(split(Piece(str(path), Packing.PLAIN, 5, end), longest))
    assert [found[0].start, *(piece.end for piece in found)] == [*(piece.start for piece in found), end]
    assert all(path.read_bytes()[(piece.end or 0) - 1 : piece.end] == b"\n" for piece in found)
    assert len(found) > 1 or longest == 1000
