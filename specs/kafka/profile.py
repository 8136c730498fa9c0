"""The built-in profile, which others extend: Kafka's, as profile.toml states it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

from wirebook.specs.kafka import KAFKA
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profiles import profile_of
from wirebook.specs.toml import parse_toml


@cache
def kafka_profile() -> Profile:
    """Kafka's profile."""
    # Executors of Spark read it from the archive that the code is shipped in.
    text = files("wirebook.specs.kafka").joinpath("profile.toml").read_text(encoding="utf-8")
    path = "specs/kafka/profile.toml"
    return replace(profile_of(parse_toml(text, path), path, embedded_profile), family=KAFKA)


def embedded_profile(name: str) -> Profile:
    """A built-in profile. Raises InputError if none has this name."""
    if name == KAFKA:
        return kafka_profile()
    raise InputError(f'there is no profile "{name}" to extend; there is {KAFKA}')
