"""The ranges of known clients, against what the clients sent to `wirebook mock` of a release."""

from __future__ import annotations

import pytest

from wirebook.peers.known import known_clients, release_peer
from wirebook.peers.negotiation import choose
from wirebook.specs.kafka.brokers import kafka_releases

# The highest version of each API that the client sent, by key. ApiVersions is left out where
# librdkafka tried 3 and then 0, and what Sarama sent although the release does not serve it.
SENT: dict[tuple[str, str], dict[int, int]] = {
    ("kafka-python-2.0.2", "4.3"): {0: 7, 1: 4, 2: 1, 3: 5, 10: 0, 16: 1, 17: 0, 18: 0, 19: 3,
        20: 3, 29: 1, 30: 1, 31: 1, 32: 2, 33: 1, 37: 1},
    ("kafka-python-2.0.2", "2.0"): {0: 6, 1: 4, 2: 1, 3: 5, 10: 0, 16: 1, 17: 0, 18: 0, 19: 3,
        20: 2, 29: 1, 30: 1, 31: 1, 32: 2, 33: 1, 37: 1},
    ("kafka-python-2.0.2", "0.10.0"): {0: 2, 1: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0, 18: 0},
    ("kafkajs", "4.3"): {0: 7, 2: 3, 3: 6, 10: 2, 16: 2, 17: 1, 18: 2, 19: 3, 20: 1, 29: 1,
        32: 2, 33: 1, 36: 1, 37: 1, 46: 0},
    ("kafkajs", "2.0"): {0: 6, 2: 3, 3: 6, 10: 2, 16: 2, 17: 1, 18: 2, 19: 3, 20: 1, 29: 1,
        32: 2, 33: 1, 36: 0, 37: 1},
    ("kafkajs", "0.10.0"): {0: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0},
    ("librdkafka-2.3", "4.3"): {0: 7, 1: 11, 2: 7, 3: 12, 10: 2, 16: 4, 17: 1, 18: 3, 19: 4,
        20: 1, 22: 4, 29: 1, 31: 1, 32: 1, 33: 2, 36: 1, 37: 0, 44: 1, 50: 0},
    ("librdkafka-2.3", "2.0"): {0: 6, 1: 8, 2: 3, 3: 6, 10: 2, 16: 2, 17: 1, 19: 3, 20: 1, 22: 1,
        29: 1, 31: 1, 32: 1, 33: 1, 36: 0, 37: 0},
    ("librdkafka-2.3", "0.10.0"): {0: 2, 1: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0},
    ("librdkafka-1.9", "4.3"): {0: 7, 1: 11, 2: 2, 3: 4, 10: 2, 16: 0, 17: 1, 18: 3, 19: 4,
        20: 1, 22: 4, 29: 1, 31: 1, 32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.9", "2.0"): {0: 6, 1: 8, 2: 2, 3: 4, 10: 2, 16: 0, 17: 1, 19: 3, 20: 1, 22: 1,
        29: 1, 31: 1, 32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.9", "0.10.0"): {0: 2, 1: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0},
    ("librdkafka-1.8", "4.3"): {0: 7, 1: 11, 2: 2, 3: 4, 10: 2, 16: 0, 17: 1, 18: 3, 19: 4,
        20: 1, 22: 4, 32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.8", "2.0"): {0: 6, 1: 8, 2: 2, 3: 4, 10: 2, 16: 0, 17: 1, 19: 3, 20: 1, 22: 1,
        32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.8", "0.10.0"): {0: 2, 1: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0},
    ("librdkafka-1.6", "4.3"): {0: 7, 1: 11, 3: 4, 10: 2, 16: 0, 17: 1, 18: 3, 19: 4, 20: 1,
        22: 1, 32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.6", "2.0"): {0: 6, 1: 8, 2: 0, 3: 4, 10: 2, 16: 0, 17: 1, 19: 3, 20: 1, 22: 1,
        32: 1, 33: 0, 36: 0, 37: 0},
    ("librdkafka-1.6", "0.10.0"): {0: 2, 1: 2, 2: 0, 3: 1, 10: 0, 16: 0, 17: 0},
    ("sarama-1.38", "2.0"): {0: 3, 2: 1, 3: 5, 10: 1, 16: 0, 17: 1, 22: 0, 29: 0, 30: 0, 31: 0,
        32: 0, 33: 0, 35: 0, 36: 0},
    ("sarama-1.38-config-2.7", "4.3"): {0: 3, 2: 1, 3: 7, 10: 1, 16: 0, 17: 1, 18: 3, 22: 3,
        29: 1, 30: 1, 31: 1, 32: 2, 33: 0, 36: 1, 44: 0, 46: 0, 48: 0, 50: 0},
    ("sarama-1.38-config-2.7", "2.8"): {0: 3, 2: 1, 3: 7, 10: 1, 16: 0, 17: 1, 18: 3, 22: 3,
        29: 1, 30: 1, 31: 1, 32: 2, 33: 0, 35: 0, 36: 1, 44: 0, 46: 0, 48: 0, 50: 0},
}  # fmt: skip


@pytest.mark.parametrize(("client", "release"), SENT)
def test_a_known_client_sends_what_is_worked_out(client: str, release: str) -> None:
    broker = release_peer(kafka_releases().broker(release))
    sent = SENT[client, release]
    assert {key: choose(known_clients()[client], [broker], key).version for key in sent} == sent


def test_what_a_client_sends_unasked_is_not_chosen() -> None:
    """Sarama 1.38.1 sent the versions of its configuration to brokers of any release: 0 of
    DescribeAcls, which no broker since 4.0 serves."""
    broker = release_peer(kafka_releases().broker("4.0"))
    choices = {key: choose(known_clients()["sarama-1.38"], [broker], key) for key in (8, 11, 29)}
    assert {choice.reason for choice in choices.values()} == {"client_too_old"}


def test_a_client_that_lacks_one_version_says_so() -> None:
    """With a 4.3 broker, librdkafka 1.6.1 did not send ListOffsets and named the partition as
    unknown."""
    choice = choose(
        known_clients()["librdkafka-1.6"], [release_peer(kafka_releases().broker("4.3"))], 2
    )
    assert choice.words == "no common version: client has up to 0, broker serves 1+"
