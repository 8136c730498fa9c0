"""Logs that a stream reads as they appear count like those of one run, also if it is killed at any moment."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, published, refused, rows
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.session import spark_session
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.spark.job import SparkReader
from wirebook.fleet.tables.state import FleetState, read_state
from wirebook.specs.problems import InputError

FILES, LINES, KILLS = 12, 50, 4
STREAM = [*("--target", "4.0", "--master", "local[1]", "--stream", "--quiet")]


def write_log(folder: Path, number: int) -> None:
    """A log of a day of its own, which appears in one step."""
    day = f"2026-10-{number + 1:02} 10:00:00,123"
    lines = [kafka_line(version=n % 9, client_id=f"app-{'abc'[n % 3]}", at=day) for n in range(LINES)]
    hidden = folder / f".{number}.log"
    hidden.write_bytes(b"\n".join(lines) + b"\n")
    hidden.rename(folder / f"{number}.log")


def started(logs: Path, output: Path, *more: str) -> subprocess.Popen[bytes]:
    """The command, in a process group of its own with its Java."""
    command = [sys.executable, "-m", "wirebook.cli.main", "fleet", str(logs), "--output", str(output)]
    return subprocess.Popen([*command, *STREAM, *more], start_new_session=True)


def test_a_batch_that_comes_again_is_left_out() -> None:
    state = FleetState()
    assert state.follows("a", 0, "out", "checkpoint")
    assert not state.follows("a", 0, "out", "checkpoint")
    assert state.follows("a", 1, "out", "checkpoint")
    with pytest.raises(InputError, match="lacks batch 2 of this stream"):
        state.follows("a", 3, "out", "checkpoint")
    with pytest.raises(InputError, match="was filled with another checkpoint"):
        state.follows("b", 2, "out", "checkpoint")


def test_what_no_stream_reads_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = ("--target", "4.0", "--output", str(tmp_path / "out"))
    assert "is a topic, which --stream reads" in refused(capsys, "kafka://host:9092/topic", *output)
    assert "--consumer-config is for a topic" in refused(
        capsys, "a", "--stream", "--consumer-config", "x", *output
    )
    assert "name one" in refused(capsys, "a", "b", "--stream", *output)
    assert "are for --stream" in refused(capsys, "a", "--once", *output)
    (tmp_path / "out-checkpoint" / "commits").mkdir(parents=True)
    (tmp_path / "out-checkpoint" / "commits" / "0").touch()
    assert "checkpoint of an output that is not there" in refused(capsys, str(tmp_path), "--stream", *output)


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_kills_change_neither_output_nor_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs, output, there = tmp_path / "logs", tmp_path / "out", tmp_path / "uri"
    tables = ("--tables", f"file://{there}")
    logs.mkdir()
    chance = random.Random(7)
    number = 0
    for _ in range(KILLS):
        process = started(logs, output, *tables)
        deadline = time.monotonic() + 300
        # One more file, and a kill after a time in which a batch may be anywhere.
        before = None if (state := read_state(output)) is None else state.stream
        write_log(logs, number)
        number += 1
        while (state := read_state(output)) is None or state.stream == before:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        while number % 3:
            write_log(logs, number)
            number += 1
            time.sleep(chance.uniform(0, 1.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    while number < FILES:
        write_log(logs, number)
        number += 1
    assert started(logs, output, "--once", *tables).wait() == 0
    plain = asked(logs, tmp_path / "plain")
    assert plain.lines == FILES * LINES
    assert rows(output) == rows(tmp_path / "plain") == published(there)
    for table in sorted((tmp_path / "plain" / "requests").rglob("*.parquet")):
        assert (output / table.relative_to(tmp_path / "plain")).read_bytes() == table.read_bytes()
    assert started(logs, output, "--once", *tables).wait() == 0
    assert published(there) == rows(output)
    again = read_state(output)
    assert again is not None
    assert again.forms.total() == FILES * LINES
    summary = (output / "summary.json").read_bytes()
    assert summary == (tmp_path / "plain" / "summary.json").read_bytes()
    assert to_json(plain.summary)
    refused_line = refused(capsys, str(logs), "--target", "4.0", "--output", str(output))
    assert "is the output of --stream" in refused_line


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_batch_that_spark_runs_again_counts_once(tmp_path: Path) -> None:
    """Without the commits in its checkpoint, Spark does not know that the last batch is finished."""
    logs, output, there = tmp_path / "logs", tmp_path / "out", tmp_path / "uri"
    logs.mkdir()
    request = FleetRequest([str(logs)], "4.0", output, stream=True, once=True, tables=f"file://{there}")
    with spark_session("local[1]"):
        for number in (1, 2, 3):
            write_log(logs, number)
            if number < 3:
                fleet(request)
            shutil.rmtree(tmp_path / "out-checkpoint" / "commits", ignore_errors=True)
        fleet(request)
    assert len(rows(output)) == 3 * 9
    assert {row[-3] for row in rows(output)} == {LINES // 9, LINES // 9 + 1}
    with pytest.raises(InputError, match=r"has the same text as file:.*log, and would count twice"):
        fleet(FleetRequest([str(output), str(logs)], "4.0", tmp_path / "both"))
    assert published(there) == rows(output)


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_stream_that_ended_before_its_first_batch_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, output = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    write_log(logs, 1)
    request = FleetRequest([str(logs)], "4.0", output, stream=True, once=True)

    def failing(self: SparkReader, *given: Any) -> Any:
        raise InputError("a full disk")

    with spark_session("local[1]"):
        with monkeypatch.context() as patch:
            patch.setattr(SparkReader, "located_lines", failing)
            with pytest.raises(InputError, match="a full disk"):
                fleet(request)
        assert not output.exists()
        assert list((tmp_path / "out-checkpoint" / "offsets").iterdir())
        write_log(logs, 2)
        fleet(request)
    assert len(rows(output)) == 2 * 9


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_checkpoint_of_another_run_is_one_line(tmp_path: Path) -> None:
    logs, output = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    write_log(logs, 1)
    request = FleetRequest([str(logs)], "4.0", output, stream=True, once=True)
    with spark_session("local[1]"):
        fleet(request)
        fleet(replace(request, output=tmp_path / "other"))
        before = contents(output)
        # Spark has nothing new to read with that checkpoint.
        with pytest.raises(InputError, match=r"was filled with another checkpoint than .*/other-checkpoint"):
            fleet(replace(request, checkpoint=tmp_path / "other-checkpoint"))
    assert contents(output) == before


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_file_that_vanishes_before_its_batch_is_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, output = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    write_log(logs, 1)
    request = FleetRequest([str(logs)], "4.0", output, stream=True, once=True)
    located_lines = SparkReader.located_lines

    def vanishing(self: SparkReader, *given: Any) -> Any:
        (logs / "2.log").unlink(missing_ok=True)
        return located_lines(self, *given)

    with spark_session("local[1]"):
        fleet(request)
        before = contents(output)
        for number in (2, 3):
            write_log(logs, number)
        (logs / "empty.log").touch()
        text = (logs / "2.log").read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(SparkReader, "located_lines", vanishing)
            # Spark runs the batch again, and finds no such file.
            for when in ("while", "before"):
                with pytest.raises(InputError, match=rf"2\.log:? vanished {when} it was read") as caught:
                    fleet(request)
                assert "\n" not in str(caught.value)
                assert contents(output) == before
        (logs / "2.log").write_bytes(text)
        fleet(request)
    assert len(rows(output)) == 3 * 9


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("offsets/0", cut),
        ("offsets/0", Path.unlink),
        ("metadata", cut),
        ("commits/0", cut),
        ("sources/0/0", lambda path: path.write_bytes(b"")),
    ],
)
def test_a_damaged_checkpoint_is_one_line(
    name: str, damage: Callable[[Path], object], tmp_path: Path
) -> None:
    logs, output, checkpoint = tmp_path / "logs", tmp_path / "out", tmp_path / "out-checkpoint"
    logs.mkdir()
    write_log(logs, 1)
    request = FleetRequest([str(logs)], "4.0", output, stream=True, once=True)
    with spark_session("local[1]"):
        fleet(request)
        for checksum in checkpoint.rglob(".*.crc"):
            checksum.unlink()
        damage(checkpoint / name)
        write_log(logs, 2)
        before = (output / "state.json").read_bytes()
        with pytest.raises(InputError, match="this checkpoint cannot be read: ") as caught:
            fleet(request)
    assert caught.value.path == str(checkpoint)
    assert "\n" not in str(caught.value)
    assert (output / "state.json").read_bytes() == before


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_ctrl_c_ends_a_stream_with_130(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write_log(tmp_path / "logs", 1)
    process = started(tmp_path / "logs", tmp_path / "out")
    deadline = time.monotonic() + 300
    while read_state(tmp_path / "out") is None:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert len(rows(tmp_path / "out")) == 9
