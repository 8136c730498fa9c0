"""Which releases serve versions of an API, of the tables of Kafka's brokers."""

from __future__ import annotations

import pytest

from wirebook.specs.kafka.brokers import load_brokers
from wirebook.specs.kafka.served import Served
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
