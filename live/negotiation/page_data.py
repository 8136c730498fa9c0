"""The data of the negotiation page: brokers, clients and phrases, as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.negotiation.negotiate import MARK_WORDS, REASONS, Peer, marks_json
from wirebook.live.negotiation.peers import (
    CHOOSES_SINCE,
    PeerResolver,
    java_client,
    known_clients,
    unfinished,
)
from wirebook.specs.kafka.brokers import api_keys, api_names, order_of, released_brokers

KRAFT = "-kraft"  # suffix of a broker with KRaft, for releases that also run without it
SCHEMA = "wirebook/negotiation-data/1"
# The APIs that every producer and consumer uses; they decide about compatibility.
CORE = (0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14)


def broker_choices(documentation: Documentation) -> dict[str, Peer]:
    """The broker of each release by its id; releases that run with ZooKeeper or KRaft have two."""
    zookeeper, kraft = PeerResolver(documentation), PeerResolver(documentation, "broker")
    choices: dict[str, Peer] = {}
    for broker in released_brokers():
        peer = choices[broker.release] = zookeeper.of_release(broker)
        if broker.is_either:
            choices[broker.release] = replace(peer, name=f"{broker.release} with ZooKeeper")
            other = kraft.of_release(broker)
            choices[broker.release + KRAFT] = replace(other, name=f"{broker.release} with KRaft")
    return choices


def negotiation_data() -> dict[str, Any]:
    """Every release as a broker, every known client, and the phrases of the reasons."""
    documentation = Documentation.of()
    brokers = [{"id": name, **peer.to_json()} for name, peer in broker_choices(documentation).items()]
    clients = [{"id": name, **peer.to_json()} for name, peer in known_clients().items()]
    clients += [
        {"id": f"java-{broker.release}", **java_client(broker).to_json()}
        for broker in reversed(released_brokers())
        if order_of(broker.release) >= CHOOSES_SINCE
    ]
    newest = documentation.newest_marks() | {"unstable": unfinished()}
    return {
        "schema": SCHEMA,
        "apis": {str(key): name for key, name in sorted(api_names().items())},
        "names": dict(sorted(api_keys().items())),
        "brokers": brokers,
        "clients": clients,
        "marks": {mark: marks_json(marks) for mark, marks in newest.items()},
        "reasons": REASONS,
        "mark_words": MARK_WORDS,
    }
