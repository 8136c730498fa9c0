"""Histories: which marks and entries may come, change and go, and the words for each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Category, Finding
from wirebook.rules.released import Baseline
from wirebook.rules.tables import Tables, TablesPair
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol

Entry = dict[str, Any]
# The last level has no description, so no release has it.
LINES = ("1.0", "1.1", "2.0", "2.1")
LEVELS = Registry(
    tuple(
        ApiVersion(number, f"{line}-L0", line, None, "" if line == "2.1" else "It is there.")
        for number, line in enumerate(LINES)
    ),
    "api_versions.json",
)
RESTORE = "restore it: entries of a history are never deleted"
REVOKED = '"undeprecated" and "returned" revoke a mark without deleting it'
NEWER = "name a protocol level newer than every released one; add it to the registry if new"


def spec(*entries: Entry, **keys: Any) -> Message:
    top = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2"}
    known = {"history": list(entries)} if entries else {}
    text = {**top, "flexibleVersions": "0+", "fields": [], **known, **keys}
    return read_kafka(
        json.dumps({key: value for key, value in text.items() if value is not None}), "Foo.json"
    )


def entry(version: int, added: str = "1.0-L0", **marks: Any) -> Entry:
    return {"version": version, "added": added, "about": "It is.", **marks}


def found(
    old: Message,
    new: Message,
    *released: Message,
    levels: tuple[Registry | None, Registry | None] = (LEVELS, LEVELS),
) -> list[Finding]:
    baselines = [
        Baseline(f"{number}.0", Protocol((item,))) for number, item in enumerate(released, 1)
    ]
    found = check(
        Protocol((old,)),
        Protocol((new,)),
        baselines,
        tables=TablesPair(Tables(levels[0]), Tables(levels[1])),
    )
    return [each for each in found if each.category is not Category.SET]


def said(old: Message, new: Message, *released: Message) -> list[tuple[str, str, str]]:
    """The rule, the message and the advice of each finding on histories."""
    named = ("history-rewritten", "history-levels", "removed-without-deprecation")
    return [
        (item.rule, item.message, item.fix)
        for item in found(old, new, *released)
        if item.rule in named
    ]


A, B, C = entry(0), entry(1), entry(2, "1.1-L0")
RECORDED = "which releases have which versions is no longer recorded"


@pytest.mark.parametrize(
    ("before", "after", "lost", "versions"),
    [
        ((A,), (), "its history", "0"),
        ((A, B, C), (), "its history", "0-2"),
        ((A, B, C), (A, B), "the entry of its history for version 2", "2"),
        ((A, B, C), (B,), "the entry of its history for versions 0, 2", "0, 2"),
    ],
)
@pytest.mark.parametrize("released", [True, False])
def test_entries_are_kept(
    before: tuple[Entry, ...], after: tuple[Entry, ...], lost: str, versions: str, released: bool
) -> None:
    old, new = spec(*before), spec(*after)
    message = f"FooRequest loses {lost}: {RECORDED}"
    assert said(old, new) == [("history-rewritten", message, RESTORE)]
    # It does not matter who lost it if a release has it.
    for sides in ((old, new, old), (new, spec(*after, listeners=["broker"]), old)):
        (item,) = [item for item in found(*sides) if item.rule == "history-rewritten"]
        assert (item.message, item.versions.text) == (message, versions)


@pytest.mark.parametrize(
    ("before", "after", "message", "fix"),
    [
        (
            {"deprecated": "1.1-L0"},
            {},
            "the history of FooRequest no longer says that version 0 is deprecated in 1.1-L0",
            f'restore "deprecated"; {REVOKED}',
        ),
        (
            {"deprecated": "1.1-L0", "removed": "2.0-L0"},
            {"deprecated": "1.1-L0"},
            "the history of FooRequest no longer says that version 0 is removed in 2.0-L0",
            f'restore "removed"; {REVOKED}',
        ),
        (
            {"unstable": "1.0-L0"},
            {},
            "the history of FooRequest no longer says that version 0 is unstable in 1.0-L0",
            f'restore "unstable"; {REVOKED}',
        ),
        (
            {"added": "1.0-L0"},
            {"added": "1.1-L0"},
            "the history of FooRequest said that version 0 is added in 1.0-L0, and now says 1.1-L0",
            'write "1.0-L0" again: recorded dates do not change',
        ),
    ],
)
def test_marks_are_kept(before: Entry, after: Entry, message: str, fix: str) -> None:
    old, new = spec(A | before, B), spec(A | after, B)
    assert said(old, new) == [("history-rewritten", message, fix)]
    assert said(new, spec(A | after, B, listeners=["broker"]), old) == [
        ("history-rewritten", message, fix)
    ]


@pytest.mark.parametrize(
    ("added", "keys", "late"),
    [
        (("2.0-L0",), {}, "version 3 is added in 2.0-L0, which was released without that"),
        (("1.0-L0",), {}, "version 3 is added in 1.0-L0, which was released without that"),
        (("2.0",), {}, "version 3 is added in 2.0, which was released without that"),
        (
            ("2.0-L0", "2.0-L0"),
            {},
            "versions 3-4 are added in 2.0-L0, which was released without that",
        ),
        (("2.1-L0",), {}, ""),
        (("2.1",), {}, ""),
        (("2.0-L0",), {"latestVersionUnstable": True}, ""),
        (("2.0-L0", "2.1-L0"), {"latestVersionUnstable": True}, "version 3 is added in 2.0-L0"),
        (("2.0-L0",), {"validVersions": "0-2"}, ""),
    ],
)
def test_a_new_version_is_in_no_release_yet(added: tuple[str, ...], keys: Entry, late: str) -> None:
    fresh = [entry(number, level) for number, level in enumerate(added, 3)]
    new = spec(A, B, C, *fresh, **{"validVersions": f"0-{2 + len(added)}", **keys})
    hits = said(spec(A, B, C), new)
    assert [fix for _, _, fix in hits] == ([NEWER] if late else [])
    assert not late or f"the history of FooRequest says that {late}" in hits[0][1]


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        ({"deprecated": "1.1-L0"}, {"removed": "2.1-L0"}, []),
        ({"deprecated": "1.1-L0"}, {"removed": "2.0-L0"}, ["history-rewritten"]),
        ({"deprecated": "1.1-L0"}, {"removed": "1.1-L0"}, ["history-rewritten"]),
        ({"deprecated": "1.1-L0"}, {"removed": "1.0-L0"}, ["history-levels"]),
        ({}, {"removed": "2.1-L0"}, ["removed-without-deprecation"]),
        ({}, {"deprecated": "2.1-L0", "removed": "2.1-L0"}, ["removed-without-deprecation"]),
        ({"deprecated": "1.1-L0", "removed": "2.0-L0"}, {"returned": "2.1-L0"}, []),
        ({"deprecated": "1.1-L0", "removed": "2.0-L0"}, {"returned": "1.1-L0"}, ["history-levels"]),
        ({"deprecated": "1.1-L0"}, {"undeprecated": "2.1-L0"}, []),
        ({"deprecated": "1.1-L0"}, {"undeprecated": "1.0-L0"}, ["history-levels"]),
        ({"deprecated": "1.1-L0"}, {"undeprecated": "1.1-L0"}, []),
    ],
)
def test_marks_come_in_their_order(before: Entry, after: Entry, rules: list[str]) -> None:
    old, new = spec(A | before, B), spec(A | before | after, B)
    assert [rule for rule, *_ in said(old, new)] == rules
    assert said(new, new) == []


def test_a_removal_is_announced_before_its_patch() -> None:
    old, removed = spec(A, B), {"removed": "2.1-L0"}
    cut = "peers that support no newer version are cut off without notice"
    fix = "add deprecated now, release it, and add removed with a later protocol level"
    for marks, how in (
        ({}, "was never deprecated"),
        ({"deprecated": "2.1-L0"}, "is deprecated in the same patch"),
    ):
        message = f"version 0 of FooRequest is removed since 2.1-L0, but {how}: {cut}"
        assert said(old, spec(A | marks | removed, B)) == [
            ("removed-without-deprecation", message, fix)
        ]
    # A release had the mark, whatever the old side says.
    marked = spec(A | {"deprecated": "1.1-L0"}, B)
    assert said(old, spec(A | {"deprecated": "1.1-L0"} | removed, B), marked) == []
    # The old side knows the version without an entry, or not at all.
    both = spec(entry(1), entry(2) | removed, validVersions="0-2")
    assert [rule for rule, *_ in said(spec(entry(1), validVersions="0-2"), both)] == [
        "removed-without-deprecation"
    ]
    assert "removed-without-deprecation" not in {
        rule for rule, *_ in said(spec(entry(1), validVersions="0-1"), both)
    }
    assert said(spec(A | removed, B), spec(A | removed, B, listeners=["broker"])) == []
    # Without a history there are no marks to wait for.
    assert "removed-without-deprecation" not in {
        rule for rule, *_ in said(spec(), spec(A | removed, B))
    }
