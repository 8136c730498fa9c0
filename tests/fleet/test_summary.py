"""What a summary says of logs, on its page and in the terminal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.logs import kafka_line
from wirebook.cli.main import main
from wirebook.fleet.records import FleetSummary
from wirebook.fleet.run import FleetRequest, fleet


def log(folder: Path, *lines: bytes, name: str = "a.log") -> Path:
    """A log of some lines."""
    path = folder / name
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def sent(version: int, name: str = "app", day: str = "2026-10-01", **more: Any) -> bytes:
    """A line of a Fetch request: 4.0 refuses versions below 4. Without a day, it has no date."""
    line = kafka_line(1, version, name, at=f"{day} 10:00:00,000", **more)
    return line if day else line.partition(b"] ")[2]


def summary_of(output: Path, *names: Path, **more: Any) -> FleetSummary:
    """The summary of some inputs."""
    return fleet(FleetRequest([str(name) for name in names], "4.0", output, **more))


def about_days(summary: FleetSummary) -> list[str]:
    """What is not known because of the days of the logs."""
    return [sentence for sentence in summary.not_known if "sent nothing" in sentence]


def test_logs_without_a_date(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2, day="")))
    assert about_days(summary) == [
        "Which applications sent nothing, and when the others did: no request has a date."
    ]


def test_the_page_and_the_terminal_use_the_singular(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path, sent(2, "a"), sent(11, "b", day="2026-10-02"))
    assert main(["fleet", str(path), "--target", "4.0", "--output", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("1 file; 2 lines in ")
    assert "a (no owner known): 1 request, Fetch v2, last 1 day ago" in printed
    page = (tmp_path / "out" / "index.html").read_text()
    totals = re.findall(r"<li><strong[^>]*>(\d+)</strong> ([^<]*)<br><span[^>]*>([^<]*)", page)
    assert ("1", "application breaks", "0 owners, 1 without an owner") in totals
    assert ("1", "is served", "1 request") in totals


def test_a_month_of_logs_has_every_monthly_job(tmp_path: Path) -> None:
    days = [f"2026-10-{day:02}" for day in range(1, 32)]
    lines = [sent(11, day=day) for day in days]
    whole = summary_of(tmp_path / "out", log(tmp_path, *lines))
    assert about_days(whole) == []
    short = summary_of(tmp_path / "short", log(tmp_path, *lines[:-1], name="b.log"))
    assert about_days(short) == [
        "Applications that sent nothing on the 30 days of the logs: a monthly job appears once a "
        "month."
    ]


@pytest.mark.parametrize(("day", "state"), [("2026-10-02", "upgraded"), ("2026-10-01", "active")])
def test_software_replaces_another_after_a_day(tmp_path: Path, day: str, state: str) -> None:
    old, new = ("librdkafka", "1.0.0"), ("librdkafka", "2.3.0")
    path = log(tmp_path, sent(2, software=old), sent(11, day=day, software=new))
    (application,) = summary_of(tmp_path / "out", path).cut_off
    assert application.state == state
