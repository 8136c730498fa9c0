"""Advice on a client that a release cuts off: what is known about it, and what is not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wirebook.fleet.verdicts import Target
from wirebook.live.negotiation.peers import java_client
from wirebook.specs.kafka.brokers import Broker, api_names, broker_named, released_brokers
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet

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


@dataclass(frozen=True, slots=True)
class Sent:
    """The versions of one API that a client sends and the target refuses."""

    api_key: int
    versions: VersionSet


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


def advice(
    target: Target, software: Software, refused: Sequence[Sent], all_keys: frozenset[int]
) -> list[str]:
    """Describe an application: what it sends, what the target serves, what it could use, and what is unknown.

    `all_keys` are the keys of the APIs that it was seen to use.
    """
    client = software.words or "The client"
    sentences = [_sent(target, client, item) for item in refused]
    release = software.java
    if release is not None:
        sentences += [_by_java(target, release, item) for item in refused]
    else:
        sentences.append(
            "Which other versions it supports is unknown: a log contains only the versions that were sent."
        )
        if _queries(software, all_keys):
            sentences.append("It queries ApiVersions, so it may choose other versions that the target lists.")
        else:
            sentences.append("The logs do not show it query ApiVersions: its versions may be fixed.")
    if not software.words:
        sentences.append(
            "It does not name its software (ApiVersions 3 and later do): ask its owner for the library."
        )
    return sentences


def confidence(
    target: Target, software: Software, refused: Sequence[Sent], all_keys: frozenset[int]
) -> tuple[Confidence, str]:
    """How sure it is that an application whose requests a log shows breaks at the target, and why."""
    release = software.java
    if release is not None:
        if all(_common(target, release, item.api_key) for item in refused):
            return Confidence.POSSIBLE, "this Java client supports versions that the target serves"
        return Confidence.CERTAIN, "this Java client supports no version that the target serves"
    if _queries(software, all_keys):
        return Confidence.LIKELY, "it sends these versions, and may support others"
    # It may have queried before the log begins, or before SASL authenticates it, which no log shows.
    return Confidence.LIKELY, "it sends these versions, and no log shows that it queries ApiVersions"


def _queries(software: Software, all_keys: frozenset[int]) -> bool:
    """Whether a client queries ApiVersions: a broker knows the name of its software from that (KIP-511)."""
    return API_VERSIONS in all_keys or bool(software.words)


def action(target: Target, software: Software, refused: Sequence[Sent], successor: str | None) -> str:
    """What to do about an application, in a sentence; `successor` is the software that replaced it."""
    if successor is not None:
        what = successor or "a client that does not name its software"
        return f"Upgraded: the application is now {what}."
    needed = [(item.api_key, target.served(item.api_key)) for item in refused]
    unserved = [api_name(key) for key, serves in needed if not serves]
    versions = ", ".join(f"{api_name(key)} {serves}" for key, serves in needed if serves)
    if unserved:
        return f"{target.release} does not have {', '.join(unserved)}: the client must work without."
    release = software.java
    if release is not None:
        shared = [(key, _common(target, release, key)) for key, _ in needed]
        if all(common for _, common in shared):
            names = ", ".join(f"{api_name(key)} {common}" for key, common in shared)
            java = f"the Java client {release.release} supports {names}"
            return f"Nothing if it is free to choose its versions: {java}."
        releases = released_brokers()
        newer = releases[releases.index(release) + 1 :] if release in releases else ()
        later = _first_with(target, newer, [key for key, _ in needed])
        if later:
            return f"Upgrade it to a Java client of {later} or later."
    return f"Upgrade it to a release that sends {versions}."


def _sent(target: Target, client: str, item: Sent) -> str:
    api = api_name(item.api_key)
    serves = target.served(item.api_key)
    offers = f"serves {serves}" if serves else "does not serve it"
    last = target.last_served(item.api_key, max(item.versions))
    until = f"; {last} is the last release that serves it" if last else ""
    return f"{client} sends {api} v{item.versions}; {target.release} {offers}{until}."


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


def _by_java(target: Target, release: Broker, item: Sent) -> str:
    api = api_name(item.api_key)
    common = _common(target, release, item.api_key)
    if common:
        supports = (java_client(release).versions or {})[item.api_key]
        return (
            f"The Java client {release.release} supports {api} {supports}, so it can use "
            f"v{common.highest} with {target.release} if it is free to choose."
        )
    first = _first_with(target, released_brokers(), [item.api_key])
    if first:
        return f"Java clients support a version of {api} that {target.release} serves since {first}."
    return f"No Java client supports a version of {api} that {target.release} serves."
