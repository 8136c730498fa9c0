"""Known problems of releases: about what exists, and as the tables of brokers have them."""

from __future__ import annotations

import pytest

from tests.together import together
from wirebook.docgen.pages.advisories import Advisory, all_advisories
from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.versions import Versions

PROTOCOL = embedded_protocol()
RELEASES = [broker for broker in kafka_releases().brokers if not broker.release.endswith("-dev")]


@pytest.mark.parametrize("item", all_advisories(), ids=lambda item: f"{item.api} {item.range}")
def test_it_is_about_what_exists(item: Advisory) -> None:
    request = next(message for message in PROTOCOL.messages if message.name == f"{item.api}Request")
    known = request.valid_versions
    assert known.lowest <= item.versions.lowest <= known.highest
    assert item.versions.highest in (*range(known.highest + 1), Versions.ALL.highest)
    assert any(item.concerns(broker.release) for broker in RELEASES)
    for text in (item.problem, item.action):
        assert text.endswith(".")
        assert len(text.split()) >= 4


def one(api: str, versions: str) -> Advisory:
    found = [item for item in all_advisories() if (item.api, str(item.versions)) == (api, versions)]
    assert len(found) == 1
    return found[0]


@together("broker", RELEASES, ids=lambda broker: broker.release)
def test_the_releases_are_those_of_the_tables(broker: Broker) -> None:
    """What the tables of brokers show by themselves: a Produce that is only listed, a missing
    JoinGroup."""
    produce, join = kafka_releases().keys["produce"], kafka_releases().keys["joingroup"]
    listed = broker.listed()
    if produce in listed:
        differs = listed[produce].lowest != broker.versions[produce].lowest
        assert one("Produce", "0-2").concerns(broker.release) is differs
    if join in broker.versions and broker.release != "4.0":
        assert one("JoinGroup", "0-1").concerns(broker.release) is (0 not in broker.versions[join])


@pytest.mark.parametrize(
    ("release", "concerned"),
    [
        ("3.9.1", False),
        ("4.0.0", True),
        ("4.0", True),
        ("4.0.1", False),
        ("4.1", False),
        ("next", False),
    ],
)
def test_a_problem_ends_with_the_release_that_fixes_it(release: str, concerned: bool) -> None:
    assert one("JoinGroup", "0-1").concerns(release) is concerned
