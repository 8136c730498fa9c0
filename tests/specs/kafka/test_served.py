"""Which releases serve versions of an API, of the tables of Kafka's brokers."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from wirebook.specs.kafka.brokers import Broker, load_brokers
from wirebook.specs.kafka.served import Served
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions, VersionSet

OFFSET_FETCH, JOIN_GROUP = 9, 11


def served(key: int) -> Served:
    return Served(key, load_brokers())


@pytest.mark.parametrize(
    ("key", "versions", "expected"),
    [
        (OFFSET_FETCH, Versions(0, 0), "0.8.1 to 3.9.1"),
        # Kafka 4.0.0 dropped versions of JoinGroup that 4.0.1 has again.
        (JOIN_GROUP, Versions(0, 1), "0.9.0 to 3.9.1, 4.0.1 to 4.3"),
        (JOIN_GROUP, Versions(30000, 30000), ""),
    ],
)
def test_runs_of_releases(key: int, versions: Versions, expected: str) -> None:
    assert served(key).releases(VersionSet.of(versions)) == expected


def test_a_run_of_one_release_is_its_name() -> None:
    assert served(OFFSET_FETCH).only_below(1) == "0.8.1"


def test_no_client_is_cut_off_by_a_lowest_version_that_all_have_or_none() -> None:
    assert served(OFFSET_FETCH).only_below(0) == ""
    assert served(OFFSET_FETCH).only_below(30000) == ""


def test_the_first_release_with_a_version() -> None:
    assert served(OFFSET_FETCH).since(1) == "0.8.2"
    assert served(OFFSET_FETCH).since(30000) is None


def broker(release: str, highest: int | None) -> Broker:
    """A release that serves up to a version of the API 1, on a listener each."""
    versions = {} if highest is None else {1: Versions(0, highest)}
    return Broker(release, versions, {}, {"broker" if highest else "old": frozenset(versions)})


ROWS = [("1.0", None), ("1.1", 0), ("1.2", 2), ("1.3", None), ("1.4", 3), ("1.5-dev", 5)]
BROKERS = [broker(*row) for row in ROWS]


def test_branches_without_a_release_do_not_count() -> None:
    some = Served(1, BROKERS)
    assert some.newest == "1.4"
    assert some.since(5) is None
    known = ["1.1 to 1.2, 1.4", "1.2, 1.4", "since 1.4", ""]
    assert [some.known(version) for version in (0, 1, 3, 5)] == known
    assert [some.since(version) for version in (0, 1, 2, 3)] == ["1.1", "1.2", "1.2", "1.4"]
    assert some.last_with_listener("broker") == "1.4"
    assert some.last_with_listener("old") == "1.1"
    assert some.last_with_listener("controller") is None
    assert Served(2, BROKERS).last_with_listener("broker") is None


@pytest.mark.parametrize(
    ("lowest", "expected"), [(0, ""), (1, "1.1"), (2, "1.1"), (3, "1.1 to 1.2"), (4, ""), (5, "")]
)
def test_releases_below_a_version(lowest: int, expected: str) -> None:
    assert Served(1, BROKERS).only_below(lowest) == expected


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        (VersionSet.NONE, ""),
        (VersionSet.of([0]), "1.1 to 1.2, 1.4"),
        (VersionSet.of([1]), "1.2, 1.4"),
        (VersionSet.of([3, 9]), "1.4"),
        (VersionSet.of([5]), ""),
    ],
)
def test_runs_of_releases_end_where_one_does_not_serve_it(versions: VersionSet, expected: str) -> None:
    assert Served(1, BROKERS).releases(versions) == expected


@pytest.mark.parametrize(
    ("name", "kind", "key", "known"),
    [
        ("FetchRequest", "request", 1, True),
        ("FetchResponse", "response", 1, True),
        ("FetchRequest", "request", 2, False),
        ("FoodRequest", "request", 1, False),
        ("Fetch", "data", None, False),
    ],
)
def test_the_name_and_the_key_of_a_message_are_those_of_an_api(
    name: str, kind: str, key: int | None, known: bool
) -> None:
    keyed = {} if key is None else {"apiKey": key}
    spec = {
        **keyed,
        "type": kind,
        "name": name,
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": [],
    }
    text = json.dumps(spec).encode()
    found = Served.of(read_kafka(text, "x.json"))
    assert (found is not None) is known
    assert found is None or found.key == 1
    # The releases of another protocol are unknown, whatever its messages are called.
    assert Served.of(read_message(text, "x.json")) is None
