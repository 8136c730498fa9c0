"""What brokers take: the versions of each API in every release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from wirebook.specs.model import Json
from wirebook.specs.problems import InputError
from wirebook.specs.sources.releases import ReleaseName, line_of
from wirebook.specs.versions import Versions, VersionSet

LISTENERS = ("zkBroker", "broker", "controller")

_PATH = Path(__file__).resolve().parent / "broker_versions.json"
_API_VERSIONS, _PRODUCE = 18, 0
_TELEMETRY = (71, 72)  # listed only where the broker has a receiver for telemetry
# 4.x lists Produce from 0 for the sake of old clients, although 3 is its lowest (KAFKA-18659).
_PRODUCE_LISTED_FROM_0 = (4, 0)
_NO_RANGES: Mapping[int, Versions] = {}


@dataclass(frozen=True)
class Broker:
    """A release of the broker; `versions` and `names` are keyed by the API key.

    `release` names the line ("3.9") or a patch release that differs from it ("4.0.1"); one that ends in
    "-dev" is a branch without a release. `versions` are the stable ones on any listener: what it answers on
    one is `listed`.
    """

    release: str
    versions: Mapping[int, Versions]
    names: Mapping[int, str]
    listeners: Mapping[str, frozenset[int]]
    deprecated: Mapping[int, Versions] = field(default_factory=lambda: _NO_RANGES)
    unstable: Mapping[int, Versions] = field(default_factory=lambda: _NO_RANGES)

    @property
    def negotiates(self) -> bool:
        """Whether it knows ApiVersions, so that a client can ask at all."""
        return _API_VERSIONS in self.versions

    @property
    def listener(self) -> str:
        """The kind of listener that most clients of the release met: with ZooKeeper until 3.9."""
        return "zkBroker" if "zkBroker" in self.listeners else "broker"

    def listed(self, listener: str = "", *, telemetry: bool = False) -> dict[int, Versions]:
        """What ApiVersions answers on a listener ("zkBroker", "broker" or "controller"), by rising key.

        It differs from `versions`: keys of other listeners are absent, telemetry is there only where it
        is configured, and Produce begins at 0 since 4.0. Empty where the release has no such listener.
        """
        keys = self.listeners.get(listener or self.listener, frozenset())
        found = {
            key: versions
            for key, versions in sorted(self.versions.items())
            if key in keys and (telemetry or key not in _TELEMETRY)
        }
        if _PRODUCE in found and order_of(self.release) >= _PRODUCE_LISTED_FROM_0:
            found[_PRODUCE] = Versions(0, found[_PRODUCE].highest)
        return found


@cache
def load_brokers() -> tuple[Broker, ...]:
    """Every release line, oldest first, with patch releases that differ (broker_versions.json)."""
    document = json.loads(_PATH.read_text(encoding="utf-8"))
    names = api_names()
    return tuple(_broker(item, names) for item in document["releases"])


@cache
def api_names() -> dict[int, str]:
    """The name of every API that any release had, by its key."""
    document = json.loads(_PATH.read_text(encoding="utf-8"))
    return {int(key): api["name"] for key, api in document["apis"].items()}


@cache
def api_keys() -> dict[str, int]:
    """The key of every API, by its names of now and of older releases, all in lower case."""
    document = json.loads(_PATH.read_text(encoding="utf-8"))
    return {
        name.lower(): int(key)
        for key, api in document["apis"].items()
        for name in (api["name"], *api.get("was", ()))
    }


def broker_named(text: str) -> Broker:
    """The broker of a release: "3.9", "3.9.0", "v3.9.2" (its line's newest entry up to it), "4.4-dev".

    Raises InputError with the nearest names where there is no such release.
    """
    wanted = text.strip().removeprefix("v")
    brokers = load_brokers()
    for broker in brokers:
        if broker.release == wanted:
            return broker
    name = ReleaseName.parse(wanted)
    if name is not None and not name.prefix and not wanted.endswith("-dev"):
        line = [
            broker
            for broker in brokers
            if not broker.release.endswith("-dev")
            and line_of(broker.release) == name.line
            and order_of(broker.release) <= name.numbers
        ]
        if line:
            return line[-1]
    names = [broker.release for broker in brokers]
    near = get_close_matches(wanted, names, n=3, cutoff=0.5)
    hint = f"near it are {', '.join(near)}" if near else f"there are {names[0]} to {names[-1]}"
    raise InputError(f'no broker release "{text}" is known; {hint}')


def order_of(release: str) -> tuple[int, ...]:
    """The numbers of a release, to sort by; empty where the text is no release."""
    name = ReleaseName.parse(release)
    return () if name is None or name.prefix else name.numbers


def _broker(item: Mapping[str, Mapping[str, str]], names: Mapping[int, str]) -> Broker:
    versions = _ranges(item["versions"])
    return Broker(
        release=str(item["release"]),
        versions=versions,
        names={key: names[key] for key in versions},
        listeners={name: _keys(text) for name, text in item["listeners"].items()},
        deprecated=_ranges(item.get("deprecated", {})),
        unstable=_ranges(item.get("unstable", {})),
    )


def _ranges(written: Mapping[str, Json]) -> dict[int, Versions]:
    return {int(key): Versions.parse(str(text)) for key, text in written.items()}


def _keys(text: str) -> frozenset[int]:
    return frozenset(VersionSet.parse(text))
