"""What an application that a release cuts off should do, and how sure it is that it breaks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wirebook.fleet.verdicts import Target
from wirebook.peers.known import java_client
from wirebook.specs.kafka.brokers import Broker, api_names, broker_named, released_brokers
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

API_VERSIONS = 18
JAVA = "apache-kafka-java"
# The client ids that these libraries use if the application sets none: their names and versions, from their
# defaults (kafka-python: KafkaClient.DEFAULT_CONFIG; aiokafka: AIOKafkaClient; sarama: config.go).
_DEFAULT_ID = re.compile(
    r"(?P<name>kafka-python|aiokafka)-(?P<version>\d[\w.]*?)(?:-(?:producer|consumer).*)?"
)
_UNNAMED_IDS = {"rdkafka": "librdkafka", "sarama": "sarama", "ruby-kafka": "ruby-kafka"}


class Confidence(StrEnum):
    """How sure it is that an application breaks."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Software:
    """The software of an application: its name and version, and both as words, "" if unknown."""

    name: str
    version: str
    words: str

    @property
    def java(self) -> Broker | None:
        """The release whose Java client it is; None if it is other software."""
        if self.name != JAVA:
            return None
        try:
            return broker_named(self.version)
        except InputError:
            return None


def api_name(key: int) -> str:
    """The name of an API, or its key if no release has it."""
    return api_names().get(key, f"API key {key}")


def software_of(name: str, version: str, client_id: str) -> Software:
    """The software of a client, as reported by the client or suggested by its client id."""
    return Software(name, version, _words(name, version, client_id))


def _words(name: str, version: str, client_id: str) -> str:
    if name and name != "unknown":
        return name if version in ("", "unknown") else f"{name} {version}"
    match = _DEFAULT_ID.fullmatch(client_id)
    if match is not None:
        return f"{match['name']} {match['version']} (by its default client id)"
    library = _UNNAMED_IDS.get(client_id)
    return f"{library} (by its default client id)" if library else ""


def confidence(
    target: Target, software: Software, refused: Sequence[int], all_keys: frozenset[int]
) -> tuple[Confidence, str]:
    """How sure it is that an application whose requests a log shows breaks at the target, and why.

    `refused` are the keys of the APIs of which it sends versions that the target refuses, `all_keys` those of
    all that it was seen to use.
    """
    release = software.java
    if release is not None:
        if all(_common(target, release, key) for key in refused):
            return Confidence.POSSIBLE, "this Java client supports versions that the target serves"
        return Confidence.CERTAIN, "this Java client supports no version that the target serves"
    if _queries(software, all_keys):
        return Confidence.LIKELY, "it sends these versions, and may support others"
    # It may have queried before the log begins, or before SASL authenticates it, which no log shows.
    return Confidence.LIKELY, "it sends these versions, and no log shows that it queries ApiVersions"


def _queries(software: Software, all_keys: frozenset[int]) -> bool:
    """Whether a client queries ApiVersions: a broker knows the name of its software from that (KIP-511)."""
    return API_VERSIONS in all_keys or bool(software.words)


def action(target: Target, software: Software, refused: Sequence[int], successor: str | None) -> str:
    """What to do about an application, in a sentence; `successor` is the software that replaced it."""
    if successor is not None:
        what = successor or "a client that does not name its software"
        return f"Upgraded: the application is now {what}."
    needed = [(key, target.served(key)) for key in refused]
    unserved = [api_name(key) for key, serves in needed if not serves]
    versions = ", ".join(f"{api_name(key)} {serves}" for key, serves in needed if serves)
    if unserved:
        return f"{target.release} does not have {', '.join(unserved)}: the client must work without."
    release = software.java
    if release is not None:
        shared = [(key, _common(target, release, key)) for key in refused]
        if all(common for _, common in shared):
            names = ", ".join(f"{api_name(key)} {common}" for key, common in shared)
            java = f"the Java client {release.release} supports {names}"
            return f"Nothing if it is free to choose its versions: {java}."
        releases = released_brokers()
        newer = releases[releases.index(release) + 1 :] if release in releases else ()
        later = _first_with(target, newer, refused)
        if later:
            return f"Upgrade it to a Java client of {later} or later."
    return f"Upgrade it to a release that sends {versions}."


def _common(target: Target, release: Broker, key: int) -> Versions:
    """The versions of an API that the Java client of a release supports and the target serves."""
    return (java_client(release).versions or {}).get(key, Versions.NONE) & target.served(key)


def _first_with(target: Target, releases: Iterable[Broker], keys: Collection[int]) -> str:
    """The first of some releases that has, of each API, a version that the target serves; "" if none has."""
    has = (
        release.release
        for release in releases
        if all(release.versions.get(key, Versions.NONE) & target.served(key) for key in keys)
    )
    return next(has, "")
