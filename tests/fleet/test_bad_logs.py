"""Logs that are none, that vanish, that cannot be read or that lie about the time: refused or counted."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, refused, rows
from wirebook.cli.main import main
from wirebook.fleet import run as module
from wirebook.specs.files import locked_exclusively
from wirebook.specs.problems import InputError


def given(log: Path, output: Path) -> tuple[str, ...]:
    """The arguments for a log."""
    return (str(log), "--target", "4.0", "--output", str(output))


def arguments(way: str, log: Path, output: Path, other: Path) -> tuple[str, ...]:
    """The arguments of a run that reads the tables of an output: to add to them, to merge, or to compare."""
    return {
        "new lines": given(log, output),
        "a merge": given(output, other),
        "a baseline": (*given(log, other), "--baseline", str(output)),
    }[way]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "there is no request in these logs"),
        (os.urandom(1 << 16), "there is no request in these logs; lines are "),
        (f"{kafka_line().decode()}\n".encode("utf-16"), "another encoding than UTF-8"),
        (kafka_line()[:120] + b"\n", "1 incomplete"),
        (gzip.compress(b"nothing\n" * 9), "9 not a request"),
        (
            gzip.compress(kafka_line() + b"\n")[:12],
            "a.log: the compressed file is cut off or corrupt; what comes before the damage counts. Kafka",
        ),
        (b"\x28\xb5\x2f\xfd no zstd", "there is no request in these logs"),
        (b"PK\x03\x04" + bytes(200), "there is no request in these logs"),
    ],
    ids=["empty", "random", "utf-16", "half a line", "gzip of prose", "cut gzip", "no zstd", "zip"],
)
def test_what_is_no_log_is_one_line(
    text: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_bytes(text)
    assert words in refused(capsys, *given(tmp_path / "a.log", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_half_a_line_in_the_middle_is_counted(tmp_path: Path) -> None:
    line = kafka_line(version=3)
    (tmp_path / "a.log").write_bytes(
        line + b"\n" + line[:300] + line + b"\n" + line[:200] + b"\n" + line + b"\n"
    )
    made = asked(tmp_path / "a.log", tmp_path / "out")
    assert made.summary.logs.requests == 2
    assert made.summary.logs.skipped == {"incomplete": 1, "invalid JSON": 1}


@pytest.mark.parametrize("length", [1, 9])
def test_two_lines_with_half_the_name_of_a_logger_between_them_are_skipped(
    length: int, tmp_path: Path
) -> None:
    line = kafka_line(version=3)
    assert line.endswith(b"} (kafka.request.logger)")
    cut = line[: line.rindex(b"(") + length]
    (tmp_path / "a.log").write_bytes(line + b"\n" + cut + line + b"\n")
    logs = asked(tmp_path / "a.log", tmp_path / "out").summary.logs
    assert (logs.requests, logs.skipped) == (1, {"incomplete": 1})


def test_no_permission(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\n")
    (tmp_path / "file").write_bytes(b"")
    line = refused(capsys, *given(tmp_path / "a.log", tmp_path / "file" / "out"))
    assert "file" in line
    with monkeypatch.context() as patch:
        # Root may read everything.
        patch.setattr(os, "access", lambda path, mode: mode != os.R_OK)
        assert "permission denied" in refused(capsys, *given(tmp_path / "a.log", tmp_path / "out"))

    def denied(*some: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(tmp_path / "a.log"))

    monkeypatch.setattr(module, "read_here", denied)
    assert "cannot be read: Permission denied" in refused(
        capsys, *given(tmp_path / "a.log", tmp_path / "out")
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("when", ["before the plan", "before the reading", "while it is read"])
def test_a_file_that_vanishes(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a", "b"):
        (logs / f"{name}.log").write_bytes(kafka_line(version=3, client_id=name) + b"\n")
    place, name = {
        "before the plan": (module, "plan"),
        "before the reading": (module, "read_here"),
        "while it is read": (module, "read_piece"),
    }[when]
    real = getattr(place, name)

    def vanishing(*some: Any) -> Any:
        (logs / "b.log").unlink(missing_ok=True)
        return real(*some)

    monkeypatch.setattr(place, name, vanishing)
    made = asked(logs, tmp_path / "out")
    assert [row[3] for row in rows(tmp_path / "out")] == ["a"]
    vanished = [(logs / "b.log", "the file vanished before it was read")]
    assert [(Path(item.file), item.problem) for item in made.summary.logs.problems] == (
        vanished if when == "before the plan" else []
    )


def test_other_clocks(tmp_path: Path) -> None:
    lines = {
        # A broker whose clock is behind, one whose log has a zone, and days that no calendar has.
        "2026-10-01 23:59:59,999": ("2026-10-01", "2026-10-01T23:59:59.999"),
        "2026-10-01T23:30:00.5-02:00": ("2026-10-02", "2026-10-02T01:30:00.500"),
        "2026-10-01T00:30:00Z": ("2026-10-01", "2026-10-01T00:30:00.000"),
        "2026-10-01T00:30:00.123456789+0530": ("2026-09-30", "2026-09-30T19:00:00.123"),
        "2026-02-30 10:00:00,000": ("unknown", ""),
        "2026-10-01 25:00:00,000": ("unknown", ""),
        "9999-12-31T23:59:59-14:00": ("unknown", ""),
        "0000-01-01 00:00:00,000": ("unknown", ""),
        "1700000000": ("unknown", ""),
    }
    names = {at: f"clock-{letters(number)}" for number, at in enumerate(lines)}
    text = b"".join(kafka_line(at=at, client_id=names[at]) + b"\n" for at in lines)
    (tmp_path / "a.log").write_bytes(text)
    made = asked(tmp_path / "a.log", tmp_path / "out")
    assert {row[3]: (row[0], row[11]) for row in rows(tmp_path / "out")} == {
        names[at]: moment for at, moment in lines.items()
    }
    assert made.summary.period.first == "2026-09-30T19:00:00"
    assert made.summary.period.last == "2026-10-02T01:30:00"


def test_unknown_apis_and_versions_are_unknown_and_no_client_is_cut_off(tmp_path: Path) -> None:
    text = b"".join(
        kafka_line(key=key, version=version, client_id=f"app-{letters(key + 1)}") + b"\n"
        for key, version in ((1, 99), (501, 0), (32767, 32767), (-1, 0), (2, 40_000))
    )
    (tmp_path / "a.log").write_bytes(text)
    summary = asked(tmp_path / "a.log", tmp_path / "out").summary
    assert (summary.requests.unknown, summary.applications.unknown, summary.applications.cut_off) == (3, 3, 0)
    assert summary.logs.skipped == {"no usable request header": 2}
    assert {(use.api, use.version) for use in summary.by_version} == {
        ("Fetch", 99),
        ("API key 501", 0),
        ("API key 32767", 32767),
    }


def test_a_flood_of_versions_is_bounded_and_the_real_ones_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wirebook.fleet.page import uses

    monkeypatch.setattr(uses, "MOST_VERSIONS", 50)
    real = [kafka_line(version=3) + b"\n"] * 2
    text = b"".join([*real, *(kafka_line(key=2000 + n, version=n) + b"\n" for n in range(300))])
    (tmp_path / "a.log").write_bytes(text)
    summary = asked(tmp_path / "a.log", tmp_path / "out").summary
    assert len(summary.by_version) == 50
    assert summary.by_version_left_out == 251
    assert (summary.by_version[0].api, summary.by_version[0].requests) == ("Fetch", 2)


def test_logs_are_kept_by_absolute_paths_for_executors_that_start_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\nnothing\n")
    monkeypatch.chdir(tmp_path)
    made = asked(Path("a.log"), tmp_path / "out")
    assert [sample.file for sample in made.summary.logs.samples] == [str(tmp_path / "a.log")]
    again = module.fleet(module.FleetRequest([f"file://{tmp_path}/a.log"], "4.0", tmp_path / "out"))
    assert (again.lines, again.unchanged) == (0, 1)


def test_tables_that_cannot_be_written_leave_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(kafka_line(client_id="a") + b"\n")
    asked(log, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    with log.open("ab") as file:
        file.write(kafka_line(client_id="b") + b"\n")

    def failing(*_: object) -> None:
        raise InputError("Spark failed: the bucket is not there")

    with monkeypatch.context() as patch:
        patch.setattr(module, "_publish", failing)
        with pytest.raises(InputError, match="the bucket is not there"):
            asked(log, tmp_path / "out", tables="s3a://bucket/fleet")
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    assert asked(log, tmp_path / "out").lines == 1


def test_two_runs_at_once_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\n")
    with locked_exclusively(tmp_path / "out", "another wirebook fleet is writing this folder"):
        line = refused(capsys, *given(tmp_path / "a.log", tmp_path / "out"))
    assert line.endswith("out: another wirebook fleet is writing this folder")
    assert asked(tmp_path / "a.log", tmp_path / "out").lines == 1


@pytest.mark.parametrize("table", ["requests", "client_ids"])
@pytest.mark.parametrize("way", ["new lines", "a merge", "a baseline"])
def test_a_table_of_another_schema_is_one_line(
    way: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, output = tmp_path / "a.log", tmp_path / "out"
    log.write_bytes(kafka_line() + b"\n")
    asked(log, output)
    (path,) = (output / table).rglob("*.parquet")
    rows_of_day = pq.ParquetFile(path).read()
    pq.write_table(rows_of_day.append_column("cluster", pa.array(["west"] * len(rows_of_day))), path)
    with log.open("ab") as file:
        file.write(kafka_line(client_id="b") + b"\n")
    before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    line = refused(capsys, *arguments(way, log, output, tmp_path / "other"))
    assert f"{path}: this is not a table of a fleet of this version of wirebook" in line
    assert {path: path.read_bytes() for path in output.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("way", ["new lines", "a merge", "a baseline"])
@pytest.mark.parametrize(
    ("damage", "table"),
    [
        ("a file", "requests"),
        ("a file", "client_ids"),
        ("a day", "requests"),
        ("a day", "client_ids"),
        ("no Parquet", "requests"),
        ("no Parquet", "client_ids"),
        ("another day's file", "requests"),
    ],
)
def test_tables_that_are_not_as_they_were_written_are_one_line(
    damage: str, way: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, output = tmp_path / "a.log", tmp_path / "out"
    lines = [kafka_line(at=f"2026-10-0{day} 10:00:00,123") for day in (1, 2, 2)]
    log.write_bytes(b"\n".join(lines) + b"\n")
    asked(log, output)
    first, second = sorted((output / table).rglob("*.parquet"))
    if damage == "a file":
        second.unlink()
    elif damage == "a day":
        shutil.rmtree(second.parent)
    elif damage == "no Parquet":
        second.write_bytes(b"PAR1")
    else:
        second.write_bytes(first.read_bytes())
    with log.open("ab") as file:
        file.write(lines[0] + b"\n")
    before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    line = refused(capsys, *arguments(way, log, output, tmp_path / "other"))
    named = second if damage in ("a file", "no Parquet") or table == "client_ids" else output
    assert f"{named}: " in line
    assert {path: path.read_bytes() for path in output.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "other").exists()


def test_clocks_that_jump_move_no_other_request(tmp_path: Path) -> None:
    """A broker starts in 1970 until it has the time, and one is years ahead for a moment."""
    lines = [
        kafka_line(version=3, at="1970-01-01 00:00:07,000"),
        *(
            kafka_line(version=3, at=f"2026-10-{day:02} {hour}:00:00,000")
            for day in range(1, 20)
            for hour in range(10, 21)
        ),
        kafka_line(version=3, at="2026-10-03 09:00:00,000"),
        kafka_line(version=16, at="2094-01-01 00:00:00,000"),
    ]
    (tmp_path / "a.log").write_bytes(b"\n".join(lines) + b"\n")
    summary = asked(tmp_path / "a.log", tmp_path / "out").summary
    (item,) = summary.cut_off
    assert (item.requests, item.refused, item.state, item.unseen_days) == (212, 211, "active", 0)
    assert (item.first_seen, item.last_seen) == ("2026-10-01T10:00:00", "2026-10-19T20:00:00")
    assert (summary.period.first, summary.period.last) == (item.first_seen, item.last_seen)
    assert [week.week for week in summary.by_week] == ["2026-09-28", "2026-10-05", "2026-10-12", "2026-10-19"]
    days = {day.day: day.refused + day.served for day in summary.by_day}
    assert (days.pop("unknown"), days.pop("2026-10-03"), len(days)) == (2, 12, 18)
    assert (
        "The time of 2 requests, dated 1970-01-01 to 2094-01-01: more than a year without requests separates "
        "these days from the others, so a clock was wrong."
    ) in summary.not_known


@pytest.mark.parametrize("ways", [1, 2])
def test_each_line_counts_for_the_day_that_it_is_dated_in_any_order(ways: int, tmp_path: Path) -> None:
    """A clock goes back by three days and then ahead by two, in a file that one run or two read."""
    days = ["05", "05", "02", "02", "03", "05", "07", "05"]
    lines = [
        kafka_line(version=3, at=f"2026-10-{day} 10:00:0{number},000") + b"\n"
        for number, day in enumerate(days)
    ]
    log = tmp_path / "a.log"
    log.write_bytes(b"")
    for part in range(ways):
        with log.open("ab") as file:
            file.write(b"".join(lines[part * 8 // ways : (part + 1) * 8 // ways]))
        summary = asked(log, tmp_path / "out").summary
    assert {row[0]: (row[-3], row[-2], row[-1]) for row in rows(tmp_path / "out")} == {
        "2026-10-02": (2, "2026-10-02T10:00:02.000", "2026-10-02T10:00:03.000"),
        "2026-10-03": (1, "2026-10-03T10:00:04.000", "2026-10-03T10:00:04.000"),
        "2026-10-05": (4, "2026-10-05T10:00:00.000", "2026-10-05T10:00:07.000"),
        "2026-10-07": (1, "2026-10-07T10:00:06.000", "2026-10-07T10:00:06.000"),
    }
    assert [(day.day, day.refused) for day in summary.by_day] == [
        ("2026-10-02", 2),
        ("2026-10-03", 1),
        ("2026-10-05", 4),
        ("2026-10-07", 1),
    ]


def test_a_quiet_run_prints_what_is_wrong_with_files_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    lines = [kafka_line(client_id=f"app-{os.urandom(8).hex()}") + b"\n" for _ in range(500)]
    packed = gzip.compress(b"".join(lines))
    (logs / "cut.gz").write_bytes(packed[: len(packed) // 2])
    assert main(["fleet", *given(logs, tmp_path / "out"), "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{logs / 'cut.gz'}: the compressed file is cut off or corrupt")
    (logs / "a.log").write_bytes(kafka_line(client_id="other") + b"\n")
    (logs / "cut.gz").unlink()
    assert main(["fleet", *given(logs, tmp_path / "out"), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_link_to_nothing_is_reported(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(kafka_line() + b"\n")
    (logs / "b.log").symlink_to(tmp_path / "unmounted" / "b.log")
    result = asked(logs, tmp_path / "out")
    assert result.lines == 1
    assert [*result.problems] == [(str(logs / "b.log"), "is a symbolic link to nothing")]
    # A name on the command line has to be there.
    with pytest.raises(InputError, match="not a regular file"):
        asked(logs / "b.log", tmp_path / "other")
