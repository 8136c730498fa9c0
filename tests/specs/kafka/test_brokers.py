"""The broker releases: they agree with the facts, with Kafka's own specs, and with our histories."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.specs.released_specs import released
from tests.support import ROOT, SHARED, needs_shared
from wirebook.specs.kafka.brokers import (
    Broker,
    api_keys,
    api_names,
    broker_named,
    kafka_releases,
    load_brokers,
    order_of,
    read_release_table,
)
from wirebook.specs.kafka.registry import embedded_source, load_registry
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import Moment
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NegotiationApi, Profile
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.sources.source import open_source
from wirebook.specs.versions import Versions

pytestmark = pytest.mark.xdist_group("released")

PRODUCE, FETCH, JOIN_GROUP, VOTE, TELEMETRY = 0, 1, 11, 52, 71


def document() -> Any:
    return json.loads((ROOT / "specs" / "kafka" / "broker_versions.json").read_text(encoding="utf-8"))


def test_the_file_is_of_its_schema() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "broker_versions.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(document())) == []
    broken = document()
    broken["releases"][0]["versions"]["0"] = [0, 0]
    assert len(list(validator.iter_errors(broken))) == 1


def test_releases_rise_and_hold_only_named_apis() -> None:
    brokers = load_brokers()
    for before, after in pairwise(brokers):
        assert order_of(before.release) < order_of(after.release)
    assert (brokers[0].release, brokers[-1].release) == ("0.8.0", "4.4-dev")
    assert set(api_names()) == {key for broker in brokers for key in broker.versions}
    for broker in brokers:
        assert all(broker.versions.values())
        for keys in broker.listeners.values():
            assert keys <= set(broker.versions)
        for key, versions in broker.deprecated.items():
            assert broker.versions[key].covers(versions)
        for key, versions in broker.unstable.items():
            assert not broker.versions.get(key, Versions.NONE) & versions


@needs_shared
def test_versions_are_those_of_the_facts() -> None:
    assert SHARED is not None
    facts = json.loads((SHARED / "facts" / "broker_versions.json").read_text(encoding="utf-8"))
    for release, expected in facts.items():
        found = {str(key): [v.lowest, v.highest] for key, v in broker_named(release).versions.items()}
        assert found == expected, release
    # The marks of 3.9.1 differ from those of 3.9.0; the versions do not.
    assert {broker.release for broker in load_brokers()} - set(facts) == {"3.9.1"}


@needs_shared
def test_versions_and_marks_are_those_of_every_released_spec() -> None:
    seen = set()
    for key, name in api_names().items():
        for each in released(("request", key)):
            if not each.message.valid_versions:
                continue
            broker, message = broker_named(each.release), each.message
            unstable = Versions.NONE
            if message.latest_version_unstable:
                unstable = Versions(message.valid_versions.highest, message.valid_versions.highest)
            stable = Versions(message.valid_versions.lowest, message.valid_versions.highest - len(unstable))
            where = f"{each.release} {name}"
            assert broker.versions.get(key, Versions.NONE) == stable, where
            assert broker.unstable.get(key, Versions.NONE) == unstable, where
            if stable:
                assert broker.deprecated.get(key, Versions.NONE) == message.deprecated_versions, where
            if message.listeners and stable:
                on = {name for name, keys in broker.listeners.items() if key in keys}
                assert on == set(message.listeners), where
            seen.add(each.release)
    assert len(seen) == 53


def own_requests() -> list[Message]:
    protocol = read_protocol(open_source(str(embedded_source())).texts())
    return [message for message in protocol if message.type == "request"]


def supported(message: Message, release: str) -> set[int]:
    """The versions that brokers of a release serve by default, by the history of a spec of ours."""
    registry = load_registry()
    now = registry.moment(release)
    assert now is not None

    def reached(moment: Moment | None) -> bool:
        return moment is not None and moment <= now

    return {
        version
        for version, life in lifecycles(message, registry).items()
        if reached(life.stable if life.unstable else life.added)
        and (not reached(life.removed) or reached(life.returned))
    }


@pytest.mark.share(4)
@pytest.mark.parametrize("release", [b.release for b in load_brokers() if b.release != "4.4-dev"])
def test_versions_are_those_of_our_own_histories(release: str) -> None:
    broker = broker_named(release)
    for message in own_requests():
        assert message.api_key is not None
        expected = set(broker.versions.get(message.api_key, Versions.NONE))
        if message.api == "ControlledShutdown":
            # Brokers of 0.9 to 0.11 read version 0 and did not advertise it.
            expected |= supported(message, release) & {0}
        assert supported(message, release) == expected, message.name


def test_a_release_is_found_by_its_line_and_by_its_patch() -> None:
    found = {
        name: broker_named(name).release
        for name in ("3.9", "3.9.0", "v3.9.1", "3.9.7", "4.0.0", "4.0.2", "0.10.2.1", "2.2.0", "4.4-dev")
    }
    assert found == {
        "3.9": "3.9",
        "3.9.0": "3.9",
        "v3.9.1": "3.9.1",
        "3.9.7": "3.9.1",
        "4.0.0": "4.0",
        "4.0.2": "4.0.1",
        "0.10.2.1": "0.10.2",
        "2.2.0": "2.2",
        "4.4-dev": "4.4-dev",
    }
    assert broker_named("4.0.0").versions[JOIN_GROUP] == Versions(2, 9)
    assert broker_named("4.0.1").versions[JOIN_GROUP] == Versions(0, 9)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("3.99", "the nearest are"),
        ("4", "the nearest are 4.3"),
        ("kafka", "the releases are"),
        ("otter-3.9", "the nearest are"),
        ("", "the releases are"),
        ("4.4", "the nearest are"),
        ("9999999999999999999.1", "no broker release"),
        ("٣.٩", "no broker release"),
    ],
)
def test_an_unknown_release_is_refused_with_what_is_near(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        broker_named(name)


def test_what_a_listener_lists_is_not_all_that_a_release_has() -> None:
    newest, old = broker_named("4.3"), broker_named("3.9")
    assert newest.versions[PRODUCE] == Versions(3, 13)
    assert newest.listed()[PRODUCE] == Versions(0, 13)
    assert old.listed()[PRODUCE] == old.versions[PRODUCE] == Versions(0, 11)
    assert VOTE not in newest.listed()
    assert VOTE in newest.listed("controller")
    assert TELEMETRY not in newest.listed()
    assert TELEMETRY in newest.listed(telemetry=True)
    assert newest.listed("zkBroker") == {}
    assert 4 in old.listed()
    assert 4 not in old.listed("broker")
    assert list(old.listed()) == sorted(old.listed())
    assert [broker.release for broker in load_brokers() if not broker.negotiates][-1] == "0.9.0"


def test_an_api_is_found_by_its_older_names() -> None:
    assert api_keys()["groupcoordinator"] == api_keys()["findcoordinator"] == 10
    assert api_keys()["apiversion"] == 18
    assert api_names()[FETCH] == "Fetch"


TABLE = {
    "apis": {"0": {"name": "Put"}, "3": {"name": "Hello", "was": ["Ask", "Greet"]}, "71": {"name": "Tell"}},
    "releases": [
        {"release": "1.0", "versions": {"0": "0"}, "listeners": {"door": "0"}},
        {
            "release": "5.0",
            "versions": {"71": "0", "3": "1-2", "0": "2-4"},
            "deprecated": {"0": "2"},
            "unstable": {"0": "5"},
            "listeners": {"door": "0, 3-71", "window": "3"},
        },
    ],
}


def test_a_table_of_another_protocol_is_taken_as_it_is() -> None:
    text = json.dumps(TABLE).encode()
    profile = Profile(negotiation=NegotiationApi("Hello", 3), level="stage", server="otter")
    table = read_release_table(text, "servers.json", profile)
    assert (table.is_kafka, table.level, table.server) == (False, "stage", "otter")
    assert table.names == {0: "Put", 3: "Hello", 71: "Tell"}
    assert table.keys == {"put": 0, "hello": 3, "ask": 3, "greet": 3, "tell": 71}
    assert table.former == {3: ("Ask", "Greet")}
    old, new = table.brokers
    assert [(each.negotiates, each.is_kafka, each.listener) for each in (old, new)] == [
        (False, False, "door"),
        (True, False, "door"),
    ]
    # Neither is Produce listed from 0, nor telemetry left out.
    assert list(new.listed().items()) == [(0, Versions(2, 4)), (3, Versions(1, 2)), (71, Versions(0, 0))]
    assert new.listed("window") == {3: Versions(1, 2)}
    assert new.listed("roof") == {}
    assert (new.deprecated, new.unstable) == ({0: Versions(2, 2)}, {0: Versions(5, 5)})
    assert new.names == table.names
    assert old.names == {0: "Put"}
    without = read_release_table(text, "servers.json", Profile()).brokers
    assert [each.negotiation for each in without] == [None, None]
    assert not any(each.negotiates for each in without)


def test_a_table_names_its_own_releases() -> None:
    kafka = kafka_releases()
    assert (kafka.is_kafka, kafka.level, kafka.server) == (True, "ApiVersion", "broker")
    table = read_release_table(json.dumps(TABLE).encode(), "servers.json", Profile(server="otter"))
    assert [broker.release for broker in table.released] == ["1.0", "5.0"]
    assert table.broker("5.0") is table.brokers[-1]
    with pytest.raises(InputError, match=r'^no otter release "6" is known; the releases are 1\.0 to 5\.0$'):
        table.broker("6")
    assert kafka_releases() is kafka
    assert broker_named("3.9") is kafka.broker("3.9")
    empty = read_release_table(b'{"apis": {}, "releases": []}', "servers.json", Profile())
    with pytest.raises(InputError, match=r'^no release "1\.0" is known: the profile does not name a table'):
        empty.broker("1.0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("\xff", "it is not UTF-8"),
        ("{}", '"apis" is missing'),
        ('{"apis": {}}', '"releases" is missing'),
        ('{"apis": {"0": {}}, "releases": []}', '"name" is missing'),
        ('{"apis": [], "releases": []}', "a value has the wrong type"),
        ('{"apis": {"0": []}, "releases": []}', "a value has the wrong type"),
        ('{"apis": {"x": {"name": "A"}}, "releases": []}', "invalid literal for int() with base 10: 'x'"),
        ('{"apis": {}, "releases": [{"release": "1", "versions": {"0": "0"}}]}', '"0" is missing'),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_text_that_is_no_table_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_release_table(text.encode("latin-1"), "servers.json")
    assert str(caught.value).startswith("servers.json: this is not a table of releases, see specs/schema")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("release", "listeners", "either", "listener", "produce"),
    [
        ("3.2", ("zkBroker", "broker"), False, "zkBroker", Versions(3, 9)),
        ("3.3", ("zkBroker", "broker"), True, "zkBroker", Versions(3, 9)),
        ("3.9.1", ("broker", "zkBroker"), True, "zkBroker", Versions(3, 9)),
        ("3.9", ("broker",), False, "broker", Versions(3, 9)),
        ("4.0", ("broker",), False, "broker", Versions(0, 9)),
        ("4.1", ("broker",), False, "broker", Versions(0, 9)),
    ],
)
def test_what_a_release_runs_with(
    release: str, listeners: tuple[str, ...], either: bool, listener: str, produce: Versions
) -> None:
    versions = {key: Versions(3, 9) for key in (0, 70, 71, 72, 73)}
    made = Broker(release, versions, {}, dict.fromkeys(listeners, frozenset(versions)))
    assert (made.is_either, made.listener) == (either, listener)
    assert made.listed() == {0: produce, 70: Versions(3, 9), 73: Versions(3, 9)}
    assert list(made.listed(telemetry=True)) == [0, 70, 71, 72, 73]
    assert not made.negotiates
    others = Broker(release, versions, {}, dict.fromkeys(listeners, frozenset({70})))
    assert others.listed() == {70: Versions(3, 9)}
