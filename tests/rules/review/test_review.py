"""A change as its reviewer sees it: the verdict, groups of findings, and nothing said twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.reports import some_finding
from wirebook.rules.check.run import Compared
from wirebook.rules.engine import check
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.result import CheckResult
from wirebook.rules.review.consequences import Cause, Consequence
from wirebook.rules.review.review import ReviewReport, review, review_all
from wirebook.specs.levels import ApiVersion, Registry
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


def test_what_is_missing_is_said_once_for_all_protocols() -> None:
    entry = {"version": 0, "added": "1.0-IV0", "about": "It is."}
    old, new = (Protocol((spec(validVersions=valid, history=[entry]),)) for valid in ("0", "0-1"))
    other = Protocol((spec(name="Bar"),))
    report, level = result(old, new), Registry((ApiVersion(0, "9.0-IV0", "9.0"),), "r.json")
    found = review_all(report, [Compared(old, new, (None, None)), Compared(other, other, (level, level))])
    assert [item.words for item in found.missing] == ["an entry at the end of the history of FooRequest"]


def test_a_level_is_missing_in_the_registry_of_its_own_protocol() -> None:
    levels = [Registry((ApiVersion(0, f"{line}-IV0", line),), f"{line}/r.json") for line in ("1.0", "2.0")]
    old, new = both(), both(validVersions="0-3")
    other = both(name="Bar", key=901), both(name="Bar", key=901, about="It is.")
    findings = check(old, new, old_registry=levels[0], new_registry=levels[0])
    assert [item.rule for item in findings] == ["api-version-missing"]
    report = CheckResult(tuple(findings), "a against b", "1.2.3", 4)
    found = review_all(
        report, [Compared(old, new, (levels[0], levels[0])), Compared(*other, (levels[1], levels[1]))]
    )
    assert [item.path for item in found.missing] == ["1.0/r.json"]


def test_an_api_is_not_broken_by_a_message_of_that_name_in_another_protocol() -> None:
    def at(place: str, *sides: Protocol) -> tuple[Protocol, Protocol]:
        old, new = (Protocol(tuple(it._replace(path=f"{place}/{it.path}") for it in side)) for side in sides)
        return old, new

    field = {"name": "Id", "type": "int32", "versions": "0+"}
    one = at("one", both(fields=[field]), both(fields=[field | {"type": "int64"}]))
    two = at("two", both(), both(validVersions="0-3"))
    findings = [*check(*one), *check(*two)]
    report = CheckResult(tuple(findings), "a against b", "1.2.3", 4)
    found = review_all(report, [Compared(*one, (None, None)), Compared(*two, (None, None))])
    assert [cause for cause, _ in said(found)] == ["broken", "added"]


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
        (of(FOUND, WARNED), "breaking", "This change breaks what was promised: 1 error."),
        (of(FOUND, FOUND), "breaking", "This change breaks what was promised: 2 errors."),
        (of(INVALID, WARNED), "breaking", "The specs are not valid: 1 error."),
        (of(INVALID, FOUND), "breaking", "This change breaks what was promised: 2 errors."),
        (of(WARNED, WAIVED), "warnings", "Nothing that was released breaks; 1 warning to look at."),
        (of(WARNED, WARNED), "warnings", "Nothing that was released breaks; 2 warnings to look at."),
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


@pytest.mark.parametrize(
    ("found", "empty"),
    [
        (of(), True),
        (of(NOTE), False),
        (of(unchecked=("x",)), False),
        (of(changes=CHANGES), False),
        (ReviewReport(CheckResult((), "a", "1", 0, policy_changes=("x",))), False),
        (ReviewReport(CheckResult((), "a", "1", 0, notices=("x",))), True),
    ],
)
def test_a_review_without_anything_to_read_is_empty(found: ReviewReport, empty: bool) -> None:
    assert found.empty == empty


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


def test_changes_on_the_wire_and_of_text_form_no_pattern() -> None:
    added = many(5, {}, {"validVersions": "0-3"})
    assert {change.kind for change in added.changes} == {"versions-added"}
    field = {"name": "Id", "type": "int32", "versions": "0+"}
    typed = many(5, {"fields": [field]}, {"fields": [field | {"type": "int64"}]})
    assert typed.patterns == ()
    assert len(typed.apis) == 5
    texts = many(5, {"fields": [field | {"about": "a"}]}, {"fields": [field | {"about": "b"}]})
    assert (texts.patterns, texts.apis, texts.text_changes) == ((), (), 5)
    removed = many(5, {}, {"validVersions": "1-2"})
    early = review(removed.report, *sides_of(5, {}, {"validVersions": "1-2"}), is_unreleased=True)
    assert early.patterns == (), "no table lists them"
    assert len(early.apis) == 5
    assert [(item.words[:34], len(item.changes)) for item in removed.patterns] == [
        ("versions are no longer valid; “Rem", 5)
    ]
