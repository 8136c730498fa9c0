"""What a release does with the requests of an application, and what the application should do about
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum

from wirebook.peers.known import java_client, known_versions
from wirebook.specs.kafka.brokers import API_VERSIONS, Broker, kafka_releases
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

_JAVA = "apache-kafka-java"


class Status(StrEnum):
    """The fate of a request at the target release."""

    SERVED = "served"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


def api_name(key: int) -> str:
    """The name of an API, or its key if no release has it."""
    return kafka_releases().names.get(key, f"API key {key}")


def served_by(broker: Broker, key: int) -> Versions:
    """The versions of an API that a release serves on any of its listeners, listed or not."""
    is_served = any(key in keys for keys in broker.listeners.values())
    return broker.versions.get(key, Versions.NONE) if is_served else Versions.NONE


def status_at(target: Broker, key: int, version: int) -> Status:
    """How a release answers a version of an API."""
    if key == API_VERSIONS and key in target.versions:
        return Status.SERVED
    # An unstable version is served if it is enabled.
    is_unstable = version in target.unstable.get(key, Versions.NONE)
    if is_unstable or version not in known_versions(key):
        return Status.UNKNOWN
    if version not in served_by(target, key):
        return Status.REFUSED
    is_deprecated = version in target.deprecated.get(key, Versions.NONE)
    return Status.DEPRECATED if is_deprecated else Status.SERVED


def last_served(target: Broker, key: int, version: int) -> str:
    """The last release before the target that serves a version; "" if there is none."""
    end, served = numbers_of(target.release), ""
    for broker in kafka_releases().released:
        if numbers_of(broker.release) < end and version in served_by(broker, key):
            served = broker.release
    return served


def java_of(software: str, version: str) -> Broker | None:
    """The release of a Java client by the software that it reports; None for other software."""
    if software == _JAVA:
        with suppress(InputError):
            return kafka_releases().broker(version)
    return None


def confidence(target: Broker, java: Broker | None, refused: Sequence[int]) -> tuple[str, str]:
    """How sure it is that an application breaks at the target: "certain", "likely" or "possible",
    and why.

    `java` is its Java client, if it has one, and `refused` are the keys of the APIs of which it
    sends versions that the target refuses.
    """
    if java is None:
        return "likely", "it sends these versions, and may support others"
    if all(_common(target, java, refused).values()):
        return "possible", "this Java client supports versions that the target serves"
    return "certain", "this Java client supports no version that the target serves"


def action(target: Broker, java: Broker | None, refused: Sequence[int]) -> str:
    """What to do about an application that sends refused versions of some APIs, in a sentence."""
    served = {key: served_by(target, key) for key in refused}
    unserved = [api_name(key) for key in refused if not served[key]]
    if unserved:
        without = ", ".join(unserved)
        return f"{target.release} does not have {without}: the client must work without."
    if java is not None:
        common = _common(target, java, refused)
        if all(common.values()):
            free = "Nothing if it is free to choose its versions"
            return f"{free}: the Java client {java.release} supports {_listed(common)}."
        for newer in kafka_releases().released:
            has = [newer.versions.get(key, Versions.NONE) & served[key] for key in refused]
            if numbers_of(newer.release) > numbers_of(java.release) and all(has):
                return f"Upgrade it to a Java client of {newer.release} or later."
    return f"Upgrade it to a release that sends {_listed(served)}."


def _common(target: Broker, java: Broker, keys: Sequence[int]) -> dict[int, Versions]:
    """The versions of APIs that the Java client of a release supports and the target serves."""
    supported = java_client(java).versions or {}
    return {key: supported.get(key, Versions.NONE) & served_by(target, key) for key in keys}


def _listed(versions: Mapping[int, Versions]) -> str:
    """ "Fetch 4-17, Produce 3-12"."""
    return ", ".join(f"{api_name(key)} {versions[key]}" for key in versions)
