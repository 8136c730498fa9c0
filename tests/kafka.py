"""Profiles of tests: Kafka's, and the one of the examples in the documentation of the rules."""

from __future__ import annotations

from functools import cache, partial

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import embedded_path
from wirebook.specs.model import Message
from wirebook.specs.profile import NegotiationApi
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading.reader import read_message

# `read_message` with Kafka's profile.
read_kafka = partial(read_message, profile=embedded_profile(KAFKA))

EXAMPLES = embedded_profile(KAFKA)._replace(
    listeners=("gateway", "controller"), negotiation=NegotiationApi("Versions", 3), family=""
)


@cache
def own_message(name: str) -> Message:
    """One of the specs that come with wirebook."""
    path = embedded_path(name)
    return read_kafka(path.read_bytes(), path.name)
