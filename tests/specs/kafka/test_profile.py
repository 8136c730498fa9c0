"""Kafka's profile: the values that a check uses are those of profile.toml."""

from __future__ import annotations

from tests.support import ROOT
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading.profiles import profile_of
from wirebook.specs.syntax.tomltext import read_toml


def test_the_values_are_those_of_the_file() -> None:
    path = "specs/kafka/profile.toml"
    document = read_toml((ROOT / path).read_bytes(), path)
    read = profile_of(document, document.data, (), embedded_profile)
    read = read._replace(family=KAFKA)  # that of a file is the family of what it extends
    for name in Profile._fields:
        assert getattr(read, name) == getattr(KAFKA_PROFILE, name), name
    assert embedded_profile(KAFKA) is KAFKA_PROFILE
