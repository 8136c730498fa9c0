"""What a rule declares, names near it, addresses of its page, and the words of a report on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules import meta_rules
from wirebook.rules.finding import Category, Finding, Place, Severity, sort
from wirebook.rules.result import CheckResult, counts
from wirebook.rules.rule import (
    Hit,
    Per,
    catalogue,
    declared,
    find,
    restored,
    rule,
)
from wirebook.rules.site_address import site_address
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import VersionSet

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


def load() -> None:
    """A rule with sections."""

    @rule(on=Message, category=Category.SPEC, source="ours", since="1.2.3")
    def made_up(message: Message) -> Iterator[Hit]:
        """A message is made up.

        Not a section.

        ## What it does
        Looks at it.

        Twice.

        ## Do instead
        Nothing.
        """
        yield from ()


def test_a_rule_is_documented_by_its_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebook.rules.rule._RULES", {})
    load()
    made = declared("made-up")
    assert made is not None
    assert (made.summary, made.topic, made.page) == ("A message is made up", "rules", "rules/made-up/")
    assert made.documentation == {"What it does": "Looks at it.\n\nTwice.", "Do instead": "Nothing."}
    assert made.to_json("https://a/")["url"] == "https://a/rules/made-up/"
    assert made.to_json()["url"] is None
    assert (made.severity, made.firm, made.since, made.follows, made.per) == (
        ERROR,
        False,
        "1.2.3",
        (),
        Per.PLACE,
    )
    with pytest.raises(ValueError, match="two rules are called made-up"):
        load()


def test_rules_are_ordered_by_topic_and_name() -> None:
    before = catalogue()
    assert [item.name for item in before] == [
        item.name for item in sorted(before, key=lambda item: (item.topic, item.name))
    ]


def test_meta_rules_are_on_the_page_of_the_list() -> None:
    for name in ("layout-changed", "layout-restored", "stale-waiver", "expired-waiver"):
        found = meta_rules.find(name)
        assert found is not None
        assert (found.topic, found.page) == ("guards", "rules/")
        assert found in meta_rules.all_rules()
        assert find(name) is None
    assert meta_rules.find("tag-gap") is find("tag-gap")
    document = meta_rules.document(catalogue()[:1], "https://a/")
    assert document["rules"][0]["url"].startswith("https://a/rules/")


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("", ""),
        ("  ", ""),
        ("https://a.example", "https://a.example/"),
        (" http://a.example/b/ ", "http://a.example/b/"),
        ("https://a.example///", "https://a.example/"),
        ("a.example", None),
        ("ftp://a.example", None),
        ("https://a b", None),
        ("https://a\x1b", None),
    ],
)
def test_the_address_of_a_site_is_one(
    address: str, site: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREBOOK_SITE_URL", address)
    if site is None:
        with pytest.raises(InputError, match=r"WIREBOOK_SITE_URL: .* is not the address of a site"):
            site_address()
    else:
        assert site_address() == site
    monkeypatch.delenv("WIREBOOK_SITE_URL")
    assert site_address() == ""


def test_names_near_a_wrong_one_come_nearest_first() -> None:
    assert meta_rules.nearest("tag-gab")[0] == "tag-gap"
    assert meta_rules.nearest("qqq") == []
    assert meta_rules.nearest("wired", Category)[0] == "wire"
    assert len(meta_rules.nearest("tagged-versions")) == 3


WRITTEN = read_message('{"a": "x", "b": 3, "c": null, "name": "Ä"}', "a.json", strict=False).written


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("d", "x", 'delete "d"'),
        ("a", "x", 'restore "a": "x"'),
        ("b", 3, 'restore "b": 3'),
        ("b", True, 'restore "b": true'),
        ("c", None, 'restore "c": null'),
        ("name", "Ä", 'restore "name": "Ä"'),
        ("a", VersionSet.parse("1-2"), 'restore "a": "1-2"'),
        ("a", 1.5, 'restore "a": 1.5'),
    ],
)
def test_a_value_is_restored_as_it_was_written(key: str, value: object, text: str) -> None:
    assert restored(WRITTEN, key, value) == text


# --- findings and reports ---------------------------------------------------------------------------------

FOUND = some_finding()


@pytest.mark.parametrize(
    ("severities", "waived", "failing"),
    [
        ([], [], []),
        ([INFO], [ERROR], []),
        ([WARNING], [ERROR], ["warning"]),
        ([ERROR], [], ["error", "warning"]),
        ([ERROR, WARNING], [INFO], ["error", "warning"]),
    ],
)
def test_a_gate_fails_by_what_is_not_waived(
    severities: list[Severity], waived: list[Severity], failing: list[str]
) -> None:
    items = [FOUND._replace(severity=each) for each in severities]
    items += [FOUND._replace(severity=each, waived="so") for each in waived]
    report = CheckResult(tuple(items), "a", "1", 1)
    assert [on for on in ("never", "error", "warning") if report.fails(on)] == failing
    assert report.failed == ("error" in failing)


@pytest.mark.parametrize(
    ("severities", "checked", "unchecked", "words"),
    [
        ([], 0, (), "no findings in 0 messages"),
        ([], 1, (), "no findings in 1 message"),
        ([ERROR], 2, (), "1 error in 2 messages"),
        ([ERROR] * 2 + [WARNING], 2, (), "2 errors, 1 warning in 2 messages"),
        ([WARNING] * 2 + [INFO], 2, (), "2 warnings, 1 for information in 2 messages"),
        ([ERROR], 2, ("x",), "incomplete: 1 error in the 2 messages that could be checked"),
        # On settings, waivers or tables.
        ([ERROR] * 2, 0, (), "2 errors"),
        ([ERROR] * 2, 0, ("x",), "incomplete: 2 errors; no message could be checked"),
        ([], 0, ("x",), "incomplete: no message could be checked"),
    ],
)
def test_findings_are_counted_in_words(
    severities: list[Severity], checked: int, unchecked: tuple[str, ...], words: str
) -> None:
    items = tuple(FOUND._replace(severity=each) for each in severities)
    assert counts(CheckResult(items, "a", "1", checked, unchecked=unchecked)) == words


def test_findings_are_sorted_by_severity_place_and_rule() -> None:
    def at(path: str, line: int, column: int = 1, **more: Any) -> Finding:
        return FOUND._replace(location=Place(path, line, column), **more)

    ordered = [
        FOUND._replace(location=None),
        FOUND._replace(location=None, previous=Place("a", 0, 9)),
        at("a", 1, 1, rule="a"),
        at("a", 1, 1, rule="b", field="A"),
        at("a", 1, 1, rule="b", field="B"),
        at("a", 1, 1, rule="b", field="B", discriminator="x"),
        at("a", 1, 2),
        at("a", 2, 1),
        at("b", 1, 1),
        at("a", 1, 1, severity=WARNING),
        at("a", 1, 1, severity=INFO),
    ]
    assert sort(reversed(ordered)) == ordered


def test_the_fingerprint_is_that_of_the_identity() -> None:
    changed = FOUND._replace(
        message="x", fix="y", severity=INFO, location=None, released_in="1.0", waived="so"
    )
    assert changed.fingerprint == FOUND.fingerprint
    others = [
        FOUND._replace(rule="tag-gap"),
        FOUND._replace(message_type="response"),
        FOUND._replace(message_name="BarRequest"),
        FOUND._replace(field="A"),
        FOUND._replace(versions=VersionSet.parse("1")),
        FOUND._replace(discriminator="x"),
    ]
    marks = {item.fingerprint for item in [FOUND, *others]}
    assert len(marks) == 7
    assert {len(mark) for mark in marks} == {16}
