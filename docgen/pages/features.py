"""Feature support by release: librdkafka's map, and features of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.peers.known import known_clients, release_peer
from wirebook.peers.negotiation import FeatureOutcome, Way, negotiation
from wirebook.specs.json_records import from_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import kafka_releases
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
        finalized=list(_finalized(book.documents)),
    )


def _newest_without(outcome: FeatureOutcome) -> int:
    """The place of the newest release without a feature; -1 if all have it."""
    return max((at for at, pair in enumerate(outcome.brokers) if not pair.usable), default=-1)


@dataclass(frozen=True, slots=True)
class FinalizedFeature:
    """A level of a feature, and the versions that need it, by the name of their API."""

    name: str
    level: int
    versions: Mapping[str, Versions]


@cache
def finalized_features() -> tuple[FinalizedFeature, ...]:
    """The features by name (finalized_features.json)."""
    rows = facts("finalized_features.json")["features"]
    return from_json(tuple[FinalizedFeature, ...], rows)


def _finalized(
    documents: Iterable[ApiDocument],
) -> list[tuple[FinalizedFeature, list[tuple[ApiDocument, int]]]]:
    """The features that a cluster finalizes, with the first version of each API for it."""
    found = []
    by_name = {document.api: document for document in documents}
    for feature in finalized_features():
        needed_by = []
        for api, versions in feature.versions.items():
            if api in by_name:
                numbers = [each.version for each in by_name[api].versions]
                needing = [number for number in numbers if number in versions]
                needed_by += [(by_name[api], min(needing))] if needing else []
        if needed_by:
            found.append((feature, needed_by))
    return found


def _needs(way: Way) -> str:
    """ "OffsetCommit from version 1, JoinGroup and Heartbeat"."""
    needs = []
    for key, versions in way.needs.items():
        which = f" from version {versions.lowest}" if versions.open else f" in version {versions}"
        name = kafka_releases().names[key]
        needs.append(name if versions == Versions.ALL else f"{name}{which}")
    return enumerated(needs)
