"""What a summary says of logs, metrics and telemetry together, and how it compares with an earlier one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import letters
from wirebook.cli.main import main
from wirebook.fleet.page.records import FleetSummary
from wirebook.fleet.run import FleetRequest, fleet

COUNTER = 'kafka_network_RequestMetrics_Count{{name="RequestsPerSec",request="Fetch",version="{}",}} {}\n'
INSTANCE = (
    'm{{client_instance_id="{}",client_software_name="librdkafka",client_software_version="2.5.0",'
    'client_id="{}",principal="User:app"}} 1\n'
)


def log(folder: Path, *lines: bytes, name: str = "a.log") -> Path:
    """A log of some lines."""
    path = folder / name
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def sent(version: int, name: str = "app", day: str = "2026-10-01", **more: Any) -> bytes:
    """A line of a Fetch request: 4.0 refuses versions below 4. Without a day, it has no date."""
    line = kafka_line(1, version, name, at=f"{day} 10:00:00,000", **more)
    return line if day else line.partition(b"] ")[2]


def metrics(folder: Path, **requests: int) -> list[Path]:
    """Scrapes of a counter of Fetch 3, by "_MONTH_DAY" of 2026."""
    paths = []
    for day, number in requests.items():
        paths.append(folder / f"broker_2026{day.replace('_', '-')}.prom")
        paths[-1].write_text(COUNTER.format(3, number))
    return paths


def summary_of(output: Path, *names: Path, **more: Any) -> FleetSummary:
    """The summary of some inputs."""
    return fleet(FleetRequest([str(name) for name in names], "4.0", output, **more)).summary


def about_days(summary: FleetSummary) -> list[str]:
    """What is not known because of the days of the logs."""
    return [sentence for sentence in summary.not_known if "sent nothing" in sentence]


def test_client_instances_are_no_requests(tmp_path: Path) -> None:
    telemetry = tmp_path / "otlp_2026-10-01.prom"
    telemetry.write_text("# TYPE m gauge\n" + "".join(INSTANCE.format(number, "app") for number in range(5)))
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2)), telemetry)
    (application,) = summary.cut_off
    assert (application.requests, application.refused, application.sources) == (1, 1, ("request log",))
    assert summary.by_owner[0].requests == 1


def test_client_instances_do_not_break_at_a_release_without_telemetry(tmp_path: Path) -> None:
    telemetry = tmp_path / "otlp_2026-10-01.prom"
    telemetry.write_text("# TYPE m gauge\n" + INSTANCE.format(1, "app"))
    summary = fleet(FleetRequest([str(telemetry)], "3.0", tmp_path / "out")).summary
    assert (summary.applications.total, summary.applications.cut_off) == (1, 0)


def test_an_application_is_not_quiet_because_metrics_go_on_after_the_log(tmp_path: Path) -> None:
    scrapes = metrics(tmp_path, _10_01=100, _10_15=200)
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2)), *scrapes)
    assert [(item.state, item.unseen_days) for item in summary.cut_off] == [("active", 0)]
    assert [week.week for week in summary.by_week] == ["2026-09-28"]


def test_days_of_metrics_are_no_days_of_the_logs(tmp_path: Path) -> None:
    scrapes = metrics(tmp_path, **{f"_10_{day:02}": 100 * day for day in range(1, 32)})
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2)), *scrapes)
    (sentence,) = about_days(summary)
    assert sentence.startswith("Applications that sent nothing on the 1 day of the logs")


def test_logs_without_a_date(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2, day="")))
    assert about_days(summary) == [
        "Which applications sent nothing, and when the others did: no request has a date."
    ]


def test_many_requests_in_metrics_do_not_make_the_clock_of_a_log_wrong(tmp_path: Path) -> None:
    scrapes = metrics(tmp_path, _10_01=1000, _10_02=2000)
    path = log(tmp_path, *[sent(2, day="2025-08-01")] * 5)
    summary = summary_of(tmp_path / "out", path, *scrapes)
    assert summary.cut_off[0].last_refused == "2025-08-01T10:00:00"
    assert not any("clock" in sentence for sentence in summary.not_known)


def test_a_clock_that_was_wrong_is_found_in_logs_and_in_metrics(tmp_path: Path) -> None:
    lines = [sent(2)] * 200 + [sent(2, day="1970-01-01")]
    (tmp_path / "b_1970-01-01.prom").write_text(COUNTER.format(3, 1))
    (tmp_path / "b_1970-01-02.prom").write_text(COUNTER.format(3, 2))
    (tmp_path / "b_2026-10-01.prom").write_text(COUNTER.format(3, 500))
    summary = summary_of(tmp_path / "out", log(tmp_path, *lines), *tmp_path.glob("b_*"))
    assert "The time of 2 requests, dated 1970-01-01 to 1970-01-02" in " ".join(summary.not_known)
    assert len(summary.by_week) == 1


OLD, NEW = ("lib", "1"), ("lib", "2")


def test_an_upgraded_application_no_longer_breaks_in_a_comparison(tmp_path: Path) -> None:
    old = log(tmp_path, sent(2, software=OLD), name="old.log")
    new = log(tmp_path, sent(11, day="2026-10-05", software=NEW), name="new.log")
    summary_of(tmp_path / "before", old)
    summary = summary_of(tmp_path / "now", old, new, baseline=tmp_path / "before")
    assert summary.baseline is not None
    assert summary.headline == "None of 1 application breaks at 4.0"
    assert [item.name for item in summary.baseline.ended] == ["app"]
    assert (summary.baseline.new, summary.baseline.still) == ((), 0)


def test_an_application_that_was_upgraded_when_it_first_appears_is_not_newly_broken(tmp_path: Path) -> None:
    summary_of(tmp_path / "before", log(tmp_path, sent(11, "other"), name="old.log"))
    path = log(tmp_path, sent(2, software=OLD), sent(11, day="2026-10-05", software=NEW))
    summary = summary_of(tmp_path / "now", path, baseline=tmp_path / "before")
    assert summary.baseline is not None
    assert summary.applications.upgraded == 1
    assert (summary.baseline.new, summary.baseline.still) == ((), 0)


def test_a_comparison_has_the_period_of_the_earlier_output(tmp_path: Path) -> None:
    paths = (log(tmp_path, sent(3)), *metrics(tmp_path, _10_01=100, _10_15=200))
    before = summary_of(tmp_path / "before", *paths)
    summary = summary_of(tmp_path / "now", *paths, baseline=tmp_path / "before")
    assert summary.baseline is not None
    assert summary.baseline.period == before.period


def test_none_breaks_but_metrics_count_refused_requests(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(11)), *metrics(tmp_path, _10_01=5000))
    assert summary.headline == (
        "None of 1 application breaks at 4.0, but metrics count 5,000 refused requests that no log shows"
    )
    page = (tmp_path / "out" / "index.html").read_text()
    assert "No application sends" not in page
    assert "No source names an application that sends a version that 4.0 does not serve." in page


def test_metrics_of_what_an_upgraded_application_sent_do_not_change_the_headline(tmp_path: Path) -> None:
    path = log(tmp_path, sent(3, software=OLD), sent(11, day="2026-10-05", software=NEW))
    summary = summary_of(tmp_path / "out", path, *metrics(tmp_path, _10_01=5000))
    assert summary.headline == "None of 1 application breaks at 4.0"


def test_metrics_of_requests_between_brokers_are_not_of_unknown_applications(tmp_path: Path) -> None:
    scrape = tmp_path / "broker_2026-10-01.prom"
    scrape.write_text(COUNTER.replace("Fetch", "UpdateMetadata").format(7, 5000))
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(11)), scrape)
    assert (summary.headline, summary.metrics) == ("None of 1 application breaks at 4.0", ())
    assert not any("Metrics count" in sentence for sentence in summary.not_known)
    assert [(use.api, use.requests) for use in summary.between_brokers] == [("UpdateMetadata", 5000)]


def test_applications_without_a_dated_refused_request_are_not_in_the_burn_down(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "out", log(tmp_path, sent(2, "a"), sent(2, "b", day="")))
    assert (summary.applications.cut_off, summary.by_week[-1].remaining) == (2, 1)
    assert (
        "When 1 application sent refused requests: those have no date, so the burn-down does not count them."
    ) in summary.not_known


def test_the_requests_of_a_probe_are_no_request_log(tmp_path: Path) -> None:
    steps = [{"api": "ApiVersions", "version": version} for version in (3, 4)]
    document = {"schema": "wirebook/probe/1", "tool": {"version": "1"}, "brokers": [{"conversation": steps}]}
    (tmp_path / "probe.json").write_text(json.dumps(document))
    summary = summary_of(tmp_path / "out", tmp_path / "probe.json", log(tmp_path, sent(11)))
    assert [(source.source, source.number) for source in summary.sources[:2]] == [
        ("request log", 1),
        ("output of wirebook probe", 2),
    ]


def test_the_page_and_the_terminal_use_the_singular(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path, sent(2, "a"), sent(11, "b", day="2026-10-02"))
    assert main(["fleet", str(path), "--target", "4.0", "--output", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("1 file, 0 unchanged; 2 new lines")
    assert "a (no owner known): 1 request, Fetch v2, last 1 day ago" in printed
    page = (tmp_path / "out" / "index.html").read_text()
    totals = re.findall(r"<li><strong[^>]*>(\d+)</strong> ([^<]*)<br><span[^>]*>([^<]*)", page)
    assert ("1", "application breaks", "0 owners, 1 without an owner") in totals
    assert ("1", "is served", "1 request") in totals
    assert re.findall(r"<rect[^>]*><title>([^<]*)", page) == [
        "2026-09-28: 1 remaining; 1 sent refused requests",
        "2026-10-01: 1 refused",
    ]


def test_random_names_compare_with_an_output_that_is_too_short_to_show_them(tmp_path: Path) -> None:
    lines = [sent(2, f"job-{letters(n)}", day=f"2026-10-0{1 + n % 4}") for n in range(80)]
    summary_of(tmp_path / "short", log(tmp_path, *lines[0::4], *lines[1::4], name="a.log"))
    other = sent(2, "orders", day="2026-10-04")
    path = log(tmp_path, *lines, other, name="b.log")
    longer = summary_of(tmp_path / "long", path, baseline=tmp_path / "short").baseline
    assert longer is not None
    assert ([item.name for item in longer.new], longer.ended, longer.still) == (["orders"], (), 1)
    shorter = summary_of(tmp_path / "now", tmp_path / "a.log", baseline=tmp_path / "long").baseline
    assert shorter is not None
    assert (shorter.new, [item.name for item in shorter.ended], shorter.still) == ((), ["orders"], 1)
