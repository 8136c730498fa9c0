"""Who must act on a change: the sentence and the cells of each cause, with and without known releases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.result import CheckResult
from wirebook.rules.review.consequences import COLUMNS, Cause
from wirebook.rules.review.review import review
from wirebook.specs.model import Message, Protocol

Said = tuple[str, str, tuple[str, ...]]
ID = {"name": "Id", "type": "int32", "versions": "0+"}
WIDE = ID | {"type": "int64"}


def spec(kind: str = "request", fetch: bool = False, **keys: Any) -> Message:
    """A message of Foo, or of Fetch, whose versions the releases of Kafka are known to serve."""
    name = f"{'Fetch' if fetch else 'Foo'}{kind.title() if kind in ('request', 'response') else ''}"
    top = {"type": kind, "name": name, "validVersions": "0-2", "flexibleVersions": "none", "fields": []}
    keyed = {"apiKey": 1 if fetch else 900} if kind in ("request", "response") else {}
    return read_kafka(json.dumps({**keyed, **top, **keys}), f"{name}.json")


def said(old: list[Message], new: list[Message]) -> list[Said]:
    sides = Protocol(tuple(old)), Protocol(tuple(new))
    report = CheckResult(tuple(check(*sides, together=False)), "a against b", "1.2.3", 1)
    found = review(report, *sides).consequences
    for item in found:
        assert len(item.cells) == max(len(COLUMNS.get(item.cause, ())), 0)
    return [(item.cause.value, item.words, item.cells) for item in found]


OTHERS = "clients on versions 0-2 are not affected"
MISREAD = "Peers with and without this change misread or refuse each other's messages in"


@pytest.mark.parametrize(
    ("old", "new", "plain", "known"),
    [
        pytest.param(
            {},
            {"validVersions": "0-3"},
            (
                "added",
                f"Peers without this change do not know version 3; {OTHERS}.",
                ("3", "", "on versions 0-2"),
            ),
            (
                "added",
                f"Only brokers of 0.10.1 to 3.9.1 know version 3; {OTHERS}.",
                ("3", "0.10.1 to 3.9.1", "on versions 0-2"),
            ),
            id="one version",
        ),
        pytest.param(
            {},
            {"validVersions": "0-3", "latestVersionUnstable": True},
            (
                "added",
                "Version 3 is new and unstable: do not rely on it before it is stable.",
                ("3 (unstable)", "", ""),
            ),
            (
                "added",
                "Version 3 is new and unstable: do not rely on it before it is stable.",
                ("3 (unstable)", "0.10.1 to 3.9.1", ""),
            ),
            id="an unstable version",
        ),
        pytest.param(
            {},
            {"validVersions": "1-2"},
            ("removed", "Version 0 is removed. Clients need version 1 or later.", ("0", "", "1", "", "")),
            (
                "removed",
                "Version 0 is removed. Releases that serve it: 0.8.0 to 3.9.1. Clients need version 1 or "
                "later, "
                "which brokers serve since 0.9.0. Clients of Kafka 0.8.0 to 0.8.2 are cut off.",
                ("0", "0.8.0 to 3.9.1", "1", "since 0.9.0", "0.8.0 to 0.8.2"),
            ),
            id="the lowest version",
        ),
        pytest.param(
            {},
            {"validVersions": "none"},
            (
                "removed",
                "Versions 0-2 are removed. Clients must work without the API.",
                ("0-2", "", "none", "", ""),
            ),
            (
                "removed",
                "Versions 0-2 are removed. Releases that serve them: 0.8.0 to 3.9.1. Clients must work "
                "without the "
                "API.",
                ("0-2", "0.8.0 to 3.9.1", "none", "", ""),
            ),
            id="all versions",
        ),
        pytest.param(
            {},
            {"deprecatedVersions": "0-1"},
            ("deprecated", "Versions 0-1 are deprecated: move to version 2.", ("0-1", "2", "")),
            (
                "deprecated",
                "Versions 0-1 are deprecated: move to version 2, which brokers serve since 0.10.0.",
                ("0-1", "2", "since 0.10.0"),
            ),
            id="two are deprecated",
        ),
        pytest.param(
            {"fields": [ID | {"versions": "0"}]},
            {"fields": [WIDE | {"versions": "0"}]},
            ("broken", f"{MISREAD} version 0. Versions 1-2 are not affected.", ()),
            (
                "broken",
                f"{MISREAD} version 0. Releases that serve it: 0.8.0 to 3.9.1. Versions 1-2 are not "
                "affected.",
                (),
            ),
            id="one is broken",
        ),
        pytest.param(
            {"listeners": ["broker", "zkBroker"]},
            {"listeners": ["broker"]},
            ("listener", "No longer served on the zkBroker listener.", ()),
            (
                "listener",
                "No longer served on the zkBroker listener. Releases up to 3.9.1 serve it there.",
                (),
            ),
            id="a listener",
        ),
    ],
)
def test_the_words_for_an_api(old: dict[str, Any], new: dict[str, Any], plain: Said, known: Said) -> None:
    for fetch, expected in ((False, plain), (True, known)):
        before, after = spec(fetch=fetch, **old), spec(fetch=fetch, **new)
        assert said([before], [after]) == [expected]
        # Who has both halves is told once, and who has only the response is told of that.
        shared = {key: value for key, value in new.items() if key == "validVersions"}
        halves = [
            [spec("response", fetch, **{**side, **shared})] for side in ({"validVersions": "0-2"}, shared)
        ]
        assert said([before, *halves[0]], [after, *halves[0]]) == [expected]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ({}, {"latestVersionUnstable": True}, "Version 2 may change until it is stable: do not rely on it."),
        ({"latestVersionUnstable": True}, {}, "Version 2 is now stable."),
        ({"latestVersionUnstable": True}, {"validVersions": "0-1"}, None),
        ({"latestVersionUnstable": True}, {"latestVersionUnstable": True}, None),
    ],
)
def test_the_stability_of_a_version(old: dict[str, Any], new: dict[str, Any], words: str | None) -> None:
    found = [item for item in said([spec(**old)], [spec(**new)]) if item[0] == "stability"]
    assert found == ([] if words is None else [("stability", words, ())])


@pytest.mark.parametrize(
    ("kind", "called"),
    [
        ("data", "message"),
        ("metadata", "metadata record"),
        ("coordinator-key", "coordinator key"),
        ("coordinator-value", "coordinator value"),
    ],
)
def test_readers_of_records_must_act(kind: str, called: str) -> None:
    assert said([spec(kind)], [spec(kind, validVersions="1-3")]) == [
        (
            "removed",
            "Version 0 is removed: data written in it is no longer readable.",
            ("0", "", "1", "", ""),
        ),
        ("added", f"Readers of this {called} must support version 3 before it is written.", ("3", "", "")),
    ]
    new = f"A new {called}: readers without this change do not know it."
    assert said([], [spec(kind)]) == [("added", new, ("0-2", "", ""))]
    removed = "Versions 0-2 are removed: data written in them is no longer readable."
    assert said([spec(kind)], []) == [("removed", removed, ("0-2", "", "none", "", ""))]
    assert said([spec("header")], [spec("header", validVersions="1-3")]) == []


def test_clients_need_one_of_the_lower_versions_if_the_highest_is_removed() -> None:
    ((_, words, _),) = said(
        [spec(), spec("response")], [spec(validVersions="0"), spec("response", validVersions="0")]
    )
    assert words == "Versions 1-2 are removed. Clients need version 0."


def test_the_most_urgent_cause_comes_first() -> None:
    other = {"name": "A", "type": "bool", "versions": "0+"}
    old = spec(fields=[ID, other], listeners=["broker", "zkBroker"], latestVersionUnstable=True)
    new = spec(
        fields=[WIDE, other | {"name": "B"}],
        listeners=["broker"],
        validVersions="1-3",
        deprecatedVersions="1",
    )
    order = [Cause(cause) for cause, *_ in said([old], [new])]
    assert order == sorted(order, key=list(Cause).index)
    assert {*order} == {*Cause}
