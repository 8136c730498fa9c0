"""A change as its reviewer sees it: the verdict, groups of findings, and nothing said twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.reports import some_finding
from wirebook.rules.engine import check
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.result import CheckResult
from wirebook.rules.review.consequences import Cause, Consequence
from wirebook.rules.review.review import ReviewReport, review
from wirebook.specs.model import Message, Protocol


def spec(kind: str = "request", key: int = 900, name: str = "Foo", **keys: Any) -> Message:
    top = {"apiKey": key, "type": kind, "name": f"{name}{kind.title()}", "validVersions": "0-2"}
    text = {**top, "flexibleVersions": "0+", "fields": [], **keys}
    return read_kafka(json.dumps(text), f"{name}{kind.title()}.json")


def both(**keys: Any) -> Protocol:
    """An API whose halves have the same values."""
    return Protocol((spec("request", **keys), spec("response", **keys)))


def result(old: Protocol, new: Protocol) -> CheckResult:
    return CheckResult(tuple(check(old, new)), "a against b", "1.2.3", 2)


def reviewed(old: Protocol, new: Protocol) -> ReviewReport:
    return review(result(old, new), old, new)


def said(found: ReviewReport) -> list[tuple[str, str]]:
    return [(item.cause.value, item.words) for item in found.consequences]


def test_what_both_halves_of_an_api_say_is_said_once() -> None:
    found = reviewed(both(latestVersionUnstable=True), both())
    assert said(found) == [("stability", "Version 2 is now stable.")]


# --- the verdict ------------------------------------------------------------------------------------------

FOUND = some_finding(location=None)
CHANGES = tuple(reviewed(both(), both(validVersions="0-3")).changes)
TEXTS = tuple(replace(change, kind="about-changed") for change in CHANGES)
REMOVED = Consequence(Cause.REMOVED, "Foo", "Version 0 is removed.")
WAIVED, NOTE, WARNED = (
    FOUND._replace(waived="so"),
    FOUND._replace(severity=Severity.INFO),
    FOUND._replace(severity=Severity.WARNING),
)
INVALID = FOUND._replace(rule="unknown-key", category=Category.SPEC)


def of(*findings: Finding, unchecked: tuple[str, ...] = (), **more: Any) -> ReviewReport:
    return ReviewReport(CheckResult(findings, "a against b", "1.2.3", 2, unchecked=unchecked), **more)


@pytest.mark.parametrize(
    ("found", "state", "verdict"),
    [
        (
            of(FOUND, unchecked=("x",)),
            "incomplete",
            "Not everything could be checked: this is not a verdict.",
        ),
        (of(FOUND, WARNED), "breaking", "This change breaks what was promised: 1 error, 1 warning."),
        (of(FOUND, FOUND), "breaking", "This change breaks what was promised: 2 errors."),
        (of(INVALID, WARNED), "breaking", "The specs are not valid: 1 error, 1 warning."),
        (of(INVALID, FOUND), "breaking", "This change breaks what was promised: 2 errors."),
        (of(WARNED, WAIVED), "warnings", "Nothing that was released breaks: 1 warning."),
        (of(WARNED, WARNED), "warnings", "Nothing that was released breaks: 2 warnings."),
        (of(NOTE, changes=CHANGES), "sound", "Nothing that was released breaks."),
        (of(changes=TEXTS), "sound", "Only what people read changes."),
        (of(changes=(*TEXTS, *CHANGES)), "sound", "Nothing that was released breaks."),
        (
            of(changes=CHANGES, consequences=(REMOVED,)),
            "sound",
            "No errors, but versions are removed: see who must act.",
        ),
        (of(changes=TEXTS, consequences=(REMOVED,)), "sound", "Only what people read changes."),
        (of(WAIVED), "unchanged", "The protocol does not change."),
    ],
)
def test_the_verdict_is_that_of_the_worst(found: ReviewReport, state: str, verdict: str) -> None:
    assert (found.state, found.verdict) == (state, verdict)


def test_without_an_old_side_no_verdict_is_about_a_change() -> None:
    report = CheckResult((), "the index against nothing: this is the first commit", "1.2.3", 2)
    first = review(report, None, both())
    assert (first.state, first.verdict) == ("sound", "There is no older protocol to compare with.")
    assert not first.empty
    broken = review(report._replace(findings=(FOUND,)), None, both())
    assert (broken.state, broken.verdict) == ("breaking", "This change breaks what was promised: 1 error.")


def test_findings_are_counted_and_notes_apart() -> None:
    found = of(FOUND, WARNED, WARNED, NOTE, WAIVED, unchecked=("x", "y", "z"))
    assert dict(found.counts) == {"errors": 1, "warnings": 2, "info": 1, "waived": 1, "not checked": 3}
    assert found.notes == (NOTE,)
    ((title, items),) = found.by_message
    assert title == "FooRequest"
    assert [finding for finding, _ in items] == [FOUND, WARNED, WARNED, WAIVED]
    assert (items[0][1], items[-1][1]) == (found.report.fingerprints[0], found.report.fingerprints[-1])
    assert found.waivable
    assert not of(WAIVED, NOTE).waivable
    assert of(WARNED).waivable


def test_what_is_waived_comes_after_the_notes_and_stays() -> None:
    assert [title for title, _ in of(NOTE, WAIVED._replace(message_name="BarRequest")).by_message] == [
        "BarRequest"
    ]
    assert of(NOTE).by_message == []


# --- changes that many APIs have in common ----------------------------------------------------------------


def sides_of(number: int, old: dict[str, Any], new: dict[str, Any]) -> tuple[Protocol, Protocol]:
    """Both sides of several APIs that change alike."""
    before, after = (
        Protocol(tuple(spec(key=900 + each, name=f"Foo{chr(65 + each)}", **keys) for each in range(number)))
        for keys in (old, new)
    )
    return before, after


def many(number: int, old: dict[str, Any], new: dict[str, Any]) -> ReviewReport:
    """The review of several APIs that change alike."""
    return reviewed(*sides_of(number, old, new))


@pytest.mark.parametrize(("number", "is_pattern"), [(1, False), (3, False), (4, True), (5, True)])
def test_what_more_than_three_apis_have_in_common_is_a_pattern(number: int, is_pattern: bool) -> None:
    found = many(number, {}, {"listeners": ["broker"]})
    assert [len(item.apis) for item in found.patterns] == ([number] if is_pattern else [])
    assert found.other_apis == (number if is_pattern else 0)
    assert len(found.apis) == (0 if is_pattern else number)
