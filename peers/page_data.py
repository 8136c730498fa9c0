"""The data of the negotiation page: brokers, clients and phrases, as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirebook.peers.known import (
    CHOOSES_SINCE,
    java_client,
    known_clients,
    newest_marks,
    release_peer,
)
from wirebook.peers.negotiation import MARK_WORDS, REASONS, Peer
from wirebook.specs.json_records import to_json
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.releases import numbers_of

KRAFT = "-kraft"  # suffix of a broker with KRaft, for releases that also run without it
SCHEMA = "wirebook/negotiation-data/1"


def broker_choices() -> dict[str, Peer]:
    """The broker of each release by its id; releases that run with ZooKeeper or KRaft have two."""
    choices: dict[str, Peer] = {}
    for broker in kafka_releases().released:
        name = broker.release
        choices[name] = release_peer(broker)
        if broker.is_either:
            choices[name] = replace(choices[name], name=f"{name} with ZooKeeper")
            choices[name + KRAFT] = replace(
                release_peer(broker, "broker"), name=f"{name} with KRaft"
            )
    return choices


def negotiation_data() -> dict[str, Any]:
    """Every release as a broker, every known client, and the phrases of the reasons."""
    clients = dict(known_clients())
    for broker in reversed(kafka_releases().released):
        if numbers_of(broker.release) >= CHOOSES_SINCE:
            clients[f"java-{broker.release}"] = java_client(broker)
    return {
        "schema": SCHEMA,
        "apis": to_json(dict(sorted(kafka_releases().names.items()))),
        "names": dict(sorted(kafka_releases().keys.items())),
        "brokers": [{"id": name, **peer.to_json()} for name, peer in broker_choices().items()],
        "clients": [{"id": name, **peer.to_json()} for name, peer in clients.items()],
        "marks": {
            mark: to_json({key: versions for key, versions in marked.items() if versions})
            for mark, marked in newest_marks().items()
        },
        "reasons": REASONS,
        "mark_words": MARK_WORDS,
    }
