"""Which versions releases froze and deprecated, and the compact form in which they are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.pairs.freezing import Frozen, unstable_tops
from wirebook.rules.released import (
    Baseline,
    Released,
    ReleasedSpec,
    distinct,
    from_plain,
    history_of,
    holders,
    released_message_of,
    stable_versions,
    to_plain,
)
from wirebook.specs.model import Message, Protocol, identity_of
from wirebook.specs.versions import Versions

REQUEST, RESPONSE = ("request", 900), ("response", 900)


def spec(kind: str = "request", **keys: Any) -> Message:
    name = f"Foo{kind.title().replace('-', '')}"
    top = {"apiKey": 900, "type": kind, "name": name, "validVersions": "0-2", "flexibleVersions": "1+"}
    text = {**top, "fields": [], **keys}
    return read_kafka(json.dumps({key: value for key, value in text.items() if value is not None}), "F.json")


def both(**keys: Any) -> Protocol:
    """An API of which only the request has the marks."""
    return Protocol((spec(**keys), spec("response", validVersions=keys.get("validVersions", "0-2"))))


def released(*protocols: Protocol) -> Released:
    return Released.of([Baseline(f"{number}.0", each) for number, each in enumerate(protocols, 1)])


WHOLE = spec(
    latestVersionUnstable=True,
    deprecatedVersions="0",
    history=[
        {"version": 0, "added": "1.0", "deprecated": "2.0", "about": "It is."},
        {"version": 1, "added": "1.1", "fields": {"Rack": "1.2"}, "about": "It is."},
    ],
)


@pytest.mark.parametrize("message", [WHOLE, spec(), spec("data", apiKey=None), spec(validVersions="none")])
def test_the_compact_form_is_read_back(message: Message) -> None:
    compact = released_message_of(message)
    assert from_plain(json.loads(json.dumps(to_plain(compact)))) == compact
    assert compact.identity == message.identity


def test_the_compact_form_has_marks_by_version() -> None:
    compact = released_message_of(WHOLE)
    assert compact.history == {
        0: {"added": "1.0", "deprecated": "2.0"},
        1: {"added": "1.1", "fields.Rack": "1.2"},
    }
    assert (compact.valid_versions, compact.stable) == (Versions(0, 2), Versions(0, 1))
    assert history_of(spec()) == {}


@pytest.mark.parametrize(
    ("valid", "unstable", "stable"),
    [("0-2", False, "0-2"), ("0-2", True, "0-1"), ("3", True, "none"), ("none", True, "none")],
)
def test_the_highest_version_may_be_unstable(valid: str, unstable: bool, stable: str) -> None:
    assert str(stable_versions(Versions.parse(valid), unstable)) == stable


@pytest.mark.parametrize(
    ("kind", "key", "identity"),
    [
        ("request", 7, ("request", 7)),
        ("response", 0, ("response", 0)),
        ("request", None, ("request", "Foo")),
        ("data", 7, ("data", "Foo")),
        ("metadata", 7, ("metadata", "Foo")),
    ],
)
def test_requests_and_responses_are_known_by_their_key(
    kind: str, key: int | None, identity: tuple[str, int | str]
) -> None:
    assert identity_of(kind, "Foo", key) == identity


def test_each_version_is_frozen_by_the_first_release_that_has_it_stable() -> None:
    found = released(
        both(validVersions="0"),
        both(validVersions="0-2", latestVersionUnstable=True),
        both(validVersions="0-3", latestVersionUnstable=True),
        both(validVersions="1-3"),
    )
    frozen = {0: "1.0", 1: "2.0", 2: "3.0", 3: "4.0"}
    assert found.versions(REQUEST) == frozen
    # The response carries no mark: that of its request counts.
    assert found.versions(RESPONSE) == frozen
    assert found.versions(("request", 7)) == {}
    assert found.releases == ("1.0", "2.0", "3.0", "4.0")


def test_a_response_without_its_request_is_frozen_by_itself() -> None:
    alone = released(Protocol((spec("response"),)))
    assert alone.versions(RESPONSE) == {0: "1.0", 1: "1.0", 2: "1.0"}
    # Versions that no request has are those of the response.
    shorter = released(Protocol((spec(validVersions="0-1", latestVersionUnstable=True), spec("response"))))
    assert shorter.versions(RESPONSE) == {0: "1.0", 2: "1.0"}


def test_deprecations_are_those_of_the_first_release_that_marks_them() -> None:
    found = released(
        both(),
        both(deprecatedVersions="0"),
        both(deprecatedVersions="0-1"),
        Protocol(
            (spec("response", deprecatedVersions="2"), spec(validVersions="1-2", deprecatedVersions="0-2"))
        ),
    )
    assert found.deprecated(REQUEST) == {0: "2.0", 1: "3.0", 2: "4.0"}
    assert found.deprecated(RESPONSE) == {0: "2.0", 1: "3.0", 2: "4.0"}
    assert found.deprecated(("request", 7)) == {}
    only = released(Protocol((spec("response", deprecatedVersions="0-9"),)))
    assert only.deprecated(RESPONSE) == {0: "1.0", 1: "1.0", 2: "1.0"}


def test_equal_forms_of_a_message_are_kept_once() -> None:
    found = released(both(), both(), both(listeners=["broker"]), both(validVersions="0-3"), both())
    assert len(found.released_messages(REQUEST)) == 2
    assert [item.name for item in found.specs(REQUEST)] == ["1.0", "3.0", "4.0"]
    assert found.newest().messages[0].valid_versions == Versions(0, 2)


def test_records_of_coordinators_used_to_be_data() -> None:
    data = spec("data", apiKey=None, name="FooValue")
    value = spec("coordinator-value", apiKey=0, name="FooValue")
    found = released(Protocol((data,)), Protocol((value,)))
    assert [item.name for item in found.specs(value.identity)] == ["1.0", "2.0"]
    assert len(found.released_messages(value.identity)) == 2
    assert [item.name for item in found.specs(data.identity)] == ["1.0"]
    assert found.versions(value.identity) == {0: "1.0", 1: "1.0", 2: "1.0"}


def test_days_and_the_newest_release_are_those_of_the_baselines() -> None:
    found = Released.of([Baseline("1.0", both(), "2020-01-01"), Baseline("2.0", Protocol(()))])
    assert [found.day(name) for name in ("1.0", "2.0", "3.0")] == ["2020-01-01", "", ""]
    assert found.newest() == Protocol(())
    assert (found.given, Released.of([]).given) == (True, False)
    assert Released.of([]).newest() == Protocol(())
    bare = Released(lambda identity: (), True)
    assert (bare.specs(REQUEST), bare.day("1.0"), bare.releases, bare.newest()) == ((), "", (), Protocol(()))


# --- without baselines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_keys", "response_keys", "tops"),
    [
        ({}, {}, {}),
        ({"latestVersionUnstable": True}, {}, {REQUEST: 2, RESPONSE: 2}),
        ({"latestVersionUnstable": True}, {"validVersions": "0-1"}, {REQUEST: 2}),
        ({}, {"latestVersionUnstable": True}, {RESPONSE: 2}),
        ({"latestVersionUnstable": True, "validVersions": "none"}, {}, {}),
        ({"latestVersionUnstable": True}, {"validVersions": "none"}, {REQUEST: 2}),
    ],
)
def test_a_response_is_as_unstable_as_its_request(
    request_keys: Any, response_keys: Any, tops: dict[tuple[str, int], int]
) -> None:
    sides = spec(**request_keys), spec("response", **response_keys)
    assert unstable_tops(Protocol(sides)) == tops
    assert unstable_tops(Protocol(sides[::-1])) == tops


def test_without_baselines_the_old_side_counts() -> None:
    old = Protocol((spec(latestVersionUnstable=True, deprecatedVersions="0-5"), spec("response")))
    request, response = old.messages
    frozen = Frozen(None, old)
    assert frozen.released(request, request) == {0: "", 1: ""}
    assert frozen.released(response, response) == {0: "", 1: ""}
    assert frozen.released(request) == {}
    assert frozen.deprecated(request) == {0: "", 1: "", 2: ""}
    assert frozen.deprecated(response) == {0: "", 1: "", 2: ""}
    assert frozen.deprecated(spec("response", apiKey=7)) == {}
    pair = frozen.pair(request, spec())
    assert (pair.unstable_top, pair.texts, pair.released_messages) == (2, None, ())
    assert Frozen(None, None).released(request) == {}


def test_with_baselines_the_old_side_does_not_count() -> None:
    old = Protocol((spec(validVersions="0-3", deprecatedVersions="0"), spec("response", validVersions="0-3")))
    request, response = old.messages
    frozen = Frozen(released(both(deprecatedVersions="1"), Protocol((*old,))), old)
    assert frozen.released(request, request) == {0: "1.0", 1: "1.0", 2: "1.0", 3: "2.0"}
    assert frozen.released(response) == {0: "1.0", 1: "1.0", 2: "1.0", 3: "2.0"}
    assert frozen.deprecated(request) == {1: "1.0", 0: "2.0"}
    pair = frozen.pair(request, spec())
    # The old side itself is left out of the released forms.
    assert [item.valid_versions for item in pair.released_messages] == [Versions(0, 2)]
    assert pair.unstable_top is None


def test_a_spec_counts_once_for_the_first_release_that_has_it() -> None:
    old, new = spec(), spec(validVersions="0-3")
    specs = [
        ReleasedSpec(name, each) for name, each in (("1.0", old), ("1.1", spec()), ("2.0", new), ("2.1", old))
    ]
    assert [(each.name, each.message) for each in distinct(specs)] == [("1.0", old), ("2.0", new)]
    assert holders(specs) == {"1.0": ["1.0", "1.1", "2.1"], "2.0": ["2.0"]}
