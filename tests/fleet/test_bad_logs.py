"""Logs that are none, that vanish, that cannot be read or that lie about the time: refused or
counted."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from pathlib import Path

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, refused, rows
from wirebook.specs.problems import InputError


def given(log: Path, output: Path) -> tuple[str, ...]:
    """The arguments for a log."""
    return (str(log), "--target", "4.0", "--output", str(output))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "there is no request in these logs"),
        (os.urandom(1 << 16), "there is no request in these logs; lines are "),
        (
            f"{kafka_line().decode()}\n".encode("utf-16"),
            "there is no request in these logs; lines are ",
        ),
        (kafka_line()[:120] + b"\n", "1 incomplete"),
        (gzip.compress(b"nothing\n" * 9), "9 not a request"),
        (
            gzip.compress(kafka_line() + b"\n")[:12],
            "a.log: this compressed file is cut off or corrupt",
        ),
        (b"\x28\xb5\x2f\xfd zstd\n" + kafka_line(), "is compressed: only gzip is read"),
        (b"PK\x03\x04" + bytes(200), "is compressed: only gzip is read"),
        (bz2.compress(kafka_line() + b"\n"), "is compressed: only gzip is read"),
        (lzma.compress(kafka_line() + b"\n"), "is compressed: only gzip is read"),
    ],
    ids=[
        "empty",
        "random",
        "utf-16",
        "half-line",
        "gzip-of-prose",
        "cut-gzip",
        "zstd",
        "zip",
        "bzip2",
        "xz",
    ],
)
def test_what_is_no_log_is_one_line(
    text: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_bytes(text)
    assert words in refused(capsys, *given(tmp_path / "a.log", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_compressed_otherwise_is_refused_among_others(tmp_path: Path) -> None:
    for name, text in (("a.log", kafka_line()), ("b.log", bz2.compress(kafka_line()))):
        (tmp_path / name).write_bytes(text + b"\n")
    with pytest.raises(InputError, match=r"b\.log: is compressed: only gzip is read"):
        asked(tmp_path, tmp_path / "out")
    (tmp_path / "b.log").rename(tmp_path / "c.lz4")
    with pytest.raises(InputError, match=r"c\.lz4: is compressed: only gzip is read"):
        asked(tmp_path, tmp_path / "out")


def test_half_a_line_in_the_middle_is_counted(tmp_path: Path) -> None:
    line = kafka_line(version=3)
    (tmp_path / "a.log").write_bytes(
        line + b"\n" + line[:300] + line + b"\n" + line[:200] + b"\n" + line + b"\n"
    )
    made = asked(tmp_path / "a.log", tmp_path / "out")
    assert made.logs.requests == 2
    assert made.logs.skipped == {"incomplete": 2}


@pytest.mark.parametrize("length", [1, 9])
def test_two_lines_with_half_the_name_of_a_logger_between_them_are_skipped(
    length: int, tmp_path: Path
) -> None:
    line = kafka_line(version=3)
    assert line.endswith(b"} (kafka.request.logger)")
    cut = line[: line.rindex(b"(") + length]
    (tmp_path / "a.log").write_bytes(line + b"\n" + cut + line + b"\n")
    logs = asked(tmp_path / "a.log", tmp_path / "out").logs
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
    assert {
        row["application"]: (row["day"], row["first_seen"] or "") for row in rows(tmp_path / "out")
    } == {names[at]: moment for at, moment in lines.items()}
    assert made.period.first == "2026-09-30T19:00:00"
    assert made.period.last == "2026-10-02T01:30:00"


def test_unknown_apis_and_versions_are_unknown_and_no_client_is_cut_off(tmp_path: Path) -> None:
    text = b"".join(
        kafka_line(key=key, version=version, client_id=f"app-{letters(key + 1)}") + b"\n"
        for key, version in ((1, 99), (501, 0), (32767, 32767), (-1, 0), (2, 40_000))
    )
    (tmp_path / "a.log").write_bytes(text)
    summary = asked(tmp_path / "a.log", tmp_path / "out")
    assert (
        summary.requests.unknown,
        summary.applications.unknown,
        summary.applications.cut_off,
    ) == (3, 3, 0)
    assert summary.logs.skipped == {"no usable request header": 2}
    assert {(use.api, use.versions) for use in summary.by_api} == {
        ("Fetch", "99"),
        ("API key 501", "0"),
        ("API key 32767", "32767+"),
    }


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
    summary = asked(tmp_path / "a.log", tmp_path / "out")
    (item,) = summary.cut_off
    assert (item.requests, item.refused, item.state, item.unseen_days) == (212, 211, "active", 0)
    assert (item.first_seen, item.last_seen) == ("2026-10-01T10:00:00", "2026-10-19T20:00:00")
    assert (summary.period.first, summary.period.last) == (item.first_seen, item.last_seen)
    days = {day.day: day.refused + day.served for day in summary.by_day}
    assert (days.pop("unknown"), days.pop("2026-10-03"), len(days)) == (2, 12, 18)
    assert (
        "The time of 2 requests, dated 1970-01-01 to 2094-01-01: more than a year without requests separates "
        "these days from the others, so a clock was wrong."
    ) in summary.not_known


def test_each_line_counts_for_the_day_that_it_is_dated_in_any_order(tmp_path: Path) -> None:
    """A clock goes back by three days and then ahead by two."""
    days = ["05", "05", "02", "02", "03", "05", "07", "05"]
    lines = [
        kafka_line(version=3, at=f"2026-10-{day} 10:00:0{number},000") + b"\n"
        for number, day in enumerate(days)
    ]
    (tmp_path / "a.log").write_bytes(b"".join(lines))
    summary = asked(tmp_path / "a.log", tmp_path / "out")
    times = ("requests", "first_seen", "last_seen")
    assert {row["day"]: tuple(map(row.get, times)) for row in rows(tmp_path / "out")} == {
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


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(kafka_line() + b"\n")
    (logs / "b.log").symlink_to(tmp_path / "unmounted" / "b.log")
    with pytest.raises(InputError, match="not a regular file"):
        asked(logs, tmp_path / "out")
