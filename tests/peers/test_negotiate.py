"""Negotiation: the version of each pair, the state of all brokers, features, and what marks
versions have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.peers.known import newest_marks, release_peer
from wirebook.peers.likeness import likeness
from wirebook.peers.negotiation import Peer, choose, marks_of, negotiation
from wirebook.peers.resolve import Context, brokers_of, client_of
from wirebook.specs.json_records import to_json
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

FETCH, INIT_PRODUCER_ID = 1, 22


def peer(name: str, ranges: Mapping[int, tuple[int, int]], **marked: Any) -> Peer:
    versions = {key: Versions(*ends) for key, ends in ranges.items()}
    return Peer(name, versions, marks=marks_of(versions, marked))


def negotiated(client: Peer | None, brokers: list[Peer]) -> dict[str, Any]:
    document: dict[str, Any] = to_json(negotiation(client, brokers, kafka_releases().names))
    return document


@pytest.mark.parametrize(
    ("client", "broker", "version", "reason", "words"),
    [
        ((0, 4), (0, 3), 3, "used", "version 3"),
        ((2, 4), (0, 9), 4, "used", "version 4"),
        ((0, 2), (3, 13), None, "client_too_old", "client has up to 2, broker serves 3+"),
        ((4, 9), (0, 3), None, "client_too_new", "client needs 4+, broker serves up to 3"),
        (None, (0, 3), None, "not_spoken", "the client does not support it"),
        ((0, 3), None, None, "not_served", "the broker does not list it"),
    ],
)
def test_one_pair(
    client: tuple[int, int] | None,
    broker: tuple[int, int] | None,
    version: int | None,
    reason: str,
    words: str,
) -> None:
    ours = peer("client", {} if client is None else {FETCH: client})
    theirs = peer("broker", {} if broker is None else {FETCH: broker})
    found = choose(ours, [theirs], FETCH)
    assert (found.version, found.reason) == (version, reason)
    assert words in found.words


ENDS = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple)


@given(ENDS, st.lists(ENDS, min_size=1, max_size=4))
def test_one_version_for_all_is_usable_with_each(
    ours: tuple[int, int], theirs: list[tuple[int, int]]
) -> None:
    brokers = [peer(f"b{place}", {FETCH: ends}) for place, ends in enumerate(theirs)]
    (item,) = negotiated(peer("c", {FETCH: ours}), brokers)["apis"]
    low, high = max(ours[0], *(e[0] for e in theirs)), min(ours[1], *(e[1] for e in theirs))
    assert item["version"] == (high if low <= high else None)
    usable = [pair["version"] is not None for pair in item["pairs"]]
    assert item["usable"] == ("every" if all(usable) else "some" if any(usable) else "none")
    assert item["version"] is None or all(usable)


def test_a_backported_version_that_is_deprecated_is_never_chosen() -> None:
    # 0.9.1 of the KIP: version 1 is faulty, 2 corrects it, and a range has no holes.
    broker = peer("0.9.1", {FETCH: (0, 2)}, deprecated={FETCH: {1}})
    assert choose(peer("c", {FETCH: (0, 2)}), [broker], FETCH).version == 2
    lower = choose(peer("c", {FETCH: (0, 1)}), [broker], FETCH)
    assert (lower.version, lower.passed_over) == (0, ((1, "avoid"),))
    both = peer("0.9.1", {FETCH: (0, 1)}, deprecated={FETCH: {1}}, unstable={FETCH: {1}})
    assert choose(None, [both], FETCH).passed_over == ((1, "avoid"),), "the worst mark counts"
    only = choose(peer("c", {FETCH: (1, 1)}), [broker], FETCH)
    assert (only.version, only.words) == (None, "of the common versions, 1 is not to be used")


def test_an_old_version_that_is_deprecated_is_chosen_where_there_is_no_other() -> None:
    broker = peer("3.9", {FETCH: (0, 17)}, deprecated={FETCH: {0, 1, 2, 3}})
    assert choose(peer("c", {FETCH: (0, 4)}), [broker], FETCH).version == 4
    old = choose(peer("c", {FETCH: (0, 3)}), [broker], FETCH)
    assert (old.version, old.reason) == (3, "deprecated")
    assert "deprecated" in old.words


def test_marks_of_unknown_releases_are_of_the_last_release_that_has_a_version() -> None:
    marked = newest_marks()
    join_group = 11
    # 3.9 deprecates JoinGroup 0 and 1, and 4.0 serves them again.
    assert str(marked["deprecated"][FETCH]) == "0-3"
    assert not marked["deprecated"][join_group]
    assert {key: str(each) for key, each in marked["unstable"].items()} == {INIT_PRODUCER_ID: "6"}


def test_every_release_is_recognised_by_its_answer() -> None:
    for broker in kafka_releases().brokers:
        for listener in broker.listeners if broker.negotiates else ():
            for telemetry in (False, True):
                found = likeness(broker.listed(listener, telemetry=telemetry))
                assert broker.release in found.releases
                assert found.different == []
    listed = kafka_releases().broker("3.9").listed()
    assert (
        likeness(listed).words
        == "exactly as 3.9.2 or 3.9.1 or 3.9 (ApiVersion 54, zkBroker listener)"
    )


def test_an_answer_of_no_release_is_described_by_the_nearest() -> None:
    ranges = kafka_releases().broker("3.6").listed() | {
        INIT_PRODUCER_ID: Versions(0, 5),
        999: Versions(0, 1),
    }
    del ranges[FETCH]
    assert likeness(ranges).words == (
        "nearest is 3.6 (ApiVersion 47, zkBroker listener): no Fetch; InitProducerId 0-5, not 0-4; "
        "key 999 0-1 besides"
    )


def test_a_client_that_is_not_known_is_not_guessed() -> None:
    with pytest.raises(InputError) as caught:
        client_of(Context(), "kafka-go")
    assert caught.value.message.startswith('the versions of a client "kafka-go" are not known')
    assert caught.value.message.endswith("Write those of another client to a file")


def test_an_unstable_version_is_not_used_even_if_a_broker_lists_it(tmp_path: Path) -> None:
    path = tmp_path / "broker.json"
    path.write_text('{"22": "0-6"}')
    (broker,) = brokers_of(Context(), [str(path)])
    found = choose(peer("c", {INIT_PRODUCER_ID: (0, 9)}), [broker], INIT_PRODUCER_ID)
    assert (found.version, found.passed_over) == (5, ((6, "unstable"),))


def test_levels_are_those_of_releases() -> None:
    level, release = brokers_of(Context(), ["63", "4.3"])
    assert (level.name, level.versions) == ("ApiVersion 63 (4.3-IV0)", release.versions)
    assert release == release_peer(kafka_releases().broker("4.3"))
