"""Which name an application has: its pattern, its only client id, one of the owners file, or a
beginning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import letters
from wirebook.fleet.run import FleetRequest, fleet


def names_of(folder: Path, *lines: bytes, owners: str = "", **more: Any) -> dict[str, int]:
    """The applications that break, with their requests, for a log and the text of an owners
    file."""
    (folder / "a.log").write_bytes(b"\n".join(lines) + b"\n")
    (folder / "owners.toml").write_text(owners)
    more |= {"owners": folder / "owners.toml"} if owners else {}
    summary = fleet(FleetRequest([str(folder / "a.log")], "4.0", folder / "out", **more))
    return {application.name: application.requests for application in summary.cut_off}


def jobs(*days: str) -> list[bytes]:
    """Requests of 40 names with one beginning, each on one of some days; without a date for the day
    ""."""
    lines = []
    for number in range(40):
        day = days[number % len(days)]
        line = kafka_line(1, 2, f"job-{letters(number)}", at=f"{day} 10:00:00,000")
        lines.append(line if day else line.partition(b"] ")[2])
    return lines


DAYS = ("2026-10-01", "2026-10-02", "2026-10-03")
SCHEDULER = '[[application]]\nname = "job-scheduler"\nclient_id = "sched-*"\n'


def test_a_name_of_the_owners_file_is_not_counted_by_its_beginning(tmp_path: Path) -> None:
    lines = [kafka_line(1, 2, f"sched-{day[-1]}", at=f"{day} 10:00:00,000") for day in DAYS]
    assert names_of(tmp_path, *lines, *jobs(*DAYS), owners=SCHEDULER) == {
        "job-<any>": 40,
        "job-scheduler": 3,
    }


def test_names_of_the_owners_file_do_not_make_another_one_a_beginning(tmp_path: Path) -> None:
    owners = "".join(
        f'[[application]]\nname = "job-{letters(number)}"\nclient_id = "job-{letters(number)}"\n'
        for number in range(39)
    )
    assert len(names_of(tmp_path, *jobs(*DAYS), owners=owners)) == 40


def test_a_name_of_the_owners_file_is_shown_for_one_client_id(tmp_path: Path) -> None:
    line = kafka_line(1, 2, "report-7")
    assert names_of(tmp_path, line) == {"report-7": 1}
    owners = '[[application]]\nname = "nightly reports"\nclient_id = "report-*"\n'
    assert names_of(tmp_path, line, owners=owners) == {"nightly reports": 1}


def test_two_days_and_lines_without_a_date_are_no_three_days(tmp_path: Path) -> None:
    assert len(names_of(tmp_path, *jobs(*DAYS))) == 1
    other = kafka_line(1, 2, "other", at="1970-01-01 10:00:00,000")
    undated = other.partition(b"] ")[2]
    for number, line in enumerate((undated, other)):
        (tmp_path / str(number)).mkdir()
        lines = jobs(*DAYS[:2]) * 5
        assert len(names_of(tmp_path / str(number), *lines, line)) == 41


def test_the_day_of_a_name_counts_beside_lines_of_it_without_a_date(tmp_path: Path) -> None:
    assert names_of(tmp_path, *jobs(*DAYS), *jobs("")) == {"job-<any>": 80}
