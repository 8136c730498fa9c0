"""Profiles of tests: Kafka's, and the one of the examples in the documentation of the rules."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.profile import NegotiationApi
from wirebook.specs.reader import read_message

# `read_message` with Kafka's profile.
read_kafka = partial(read_message, profile=embedded_profile(KAFKA))

EXAMPLES = replace(
    embedded_profile(KAFKA),
    listeners=("gateway", "controller"),
    negotiation=NegotiationApi("Versions", 3),
    family="",
)
