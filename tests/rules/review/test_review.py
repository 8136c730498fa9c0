"""A change as its reviewer sees it: the verdict, groups of findings, and nothing said twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.result import CheckResult
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
    found = review_all(report, [(old, new, (None, None)), (other, other, (level, level))])
    assert [item.words for item in found.missing] == ["an entry at the end of the history of FooRequest"]


def test_a_level_is_missing_in_the_registry_of_its_own_protocol() -> None:
    levels = [Registry((ApiVersion(0, f"{line}-IV0", line),), f"{line}/r.json") for line in ("1.0", "2.0")]
    old, new = both(), both(validVersions="0-3")
    other = both(name="Bar", key=901), both(name="Bar", key=901, about="It is.")
    findings = check(old, new, old_registry=levels[0], new_registry=levels[0])
    assert [item.rule for item in findings] == ["api-version-missing"]
    report = CheckResult(tuple(findings), "a against b", "1.2.3", 4)
    found = review_all(report, [(old, new, (levels[0],) * 2), (*other, (levels[1],) * 2)])
    assert [item.path for item in found.missing] == ["1.0/r.json"]


def test_an_api_is_not_broken_by_a_message_of_that_name_in_another_protocol() -> None:
    def at(place: str, *sides: Protocol) -> tuple[Protocol, Protocol]:
        old, new = (Protocol(tuple(replace(it, path=f"{place}/{it.path}") for it in side)) for side in sides)
        return old, new

    field = {"name": "Id", "type": "int32", "versions": "0+"}
    one = at("one", both(fields=[field]), both(fields=[field | {"type": "int64"}]))
    two = at("two", both(), both(validVersions="0-3"))
    findings = [*check(*one), *check(*two)]
    report = CheckResult(tuple(findings), "a against b", "1.2.3", 4)
    found = review_all(report, [(*one, (None, None)), (*two, (None, None))])
    assert [cause for cause, _ in said(found)] == ["broken", "added"]
