"""The broker releases: they agree with the facts, with Kafka's own specs, and with our
histories."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.sources import read_protocol, texts_of
from tests.specs.released_specs import released
from tests.support import ROOT, SHARED, needs_shared
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.registry import embedded_source, load_registry
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import Moment
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

pytestmark = pytest.mark.xdist_group("released")

PRODUCE, FETCH, JOIN_GROUP, VOTE, TELEMETRY = 0, 1, 11, 52, 71


def document() -> Any:
    return json.loads(
        (ROOT / "specs" / "kafka" / "broker_versions.json").read_text(encoding="utf-8")
    )


def test_the_file_is_of_its_schema() -> None:
    schema = json.loads(
        (ROOT / "specs" / "schema" / "broker_versions.json").read_text(encoding="utf-8")
    )
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(document())) == []
    broken = document()
    broken["releases"][0]["versions"]["0"] = [0, 0]
    assert len(list(validator.iter_errors(broken))) == 1


def test_releases_rise_and_hold_only_named_apis() -> None:
    brokers = kafka_releases().brokers
    for before, after in pairwise(brokers):
        assert numbers_of(before.release) < numbers_of(after.release)
    assert (brokers[0].release, brokers[-1].release) == ("0.8.0", "4.4")
    assert set(kafka_releases().names) == {key for broker in brokers for key in broker.versions}
    for broker in brokers:
        assert all(broker.versions.values())
        for keys in broker.listeners.values():
            assert set(keys) <= set(broker.versions)
        for key, versions in broker.deprecated.items():
            assert broker.versions[key].covers(versions)
        for key, versions in broker.unstable.items():
            assert not broker.versions.get(key, Versions.NONE) & versions


@needs_shared
def test_versions_are_those_of_the_facts() -> None:
    assert SHARED is not None
    facts = json.loads((SHARED / "facts" / "broker_versions.json").read_text(encoding="utf-8"))
    for release, expected in facts.items():
        found = {
            str(key): [v.lowest, v.highest]
            for key, v in kafka_releases().broker(release.removesuffix("-dev")).versions.items()
        }
        assert found == expected, release
    # The marks of both differ from those of 3.9.0; the versions do not.
    assert {broker.release for broker in kafka_releases().brokers} - set(facts) == {
        "3.9.1",
        "3.9.2",
        "4.4",
    }


@needs_shared
def test_versions_and_marks_are_those_of_every_released_spec() -> None:
    seen = set()
    for key, name in kafka_releases().names.items():
        for each in released(("request", key)):
            if not each.message.valid_versions:
                continue
            broker, message = kafka_releases().broker(each.release), each.message
            unstable = Versions.NONE
            if message.latest_version_unstable:
                unstable = Versions(message.valid_versions.highest, message.valid_versions.highest)
            stable = Versions(
                message.valid_versions.lowest, message.valid_versions.highest - len(unstable)
            )
            where = f"{each.release} {name}"
            assert broker.versions.get(key, Versions.NONE) == stable, where
            assert broker.unstable.get(key, Versions.NONE) == unstable, where
            if stable:
                assert broker.deprecated.get(key, Versions.NONE) == message.deprecated_versions, (
                    where
                )
            if message.listeners and stable:
                on = {name for name, keys in broker.listeners.items() if key in keys}
                assert on == set(message.listeners), where
            seen.add(each.release)
    assert len(seen) == 54


def own_requests() -> list[Message]:
    protocol = read_protocol(texts_of(embedded_source()))
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
@pytest.mark.parametrize(
    "release", [b.release for b in kafka_releases().brokers if b.release != "4.4"]
)
def test_versions_are_those_of_our_own_histories(release: str) -> None:
    broker = kafka_releases().broker(release)
    for message in own_requests():
        assert message.api_key is not None
        expected = set(broker.versions.get(message.api_key, Versions.NONE))
        if message.api == "ControlledShutdown":
            # Brokers of 0.9 to 0.11 read version 0 and did not advertise it.
            expected |= supported(message, release) & {0}
        assert supported(message, release) == expected, message.name


def test_a_release_is_found_by_its_line_and_by_its_patch() -> None:
    table = kafka_releases()
    rows = {broker.release: broker for broker in table.brokers}
    for name, row in {
        "3.9.0": "3.9", "v3.9.1": "3.9.1", "3.8.1": "3.8", "4.0.0": "4.0", "4.0.2": "4.0.1",
        "4.1.2": "4.1", "0.10.2.1": "0.10.2", "4.4.0": "4.4",
    }.items():  # fmt: skip
        found = table.broker(name)
        assert found == replace(rows[row], release=name.removeprefix("v")), name
    for name, nearest in {
        "3.9.7": "3.9.2", "4.4.7": "4.4.0", "9.9": "4.4.0", "0.12": "0.11.0.3",
    }.items():  # fmt: skip
        with pytest.raises(InputError, match=rf'"{name}" is known; the nearest is {nearest}$'):
            kafka_releases().broker(name)
    assert kafka_releases().broker("4.0.0").versions[JOIN_GROUP] == Versions(2, 9)
    assert kafka_releases().broker("4.0.1").versions[JOIN_GROUP] == Versions(0, 9)
