"""Negotiation: the version of each pair, the state of all brokers, features, and what documentation marks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import SHARED, needs_shared
from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.negotiation.negotiate import Feature, Peer, Way, choose, librdkafka
from wirebook.live.negotiation.outcome import negotiation
from wirebook.live.negotiation.peers import (
    PeerResolver,
)
from wirebook.live.negotiation.similarity import release_similarity
from wirebook.specs.kafka.brokers import api_keys, broker_named, load_brokers
from wirebook.specs.levels import open_registry
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

FETCH, PRODUCE, METADATA, INIT_PRODUCER_ID, VOTE = 1, 0, 3, 22, 52


def peer(name: str, ranges: Mapping[int, tuple[int, int]], **more: Any) -> Peer:
    return Peer.of(name, {key: Versions(*ends) for key, ends in ranges.items()}, **more)


def feature(name: str, needs: Mapping[int, tuple[int, int]]) -> Feature:
    return Feature(name, (Way({key: Versions(*ends) for key, ends in needs.items()}),))


# --- the KIP's own numbers --------------------------------------------------------------------------------

B1 = peer("B1", {0: (0, 3), 1: (2, 3)})
B2 = peer("B2", {0: (1, 2), 1: (0, 3), 2: (0, 0)})
FEATURES = (feature("Feature1", {0: (3, 3), 1: (2, 3)}), feature("Feature2", {0: (0, 1), 1: (2, 3)}))


def test_the_example_of_the_kip() -> None:
    found = negotiation(Peer.of("client", None, features=FEATURES), [B1, B2]).to_json()
    state = {item["key"]: item["across"] for item in found["apis"]}
    assert state == {0: "1-2", 1: "2-3", 2: None}
    assert [item["usable"] for item in found["apis"]] == ["every", "every", "some"]
    first, second = found["features"]
    assert (first["name"], first["usable"]) == ("Feature1", "some")
    assert [row["usable"] for row in first["brokers"]] == [True, False]
    assert first["brokers"][1]["words"] == "Produce: version 3 is needed, the broker serves 1-2"
    assert (second["name"], second["usable"]) == ("Feature2", "every")
    assert [row["words"] for row in second["brokers"]] == ["Produce 1, Fetch 3"] * 2


# --- one pair ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("client", "broker", "version", "reason", "words"),
    [
        ((0, 4), (0, 3), 3, "used", "version 3"),
        ((2, 4), (0, 9), 4, "used", "version 4"),
        ((3, 3), (3, 3), 3, "used", "version 3"),
        (
            (0, 2),
            (3, 13),
            None,
            "client_too_old",
            "no common version: client has up to 2, broker serves 3+",
        ),
        (
            (4, 9),
            (0, 3),
            None,
            "client_too_new",
            "no common version: client needs 4+, broker serves up to 3",
        ),
        (None, (0, 3), None, "not_spoken", "the client does not support it"),
        ((0, 3), None, None, "not_served", "the broker does not serve it"),
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
    found = choose(ours, theirs, FETCH)
    assert (found.version, found.reason) == (version, reason)
    assert words in found.words


ENDS = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple)


@given(ENDS, st.lists(ENDS, min_size=1, max_size=4))
def test_one_version_for_all_is_usable_with_each(
    ours: tuple[int, int], theirs: list[tuple[int, int]]
) -> None:
    brokers = [peer(f"b{place}", {FETCH: ends}) for place, ends in enumerate(theirs)]
    (item,) = negotiation(peer("c", {FETCH: ours}), brokers).to_json()["apis"]
    low, high = max(ours[0], *(e[0] for e in theirs)), min(ours[1], *(e[1] for e in theirs))
    assert item["version"] == (high if low <= high else None)
    usable = [pair["version"] is not None for pair in item["pairs"]]
    assert item["usable"] == ("every" if all(usable) else "some" if any(usable) else "none")
    assert item["version"] is None or all(usable)


# --- what documentation says of versions ------------------------------------------------------------------


def test_a_backported_version_that_is_deprecated_is_never_chosen() -> None:
    # 0.9.1 of the KIP: version 1 is faulty, 2 mends it, and a range has no holes.
    broker = peer("0.9.1", {FETCH: (0, 2)}, deprecated={FETCH: {1}})
    assert choose(peer("c", {FETCH: (0, 2)}), broker, FETCH).version == 2
    lower = choose(peer("c", {FETCH: (0, 1)}), broker, FETCH)
    assert (lower.version, lower.passed_over) == (0, ((1, "avoid"),))
    alone = choose(peer("c", {FETCH: (1, 1)}), broker, FETCH)
    assert (alone.version, alone.words) == (None, "of the common versions, 1 is not to be used")


def test_an_old_version_that_is_deprecated_is_chosen_where_nothing_else_is() -> None:
    broker = peer("3.9", {FETCH: (0, 17)}, deprecated={FETCH: {0, 1, 2, 3}})
    assert choose(peer("c", {FETCH: (0, 4)}), broker, FETCH).version == 4
    old = choose(peer("c", {FETCH: (0, 3)}), broker, FETCH)
    assert (old.version, old.reason) == (3, "deprecated")
    assert "deprecated" in old.words


# --- ApiVersion ids ---------------------------------------------------------------------------------------

REGISTRY = [
    {"id": place, "version": version, "release": release}
    for place, (version, release) in enumerate(
        [("0.8.0", "0.8.0"), ("0.8.1", "0.8.1"), ("0.8.2", "0.8.2"), ("0.9.0", "0.9.0"), ("0.9.1", "0.9.1"),
         ("0.10.0", "0.10.0")]
    )
]  # fmt: skip


@pytest.fixture
def documented(tmp_path: Path) -> Documentation:
    """The KIP's REQ_A, with versions 0 and 1 at ApiVersion 4 and 1 and 2 at 5, and its backport in 0.9.1."""

    def spec(key: int, name: str, history: list[dict[str, object]]) -> None:
        body = {"apiKey": key, "type": "request", "name": f"{name}Request", "validVersions": "0-2",
                "flexibleVersions": "none", "history": history, "fields": []}  # fmt: skip
        (tmp_path / f"{name}Request.json").write_text(json.dumps(body))

    spec(0, "A", [{"version": 0, "added": "0.8.0", "removed": "0.10.0"}, {"version": 1, "added": "0.8.1"},
                  {"version": 2, "added": "0.10.0"}])  # fmt: skip
    spec(1, "B", [{"version": 0, "added": "0.8.0"}, {"version": 1, "added": "0.9.1", "deprecated": "0.9.1"},
                  {"version": 2, "added": "0.9.1"}])  # fmt: skip
    (tmp_path / "registry.txt").write_text(json.dumps(REGISTRY))
    return replace(Documentation.of(str(tmp_path)), registry=open_registry(tmp_path / "registry.txt"))


def test_an_api_version_tells_the_versions_of_each_api(documented: Documentation) -> None:
    resolver = PeerResolver(documented)
    four, five = resolver.brokers(["4", "5"])
    assert (four.versions or {})[0] == Versions(0, 1)
    assert (five.versions or {})[0] == Versions(1, 2)
    found = negotiation(None, [four, five]).to_json()["apis"][0]
    assert (found["name"], found["across"], found["version"]) == ("A", "1", 1)
    assert [pair["serves"] for pair in found["pairs"]] == ["0-1", "1-2"]


def test_the_mark_of_a_backport_is_read_from_the_documentation(documented: Documentation) -> None:
    (broker,) = PeerResolver(documented).brokers(["0.9.1"])
    assert (broker.versions or {})[1] == Versions(0, 2)
    found = choose(peer("c", {1: (0, 1)}), broker, 1)
    assert (found.version, found.passed_over) == (0, ((1, "avoid"),))
    # Where even version 0 has become deprecated, 1 is still no mere old one.
    assert choose(peer("c", {1: (1, 1)}), broker, 1).version is None


# --- which releases answer so -----------------------------------------------------------------------------


def test_every_release_is_recognised_by_its_answer() -> None:
    for broker in load_brokers():
        if broker.negotiates:
            found = release_similarity(broker.listed())
            assert broker.release in [item.release for item in found.exact]
            assert found.nearest == ()
    exact = release_similarity(broker_named("4.3").listed("controller")).exact
    assert [(item.release, item.listener) for item in exact][-1] == ("4.3", "controller")
    assert release_similarity(broker_named("4.1").listed(telemetry=True)).exact[0].release == "4.1"
    words = release_similarity(broker_named("3.9").listed()).summary()
    assert words == "exactly as 3.9.1 or 3.9 (ApiVersion 54, zkBroker listener)"


def test_an_answer_of_no_release_is_told_by_the_nearest() -> None:
    ranges = broker_named("3.6").listed() | {INIT_PRODUCER_ID: Versions(0, 5), 999: Versions(0, 1)}
    del ranges[FETCH]
    found = release_similarity(ranges)
    assert found.exact == ()
    nearest = found.nearest[0]
    assert nearest.release == "3.6"
    assert [item.summary() for item in nearest.differences] == [
        "no Fetch",
        "InitProducerId 0-5, not 0-4",
        "key 999 0-1 besides",
    ]
    assert "nearest is 3.6" in found.summary()


# --- features and clients ---------------------------------------------------------------------------------


@needs_shared
def test_features_are_those_of_librdkafka() -> None:
    assert SHARED is not None
    facts = json.loads((SHARED / "facts" / "librdkafka_features.json").read_text(encoding="utf-8"))
    given = [
        (item["feature"], {api_keys()[n.lower()]: (low, high) for n, low, high in item["depends"]})
        for item in facts["features"]
    ]
    ours = [
        (
            item.name,
            {key: (need.lowest, None if need.open else need.highest) for key, need in way.needs.items()},
        )
        for item in librdkafka()
        for way in item.ways
    ]
    assert ours == given


def test_a_client_that_is_not_known_is_not_guessed() -> None:
    with pytest.raises(InputError) as caught:
        PeerResolver(Documentation.of()).client("kafkajs")
    assert caught.value.message.startswith('the versions of a client "kafkajs" are not known')
    assert caught.value.message.endswith("Write those of another client to a file")


# --- what a word stands for -------------------------------------------------------------------------------


def test_live_brokers_are_asked_one_by_one() -> None:
    asked = []

    def probe(address: str) -> Mapping[int, Versions]:
        asked.append(address)
        return broker_named("4.3").listed() | {INIT_PRODUCER_ID: Versions(0, 6)}

    resolver = PeerResolver(Documentation.of(), probe=probe)
    first, second = resolver.brokers(["127.0.0.1:9092,[::1]:9093"])
    assert asked == [first.name, second.name] == ["127.0.0.1:9092", "[::1]:9093"]
    # A broker lists an unstable version only where it was told to: still nobody should use it.
    found = choose(peer("c", {INIT_PRODUCER_ID: (0, 9)}), first, INIT_PRODUCER_ID)
    assert (found.version, found.passed_over) == (5, ((6, "unstable"),))
    with pytest.raises(InputError, match="has no valid port"):
        resolver.brokers(["127.0.0.1:99999"])


def test_a_source_of_specs_is_a_broker_too() -> None:
    (embedded,) = PeerResolver(Documentation.of()).brokers(["./specs/kafka/messages"])
    assert (embedded.versions or {})[METADATA] == Versions(0, 13)
    assert (embedded.versions or {})[PRODUCE] == Versions(3, 13)
