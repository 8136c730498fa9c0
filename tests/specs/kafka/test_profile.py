"""Kafka's profile: the values that a check uses are those of profile.toml."""

from __future__ import annotations

from tests.support import ROOT
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading.profiles import read_profile


def test_the_values_are_those_of_the_file() -> None:
    path = "specs/kafka/profile.toml"
    read = read_profile((ROOT / path).read_bytes(), path, embedded_profile)
    read = read._replace(family=KAFKA)  # that of a file is the family of what it extends
    for name in Profile._fields:
        assert getattr(read, name) == getattr(KAFKA_PROFILE, name), name
    assert embedded_profile(KAFKA) is KAFKA_PROFILE
