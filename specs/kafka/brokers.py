"""The versions of each API that brokers accept in every release of Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from wirebook.specs.json_records import from_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.releases import known_releases, numbers_of
from wirebook.specs.problems import InputError
from wirebook.specs.releases import line_of
from wirebook.specs.versions import Versions, VersionSet

API_VERSIONS = 18  # accepted in every version (KIP-511)
_PRODUCE = 0
TELEMETRY = (71, 72)  # listed only if the broker has a telemetry receiver; served in any case
# 4.x lists Produce from 0 for old clients, although it serves no version below 3 (KAFKA-18659).
_PRODUCE_LISTED_FROM_0 = (4, 0)
_KRAFT_SINCE = (3, 3)  # KIP-833; a preview in 2.8 to 3.2


@dataclass(frozen=True)
class Broker:
    """A release of the broker; `versions` are keyed by the API key.

    `release` names the line ("3.9") or a patch release that differs from it ("4.0.1"); a name that
    ends in "-dev" is a branch without a release. `versions` are the stable ones on any listener;
    `listed` returns what a listener answers.
    """

    release: str
    versions: Mapping[int, Versions]
    listeners: Mapping[str, VersionSet]
    deprecated: Mapping[int, Versions] = field(default_factory=dict, metadata={"omit": True})
    unstable: Mapping[int, Versions] = field(default_factory=dict, metadata={"omit": True})

    @property
    def is_released(self) -> bool:
        """Whether there is such a release, as opposed to a branch."""
        return not self.release.endswith("-dev")

    @property
    def negotiates(self) -> bool:
        """Whether it has ApiVersions, so that clients can query it."""
        return API_VERSIONS in self.versions

    @property
    def is_either(self) -> bool:
        """Whether brokers of the release run with ZooKeeper or KRaft, both ready for production."""
        return "zkBroker" in self.listeners and numbers_of(self.release) >= _KRAFT_SINCE

    @property
    def listener(self) -> str:
        """The kind of listener that most clients connect to: with ZooKeeper until 3.9."""
        return "zkBroker" if "zkBroker" in self.listeners else "broker"

    def listed(self, listener: str = "", *, telemetry: bool = False) -> dict[int, Versions]:
        """What ApiVersions answers on a listener ("zkBroker", "broker", "controller"), by key.

        It differs from `versions`: keys of other listeners are absent, telemetry is included only
        if it is configured, and Produce begins at 0 since 4.0. A release without ApiVersions lists
        what it serves. Raises InputError if the release has no such listener.
        """
        if listener and listener not in self.listeners:
            kinds = " and ".join(self.listeners)
            raise InputError(f"release {self.release} has no listener {listener}, only {kinds}")
        if not self.negotiates:
            return dict(self.versions)
        keys = self.listeners[listener or self.listener]
        answer = {
            key: versions
            for key, versions in sorted(self.versions.items())
            if key in keys and (telemetry or key not in TELEMETRY)
        }
        if _PRODUCE in answer and numbers_of(self.release) >= _PRODUCE_LISTED_FROM_0:
            answer[_PRODUCE] = Versions(0, answer[_PRODUCE].highest)
        return answer


@dataclass(frozen=True)
class ReleaseTable:
    """The releases of a server, oldest first, with the names of APIs by key and the keys by name.

    Only those of Kafka are known: the table of another protocol has the names of its APIs, and no
    releases. The keys are indexed by current and former names in lower case. `server` is the
    protocol's word for a server, `former` has the older names of APIs, oldest first, by key.
    """

    brokers: tuple[Broker, ...]
    names: Mapping[int, str]
    keys: Mapping[str, int]
    server: str = "broker"
    former: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_kafka(self) -> bool:
        """Whether this is the table of Kafka."""
        return bool(self.brokers)

    @property
    def released(self) -> tuple[Broker, ...]:
        """The brokers, without those of branches that have no release yet."""
        return tuple(broker for broker in self.brokers if broker.is_released)

    def broker(self, text: str) -> Broker:
        """The broker of a release: "3.9", "0.9.0.X", "4.4-dev", "v3.8.1" (as the entry before it).

        Raises InputError with the nearest name if no such release is known.
        """
        release = text.strip().removeprefix("v").removesuffix(".X").removesuffix(".x")
        for broker in self.brokers:
            if broker.release == release:
                return broker
        if not self.brokers:
            raise InputError(f'no release "{text}" is known: only those of Kafka are')
        names, numbers = known_releases().names, numbers_of(release)
        before = [
            broker
            for broker in self.released
            if line_of(broker.release) == line_of(release) and numbers_of(broker.release) <= numbers
        ]
        if before and release in names:
            return replace(before[-1], release=release)
        known = sorted([*names, *(broker.release for broker in self.brokers)], key=numbers_of)
        older = [name for name in known if numbers_of(name) <= numbers]
        near = (
            f"the nearest is {older[-1]}"
            if older
            else f"the releases are {names[0]} to {names[-1]}"
        )
        raise InputError(f'no {self.server} release "{text}" is known; {near}')


@cache
def kafka_releases() -> ReleaseTable:
    """The releases of Kafka (broker_versions.json)."""
    document = facts("broker_versions.json")
    apis = {int(key): api for key, api in document["apis"].items()}
    names = {key: str(api["name"]) for key, api in apis.items()}
    former = {key: tuple(map(str, api["was"])) for key, api in apis.items() if "was" in api}
    keys = {name.lower(): key for key in names for name in (names[key], *former.get(key, ()))}
    brokers = from_json(tuple[Broker, ...], document["releases"])
    return ReleaseTable(brokers, names, keys, former=former)
