"""What a release does with the requests of an application, and what the application should do about
it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from wirebook.peers.known import java_client
from wirebook.specs.kafka.brokers import (
    Broker,
    api_names,
    broker_named,
    kafka_releases,
    load_brokers,
    released_brokers,
)
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

API_VERSIONS = 18
_JAVA = "apache-kafka-java"
# The client ids that these libraries use if the application sets none: their names and versions,
# from their defaults (kafka-python: KafkaClient.DEFAULT_CONFIG; aiokafka: AIOKafkaClient; sarama:
# config.go).
_DEFAULT_ID = re.compile(
    r"(?P<name>kafka-python|aiokafka)-(?P<version>\d[\w.]*?)(?:-(?:producer|consumer).*)?"
)
_UNNAMED_IDS = {"rdkafka": "librdkafka", "sarama": "sarama", "ruby-kafka": "ruby-kafka"}


class Status(StrEnum):
    """The fate of a request at the target release."""

    SERVED = "served"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


def api_name(key: int) -> str:
    """The name of an API, or its key if no release has it."""
    return api_names().get(key, f"API key {key}")


def served_by(broker: Broker, key: int) -> Versions:
    """The versions of an API that a release serves on any of its listeners, listed or not."""
    is_served = any(key in keys for keys in broker.listeners.values())
    return broker.versions.get(key, Versions.NONE) if is_served else Versions.NONE


def status_at(target: Broker, key: int, version: int) -> Status:
    """How a release answers a version of an API."""
    if key in kafka_releases().any_version and key in target.versions:
        return Status.SERVED
    # An unstable version is served if it is enabled.
    is_unstable = version in target.unstable.get(key, Versions.NONE)
    if is_unstable or not any(
        version in broker.versions.get(key, Versions.NONE) for broker in load_brokers()
    ):
        return Status.UNKNOWN
    if version not in served_by(target, key):
        return Status.REFUSED
    is_deprecated = version in target.deprecated.get(key, Versions.NONE)
    return Status.DEPRECATED if is_deprecated else Status.SERVED


def last_served(target: Broker, key: int, version: int) -> str:
    """The last release before the target that serves a version; "" if there is none."""
    releases = load_brokers()
    before = [broker for broker in releases[: releases.index(target)] if broker.is_released]
    return next(
        (broker.release for broker in reversed(before) if version in served_by(broker, key)), ""
    )


@dataclass(frozen=True, slots=True)
class Software:
    """The software of an application as words, "" if unknown, and its release if it is a Java
    client."""

    words: str
    java: Broker | None


def software_of(name: str, version: str, client_id: str) -> Software:
    """The software of a client, as reported by the client or suggested by its client id."""
    java = None
    if name == _JAVA:
        with suppress(InputError):
            java = broker_named(version)
    if name and name != "unknown":
        return Software(name if version in ("", "unknown") else f"{name} {version}", java)
    match = _DEFAULT_ID.fullmatch(client_id)
    library = f"{match['name']} {match['version']}" if match else _UNNAMED_IDS.get(client_id)
    return Software(f"{library} (by its default client id)" if library else "", java)


def confidence(
    target: Broker, software: Software, refused: Sequence[int], all_keys: Collection[int]
) -> tuple[str, str]:
    """How sure it is that an application breaks at the target: "certain", "likely" or "possible",
    and why.

    `refused` are the keys of the APIs of which it sends versions that the target refuses,
    `all_keys` those of all that it was seen to use.
    """
    if software.java is not None:
        if all(_common(target, software.java, key) for key in refused):
            return "possible", "this Java client supports versions that the target serves"
        return "certain", "this Java client supports no version that the target serves"
    # A broker knows the name of a client's software from ApiVersions (KIP-511).
    if API_VERSIONS in all_keys or software.words:
        return "likely", "it sends these versions, and may support others"
    # It may have queried before the log begins, or before SASL authenticates it, which no log
    # shows.
    return "likely", "it sends these versions, and no log shows that it queries ApiVersions"


def action(target: Broker, software: Software, refused: Sequence[int]) -> str:
    """What to do about an application that sends refused versions of some APIs, in a sentence."""
    unserved = [api_name(key) for key in refused if not served_by(target, key)]
    if unserved:
        return (
            f"{target.release} does not have {', '.join(unserved)}: the client must work without."
        )
    java = software.java
    if java is not None:
        common = {key: _common(target, java, key) for key in refused}
        if all(common.values()):
            names = ", ".join(f"{api_name(key)} {versions}" for key, versions in common.items())
            return (
                "Nothing if it is free to choose its versions: "
                f"the Java client {java.release} supports {names}."
            )
        releases = released_brokers()
        newer = releases[releases.index(java) + 1 :] if java in releases else ()
        later = _first_with(target, newer, refused)
        if later:
            return f"Upgrade it to a Java client of {later} or later."
    versions = ", ".join(f"{api_name(key)} {served_by(target, key)}" for key in refused)
    return f"Upgrade it to a release that sends {versions}."


def _common(target: Broker, java: Broker, key: int) -> Versions:
    """The versions of an API that the Java client of a release supports and the target serves."""
    return (java_client(java).versions or {}).get(key, Versions.NONE) & served_by(target, key)


def _first_with(target: Broker, releases: Iterable[Broker], keys: Sequence[int]) -> str:
    """The first of some releases that has, of each API, a version that the target serves; "" if
    none has."""
    for release in releases:
        if all(release.versions.get(key, Versions.NONE) & served_by(target, key) for key in keys):
            return release.release
    return ""
