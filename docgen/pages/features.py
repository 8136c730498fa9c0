"""Feature support by release: librdkafka's map, and features of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.peers.known import known_clients, release_peer
from wirebook.peers.negotiation import FeatureOutcome, Way, negotiation
from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.printable import enumerated
from wirebook.specs.versions import Versions


def pages(book: Book) -> Iterator[Page]:
    """The page, of Kafka's protocol only."""
    if not book.has_embedded:
        return
    brokers = [release_peer(broker) for broker in kafka_releases().released]
    client = known_clients()["librdkafka"]
    outcomes = negotiation(client, brokers, kafka_releases().names).features
    yield book.page(
        "features.html.jinja",
        "features/",
        "Feature support by release",
        "How librdkafka detects each feature, and the releases that have it.",
        (*(each.title for each in outcomes), "group.version", "finalized features"),
        section="Protocol",
        outcomes=list(zip(client.features, outcomes, strict=True)),
        lacking=_newest_without,
        needs=_needs,
        finalized=finalized_features(),
        documents={document.api: document for document in book.documents},
    )


def _newest_without(outcome: FeatureOutcome) -> int:
    """The place of the newest release without a feature; -1 if all have it."""
    return max((at for at, pair in enumerate(outcome.brokers) if not pair.usable), default=-1)


@dataclass(frozen=True, slots=True)
class FeatureLevel:
    """A level: the first release with it, the metadata.version that it `needs` and from which on
    new clusters start with it, and the versions that need it, by the name of their API.

    `unstable` is a release line that has it only with unstable.feature.versions.enable=true.
    """

    level: int
    release: str
    about: str
    versions: Mapping[str, Versions]
    needs: str = omitted("")
    new_clusters: str = omitted("")
    unstable: str = omitted("")

    def needed_by(self, documents: Mapping[str, ApiDocument]) -> Iterator[tuple[ApiDocument, int]]:
        """The APIs, of documents by name, and the first version of each that needs the level."""
        for api, versions in self.versions.items():
            numbers = [each.version for each in documents[api].versions] if api in documents else []
            needing = [number for number in numbers if number in versions]
            if needing:
                yield documents[api], min(needing)


@dataclass(frozen=True, slots=True)
class FinalizedFeature:
    """A feature with its levels above 0: whether it can be `lowered`, and what that changes."""

    name: str
    lowered: bool
    lowering: str
    source: str
    levels: tuple[FeatureLevel, ...]


@cache
def finalized_features() -> tuple[FinalizedFeature, ...]:
    """The features by name (finalized_features.json)."""
    rows = facts("finalized_features.json")["features"]
    return from_json(tuple[FinalizedFeature, ...], rows)


def features_of(line: str, newest_level: str) -> str:
    """What clusters of a release line can finalize, in a sentence; "" if nothing.

    New clusters start at its `newest_level` of metadata.version.
    """
    settable, started, unstable = [], [], []
    here, newest = numbers_of(line), numbers_of(newest_level)
    for feature in finalized_features():
        has = [each for each in feature.levels if numbers_of(each.release) <= here]
        initial = [each for each in has if each.new_clusters]
        initial = [each for each in initial if numbers_of(each.new_clusters) <= newest]
        if has:
            settable.append(f"{feature.name} up to {has[-1].level}")
        if initial:
            started.append(f"{feature.name} {initial[-1].level}")
        for level in feature.levels:
            if level.unstable == line:
                unstable.append(f"{feature.name} {level.level}")
    if not settable:
        return ""
    words = f"A cluster of {line} can finalize {enumerated(settable)}"
    if started:
        words += f", and a new one starts with {enumerated(started)}"
    if unstable:
        words += f"; {enumerated(unstable)} only with unstable.feature.versions.enable=true"
    return f"{words}."


def _needs(way: Way) -> str:
    """ "OffsetCommit from version 1, JoinGroup and Heartbeat"."""
    needs = []
    for key, versions in way.needs.items():
        which = f" from version {versions.lowest}" if versions.open else f" in version {versions}"
        name = kafka_releases().names[key]
        needs.append(name if versions == Versions.ALL else f"{name}{which}")
    return enumerated(needs)
