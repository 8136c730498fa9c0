"""How long a version stays deprecated before it is removed, by releases and by days."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
from wirebook.rules.released import Baseline
from wirebook.rules.tables import Tables, TablesPair
from wirebook.rules.window import Window
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol

LINES = ("3.7", "3.8", "3.9", "4.0")


def spec(**keys: Any) -> Message:
    top = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1"}
    text = json.dumps({**top, "flexibleVersions": "0+", "fields": [], **keys})
    return read_kafka(text, "FooRequest.json")


def registry(*dates: str) -> Registry:
    """A level for each release line, the last two of which are not released."""
    days = (*dates, *[None] * (len(LINES) - len(dates)))
    levels = [
        ApiVersion(number, f"{line}-IV0", line, day, "It is there." if number < 2 else "")
        for number, (line, day) in enumerate(zip(LINES, days, strict=True))
    ]
    return Registry(tuple(levels), "api_versions.json")


def removed_in(line: str, window: str, *dates: str) -> list[Finding]:
    """What is found where a version deprecated in 3.7 is removed with a line."""
    entry = {"version": 0, "added": "3.7-IV0", "deprecated": "3.7-IV0"}
    old, new = spec(history=[entry]), spec(history=[{**entry, "removed": f"{line}-IV0"}])
    tables = Tables(registry(*dates))
    return check(
        Protocol((old,)),
        Protocol((new,)),
        tables=TablesPair(tables, tables),
        deprecated_for=Window.parse(window),
    )


@pytest.mark.parametrize(
    ("line", "window", "fix"),
    [
        ("3.9", "1 release", None),
        ("3.9", "2 releases", None),
        ("3.9", "3 releases", "remove it from 4.0 on"),
        ("4.0", "3 releases", None),
        ("4.0", "4 releases", "remove it from 4 releases after 3.7 on"),
    ],
)
def test_releases_are_counted_by_line(line: str, window: str, fix: str | None) -> None:
    assert [item.fix for item in removed_in(line, window)] == ([] if fix is None else [fix])


def test_days_are_counted_from_the_date_of_the_level() -> None:
    since = date.today() - timedelta(days=100)
    assert removed_in("3.9", "100 days", since.isoformat()) == []
    (found,) = removed_in("3.9", "101 days", since.isoformat())
    assert found.fix == f"remove it from {date.today() + timedelta(days=1)} on"
    assert "deprecated since 3.7-IV0, less than 101 days before" in found.message
    (found,) = removed_in("3.9", "1 day")
    assert "whose day is not known" in found.fix


@pytest.mark.parametrize(
    ("window", "severity", "fix"),
    [
        ("1 release", "info", "announce the removal in the release notes"),
        ("2 releases", "info", "announce the removal in the release notes"),
        ("3 releases", "error", "remove them from 3 releases after 3.8 on"),
    ],
)
def test_specs_without_a_history_count_baselines(window: str, severity: str, fix: str) -> None:
    plain, marked = spec(), spec(deprecatedVersions="0")
    baselines = [
        Baseline("3.7.0", Protocol((plain,))),
        Baseline("3.8.0", Protocol((marked,))),
        Baseline("3.8.1", Protocol((marked,))),
        Baseline("3.9.0", Protocol((spec(deprecatedVersions="0", listeners=["broker"]),))),
    ]
    new = Protocol((spec(validVersions="1"),))
    (found,) = check(Protocol((marked,)), new, baselines, deprecated_for=Window.parse(window))
    assert (found.rule, found.severity.value, found.fix) == ("lowest-version-raised", severity, fix)


@pytest.mark.parametrize(
    ("window", "severity"), [(None, "info"), ("1 release", "info"), ("3 releases", "error")]
)
def test_a_deletion_does_not_get_around_the_window(window: str | None, severity: str) -> None:
    marked = spec(deprecatedVersions="0-1")
    baselines = [Baseline(name, Protocol((marked,))) for name in ("3.8.0", "3.9.0")]
    given = None if window is None else Window.parse(window)
    (found,) = check(Protocol((marked,)), Protocol(()), baselines, deprecated_for=given)
    assert (found.rule, found.severity.value) == ("message-deleted", severity)
    if severity == "error":
        assert found.fix == "delete it from 3 releases after 3.8 on"
        assert found.message.endswith("and its deprecation must last 3 releases first")


@pytest.mark.parametrize(("window", "severity"), [(None, "warning"), ("1 day", "error")])
def test_a_mark_that_no_release_has_is_too_young(window: str | None, severity: str) -> None:
    plain, marked, new = spec(), spec(deprecatedVersions="0"), spec(validVersions="1")
    given = None if window is None else Window.parse(window)
    baselines = [Baseline("3.8.0", Protocol((plain,)))]
    (found,) = check(Protocol((marked,)), Protocol((new,)), baselines, deprecated_for=given)
    assert found.severity.value == severity
