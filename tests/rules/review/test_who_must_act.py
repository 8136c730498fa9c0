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
from wirebook.specs.kafka.brokers import load_brokers
from wirebook.specs.kafka.served import Served
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import Headers, OwnHeader, Profile
from wirebook.specs.reading.reader import read_message

Said = tuple[str, str, tuple[str, ...]]
NEWEST = Served(1, load_brokers()).newest
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
            {"validVersions": "0-5"},
            (
                "added",
                f"Peers without this change do not know versions 3-5; {OTHERS}.",
                ("3-5", "", "on versions 0-2"),
            ),
            (
                "added",
                "Only brokers of 0.10.1 to 3.9.1 know version 3; brokers before 0.11.0 do not know versions "
                f"4-5; {OTHERS}.",
                ("3-5", "3: 0.10.1 to 3.9.1; 4-5: since 0.11.0", "on versions 0-2"),
            ),
            id="versions of two releases",
        ),
        pytest.param(
            {"validVersions": "0-97"},
            {"validVersions": "0-98"},
            (
                "added",
                "Peers without this change do not know version 98; clients on versions 0-97 are not "
                "affected.",
                ("98", "", "on versions 0-97"),
            ),
            (
                "added",
                f"No release up to {NEWEST} serves version 98; clients on versions 0-97 are not affected.",
                ("98", f"no release up to {NEWEST}", "on versions 0-97"),
            ),
            id="a version that no release has",
        ),
        pytest.param(
            {"validVersions": "0-15"},
            {"validVersions": "0-97"},
            (
                "added",
                "Peers without this change do not know versions 16-97; clients on versions 0-15 are not "
                "affected.",
                ("16-97", "", "on versions 0-15"),
            ),
            (
                "added",
                "Brokers before 3.7 do not know version 16; brokers before 3.9 do not know version 17; "
                "brokers "
                f"before 4.1 do not know version 18; no release up to {NEWEST} serves versions 19-97; "
                "clients on "
                "versions 0-15 are not affected.",
                (
                    "16-97",
                    "16: since 3.7; 17: since 3.9; 18: since 4.1; 19-97: no release",
                    "on versions 0-15",
                ),
            ),
            id="versions that some releases have",
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
            {"validVersions": "2"},
            (
                "removed",
                "Versions 0-1 are removed. Clients need version 2 or later.",
                ("0-1", "", "2", "", ""),
            ),
            (
                "removed",
                "Versions 0-1 are removed. Releases that serve them: 0.8.0 to 3.9.1. Clients need "
                "version 2 or "
                "later, which brokers serve since 0.10.0. Clients of Kafka 0.8.0 to 0.9.0 are cut off.",
                ("0-1", "0.8.0 to 3.9.1", "2", "since 0.10.0", "0.8.0 to 0.9.0"),
            ),
            id="the two lowest versions",
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
            {"deprecatedVersions": "0"},
            ("deprecated", "Version 0 is deprecated: move to versions 1-2.", ("0", "1-2", "")),
            (
                "deprecated",
                "Version 0 is deprecated: move to versions 1-2, and brokers serve version 1 since 0.9.0.",
                ("0", "1-2", "since 0.9.0"),
            ),
            id="one is deprecated",
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
            {},
            {"deprecatedVersions": "0-2"},
            ("deprecated", "Versions 0-2 are deprecated, and no other is left.", ("0-2", "none", "")),
            ("deprecated", "Versions 0-2 are deprecated, and no other is left.", ("0-2", "none", "")),
            id="all are deprecated",
        ),
        pytest.param(
            {"fields": [ID]},
            {"fields": [WIDE]},
            ("broken", f"{MISREAD} versions 0-2.", ()),
            ("broken", f"{MISREAD} versions 0-2. Releases that serve them: 0.8.0 to 3.9.1.", ()),
            id="all are broken",
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
            {"fields": [ID | {"versions": "0-1"}]},
            {"fields": [WIDE | {"versions": "0-1"}]},
            ("broken", f"{MISREAD} versions 0-1. Version 2 is not affected.", ()),
            (
                "broken",
                f"{MISREAD} versions 0-1. Releases that serve them: 0.8.0 to 3.9.1. Version 2 is not "
                "affected.",
                (),
            ),
            id="two are broken",
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


def test_a_response_alone_is_an_api() -> None:
    assert said([spec("response")], [spec("response", validVersions="1-2")]) == [
        ("removed", "Version 0 is removed. Clients need version 1 or later.", ("0", "", "1", "", ""))
    ]
    broken = [spec(), spec("response", fields=[ID])], [spec(), spec("response", fields=[WIDE])]
    assert said(*broken) == [("broken", f"{MISREAD} versions 0-2.", ())]


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


def test_of_two_new_versions_one_may_be_unstable() -> None:
    new = spec(validVersions="0-4", latestVersionUnstable=True)
    assert said([spec()], [new]) == [
        (
            "added",
            f"Peers without this change do not know version 3; {OTHERS}.",
            ("3", "", "on versions 0-2"),
        ),
        (
            "added",
            "Version 4 is new and unstable: do not rely on it before it is stable.",
            ("4 (unstable)", "", ""),
        ),
    ]


def test_versions_that_do_not_exist_are_not_deprecated() -> None:
    assert said([spec(deprecatedVersions="0-2")], [spec(deprecatedVersions="0-5")]) == []
    assert said([spec()], [spec(deprecatedVersions="0-5")])[0][1].startswith("Versions 0-2 are deprecated")


def test_versions_that_return_were_not_served_in_between() -> None:
    def joining(versions: str) -> Message:
        return spec(apiKey=11, name="JoinGroupRequest", validVersions=versions)

    runs = f"0.9.0 to 3.9.1, 4.0.1 to {NEWEST}", f"0.10.1 to 3.9.1, 4.0.1 to {NEWEST}"
    words = (
        f"Only brokers of {runs[0]} know version 0; only brokers of {runs[1]} know version 1; clients on "
        "versions 2-9 are not affected."
    )
    cells = ("0-1", f"0: {runs[0]}; 1: {runs[1]}", "on versions 2-9")
    assert said([joining("2-9")], [joining("0-9")]) == [("added", words, cells)]


def test_an_api_of_controllers_is_not_served_by_brokers() -> None:
    def beating(versions: str, *listeners: str) -> Message:
        return spec(
            apiKey=63, name="BrokerHeartbeatRequest", validVersions=versions, listeners=list(listeners)
        )

    sides = [beating("0-1", "controller")], [beating("0-2", "controller")]
    assert said(*sides)[0][1].startswith("Controllers before 4.3 do not know version 2; ")
    both = [beating("0-1", "broker", "controller")], [beating("0-2", "broker", "controller")]
    assert said(*both)[0][1].startswith("Brokers before 4.3 do not know version 2; ")
    new = spec(listeners=["controller"])
    assert said([], [new])[0][1] == "A new API: send it only to controllers that list it in ApiVersions."
    old = spec(listeners=["zkBroker"])
    assert said([], [old])[0][1] == "A new API: send it only to brokers that list it in ApiVersions."


def test_who_deletes_a_spec_without_versions_cuts_nobody_off() -> None:
    assert said([spec(validVersions="none")], []) == []


def test_a_new_api_is_sent_to_who_lists_it() -> None:
    words = "A new API: send it only to brokers that list it in ApiVersions."
    assert said([], [spec(), spec("response")]) == [("added", words, ("0-2", "", ""))]
    since = "0: 0.8.0 to 3.9.1; 1: 0.9.0 to 3.9.1; 2: 0.10.0 to 3.9.1"
    assert said([], [spec(fetch=True)]) == [("added", words, ("0-2", since, ""))]
    assert said([], [spec(fetch=True, validVersions="0")]) == [("added", words, ("0", "0.8.0 to 3.9.1", ""))]


def test_an_api_that_is_gone() -> None:
    words = "Versions 0-2 are removed. Clients must work without the API."
    assert said([spec(), spec("response")], []) == [("removed", words, ("0-2", "", "none", "", ""))]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("data", "Data written in versions 0-2 before this change may be misread after it, and the reverse."),
        ("header", "Peers with and without this change misread each other's headers of versions 0-2."),
    ],
)
def test_what_is_no_api_has_no_clients(kind: str, words: str) -> None:
    assert said([spec(kind, fields=[ID])], [spec(kind, fields=[WIDE])]) == [("broken", words, ())]


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


def event(**keys: Any) -> Message:
    """A message of a type that its profile adds, with a key that an API of Kafka has, too."""
    profile = Profile(
        message_types=("event",),
        keyed_types=("event",),
        headers=Headers(others=(OwnHeader("event", (1, 1)),)),
    )
    top = {"apiKey": 1, "type": "event", "name": "Moved", "validVersions": "0-1", "flexibleVersions": "none"}
    return read_message(json.dumps({**top, "fields": [], **keys}), "Moved.json", profile=profile)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"validVersions": "0-2"},
         ("added", "Readers of this event must support version 2 before it is sent.", ("2", "", ""))),
        ({}, {"validVersions": "0-3"},
         ("added", "Readers of this event must support versions 2-3 before they are sent.", ("2-3", "", ""))),
        ({}, {"deprecatedVersions": "0"},
         ("deprecated", "Version 0 is deprecated: move to version 1.", ("0", "1", ""))),
        ({}, {"validVersions": "1"},
         ("removed", "Version 0 is removed. Readers need version 1 or later.", ("0", "", "1", "", ""))),
        ({"fields": [ID]}, {"fields": [WIDE]}, ("broken", f"{MISREAD} versions 0-1.", ())),
        (None, {}, ("added", "A new event: readers without this change do not know it.", ("0-1", "", ""))),
        ({}, None, ("removed", "Versions 0-1 are removed. Readers must work without the message.",
                    ("0-1", "", "none", "", ""))),
    ],
)  # fmt: skip
def test_readers_of_an_event_must_act(
    old: dict[str, Any] | None, new: dict[str, Any] | None, expected: Said
) -> None:
    before, after = ([event(**keys)] if keys is not None else [] for keys in (old, new))
    assert said(before, after) == [expected]


def test_clients_need_one_of_the_lower_versions_if_the_highest_is_removed() -> None:
    ((_, words, _),) = said(
        [spec(), spec("response")], [spec(validVersions="0"), spec("response", validVersions="0")]
    )
    assert words == "Versions 1-2 are removed. Clients need version 0."


def test_the_bytes_of_an_api_change_with_its_names() -> None:
    renamed = [spec(fields=[WIDE | {"name": "Ib"}])]
    words = [
        each[1] for each in said([spec(fields=[ID, WIDE | {"name": "Ia"}])], renamed) if each[0] == "code"
    ]
    assert words == ["Names or attributes change: regenerate code from the specs."]


def test_code_is_generated_anew_for_names_only() -> None:
    code = "Names or attributes change: regenerate code from the specs. The bytes do not change."
    assert said([spec(fields=[ID])], [spec(fields=[ID | {"name": "Ib"}])]) == [("code", code, ())]
    assert said([spec(fields=[ID])], [spec(fields=[ID | {"about": "An id."}])]) == []


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


def test_nobody_depends_on_what_is_removed_before_the_first_release() -> None:
    sides = Protocol((spec(),)), Protocol((spec(validVersions="1-2"),))
    report = CheckResult((), "a against b", "1.2.3", 1)
    assert [each.cause for each in review(report, *sides).consequences] == [Cause.REMOVED]
    early = review(report, *sides, is_unreleased=True)
    assert early.consequences == ()
    assert early.verdict == "Nothing that was released breaks."
