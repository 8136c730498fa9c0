"""The pages of negotiation: compatibility, features by release, and KIP-35's own example."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.release import is_for_clients
from wirebook.peers.known import CHOOSES_SINCE, java_client, known_clients, release_peer
from wirebook.peers.negotiation import (
    Feature,
    FeatureOutcome,
    FeaturePair,
    Peer,
    Way,
    choose,
    negotiation,
)
from wirebook.peers.page_data import CORE, KRAFT, broker_choices, negotiation_data
from wirebook.specs.kafka.brokers import (
    FinalizedFeature,
    api_names,
    finalized_features,
    order_of,
    released_brokers,
)
from wirebook.specs.printable import enumerated
from wirebook.specs.versions import Versions

# The example that the KIP works through: (key, lowest, highest).
KIP_BROKERS = {"B1": ((0, 0, 3), (1, 2, 3)), "B2": ((0, 1, 2), (1, 0, 3), (2, 0, 0))}
KIP_FEATURES = {"Feature1": ((0, 3, 3), (1, 2, 3)), "Feature2": ((0, 0, 1), (1, 2, 3))}


@dataclass(frozen=True, slots=True)
class ReleaseSpan:
    """Neighboring releases with the same answers in a table."""

    first: str
    last: str

    def __str__(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


# What a client does with a broker, the words for it, and the APIs that it needs.
_PURPOSES = (
    ("produces", "produce", (0, 3)),
    ("consumes", "consume", (1, 2, 3)),
    ("joins groups", "join groups", (8, 9, 10, 11, 12, 13, 14)),
)


# What Kafka's compatibility table says of Java clients and brokers, whatever versions they share:
# the first and last release of the clients, of the brokers, and what it says of them.
_STATED = (
    ("0", "2.0", "4.0", "999", "no",
     "Kafka lists clients up to 2.0 as not compatible with 4.0 brokers"),
    ("2.1", "2.8", "4.0", "999", "partly",
     "Kafka lists clients 2.1 to 2.8 as partly compatible with 4.0 brokers"),
    ("4.0", "999", "0", "2.0", "no",
     "Kafka lists brokers before 2.1 as not compatible with 4.0 clients"),
)  # fmt: skip


def _stated_pairs() -> Iterator[dict[str, Any]]:
    """The rows of `_STATED` with the ids of clients and brokers."""
    releases = [broker.release for broker in released_brokers()]
    for oldest, newest, low, high, state, words in _STATED:
        clients = [
            f"java-{name}"
            for name in releases
            if order_of(oldest) <= order_of(name)[:2] <= order_of(newest)
        ]
        brokers = [
            name for name in releases if order_of(low) <= order_of(name)[:2] <= order_of(high)
        ]
        either = [f"{name}{KRAFT}" for name in brokers if f"{name}{KRAFT}" in broker_choices()]
        yield {"clients": clients, "brokers": [*brokers, *either], "state": state, "words": words}


def negotiate_page(documents: Sequence[ApiDocument]) -> Page:
    """The page that negotiates in the browser, with a table for readers without scripts.

    `documents` say which requests clients do not send.
    """
    path = "negotiate/"
    data = data_text()
    choices = broker_choices()
    brokers, rows = core_table()
    html = render(
        "negotiate.html.jinja",
        root=root_of(path),
        data=Markup(data.replace("<", "\\u003c").replace("&", "\\u0026")),
        releases=[(name, peer.name) for name, peer in choices.items()][::-1],
        columns=brokers,
        rows=rows,
        core=[api_names()[key] for key in CORE],
        roles=json.dumps(
            {
                "purposes": [
                    {"does": does, "cannot": cannot, "keys": keys}
                    for does, cannot, keys in _PURPOSES
                ],
                "between": [
                    document.api_key
                    for document in documents
                    if document.is_api and not is_for_clients(document)
                ],
                "stated": [each for each in _stated_pairs() if each["clients"]],
            }
        ),
        example="#" + urlencode({"ranges": _written(KIP_FEATURES), "own": _written(KIP_BROKERS)}),
    )
    headings = (
        Heading("Choose clients and brokers", "choose", 2),
        Heading("Clients and brokers of all releases", "releases", 2),
        Heading("In a terminal", "terminal", 2),
    )
    return Page(
        path,
        "Client and broker compatibility",
        html,
        headings,
        boost=8.0,
        words=("negotiate", "compatibility", "which client works with which broker"),
        description="Which versions a client and brokers of Kafka use, and what does not work "
        "between them.",
    )


@cache
def data_text() -> str:
    """The data of the page, which other programs may use as well: `wirebook/negotiation-data/1`."""
    return json.dumps(negotiation_data(), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class CoreCell:
    """A Java client with a broker: the core APIs that do not work, and the link that shows all of
    them."""

    missing: tuple[str, ...]
    link: str


def core_table() -> tuple[list[ReleaseSpan], list[tuple[ReleaseSpan, list[CoreCell]]]]:
    """Java clients by release against brokers by release: whether they agree on the core APIs.

    Returns the columns and the rows; releases with the same answers everywhere share one.
    """
    brokers = [release_peer(broker) for broker in released_brokers() if broker.negotiates]
    clients = [broker for broker in released_brokers() if order_of(broker.release) >= CHOOSES_SINCE]
    refused = {
        (client, broker)
        for each in _stated_pairs()
        if each["state"] == "no"
        for client in each["clients"]
        for broker in each["brokers"]
    }
    answers = {
        (client.release, peer.name): (
            _core(java_client(client), peer)
            or ("not supported by Kafka",) * ((f"java-{client.release}", peer.name) in refused)
        )
        for client in clients
        for peer in brokers
    }
    columns = list(
        _spans(
            [peer.name for peer in brokers],
            lambda name: tuple(answers[client.release, name] for client in clients),
        )
    )
    rows = [
        (
            span,
            [
                CoreCell(
                    answers[span.first, column.first],
                    "#" + urlencode({"client": f"java-{span.last}", "broker": column.last}),
                )
                for column in columns
            ],
        )
        for span in _spans(
            [client.release for client in clients],
            lambda name: tuple(answers[name, peer.name] for peer in brokers),
        )
    ]
    return columns, rows


def _core(client: Peer, broker: Peer) -> tuple[str, ...]:
    """The names of the core APIs that a client cannot use with a broker, of those that it
    supports."""
    return tuple(
        api_names()[key]
        for key in CORE
        if key in (client.versions or {}) and choose(client, broker, key).version is None
    )


def _spans(names: Sequence[str], answer: Callable[[str], Hashable]) -> Iterator[ReleaseSpan]:
    releases_of_span: list[str] = []
    for name in names:
        if releases_of_span and answer(releases_of_span[-1]) != answer(name):
            yield ReleaseSpan(releases_of_span[0], releases_of_span[-1])
            releases_of_span = []
        releases_of_span.append(name)
    if releases_of_span:
        yield ReleaseSpan(releases_of_span[0], releases_of_span[-1])


@dataclass(frozen=True)
class FeatureSection:
    """A feature of librdkafka on its page: its outcome with every release, and the cells of its
    row."""

    outcome: FeatureOutcome
    cells: tuple[FeaturePair, ...]

    @property
    def feature(self) -> Feature:
        """The feature itself."""
        return self.outcome.feature

    @property
    def id(self) -> str:
        """The anchor of the section."""
        return anchor(self.feature.name)

    @property
    def question(self) -> str:
        """The heading of the section."""
        return f"Which brokers support {_inside(self.feature.title)}?"

    @property
    def since(self) -> str:
        """The first release from which on every one has the feature; "" if the newest does not."""
        since = ""
        for pair in reversed(self.outcome.brokers):
            if not pair.usable:
                break
            since = pair.broker
        return since

    @property
    def ways(self) -> list[tuple[str, str]]:
        """The name of each way, and what it needs."""
        return [(way.by, _needs(way)) for way in self.feature.ways]

    @property
    def has_named_ways(self) -> bool:
        """Whether the ways have names, so that a cell lists them."""
        return any(way.by for way in self.feature.ways)

    @property
    def lacking(self) -> FeaturePair | None:
        """The newest release without the feature, with what it lacks."""
        return next((pair for pair in reversed(self.outcome.brokers) if not pair.usable), None)


@dataclass(frozen=True, slots=True)
class FeatureNeeds:
    """A feature that a cluster has to finalize, and the first version of each API that needs it."""

    feature: FinalizedFeature
    needed_by: tuple[tuple[ApiDocument, int], ...]


def feature_needs(documents: Iterable[ApiDocument]) -> Iterator[FeatureNeeds]:
    """The features that versions of APIs need, by name."""
    of_api = {document.api: document for document in documents}
    for feature in finalized_features():
        needed_by = []
        for document in filter(None, map(of_api.get, feature.versions)):
            versions = feature.versions[document.api]
            numbers = [
                version.version for version in document.versions if version.version in versions
            ]
            if numbers:
                needed_by.append((document, min(numbers)))
        if needed_by:
            yield FeatureNeeds(feature, tuple(needed_by))


def features_page(documents: Iterable[ApiDocument]) -> Page:
    """Feature support by release: librdkafka's map against every release, and features of
    clusters."""
    path = "features/"
    brokers = [release_peer(broker) for broker in released_brokers()]
    outcomes = negotiation(known_clients()["librdkafka"], brokers, api_names()).features
    answers = {
        broker.name: tuple(_ways(outcome.brokers[position]) for outcome in outcomes)
        for position, broker in enumerate(brokers)
    }
    columns = list(_spans([broker.name for broker in brokers], answers.__getitem__))
    places = [[broker.name for broker in brokers].index(column.last) for column in columns]
    sections = [
        FeatureSection(outcome, tuple(outcome.brokers[position] for position in places))
        for outcome in outcomes
    ]
    finalized = tuple(feature_needs(documents))
    html = render(
        "features.html.jinja",
        root=root_of(path),
        columns=columns,
        sections=sections,
        newest=brokers[-1].name,
        finalized=finalized,
    )
    headings = [
        Heading("All features", "all", 2),
        *([Heading("Features that a cluster enables", "finalized", 2)] if finalized else []),
        *(Heading(section.question, section.id, 2) for section in sections),
    ]
    words = (
        *(section.feature.title for section in sections),
        "group.version",
        "finalized features",
    )
    return Page(
        path,
        "Feature support by release",
        html,
        tuple(headings),
        boost=2.0,
        words=words,
        description="How librdkafka detects each feature, and the releases that have it.",
    )


def _ways(pair: FeaturePair) -> tuple[str, ...] | None:
    """Which ways to a feature work with a broker; None if none does."""
    return tuple(way.by for way in pair.ways if way.usable) if pair.usable else None


def _needs(way: Way) -> str:
    """ "OffsetCommit from version 1, JoinGroup and Heartbeat"."""
    needs = [f"{api_names()[key]}{_from(need)}" for key, need in sorted(way.needs.items())]
    return enumerated(needs)


def _from(need: Versions) -> str:
    if need == Versions.ALL:
        return ""
    return f" from version {need.lowest}" if need.open else f" in version {need}"


def _inside(title: str) -> str:
    """A title in the middle of a sentence: names and abbreviations keep their capital."""
    first = title.split()[0]
    keeps = any(map(str.isupper, first[1:])) or first in ("Kerberos", "Zstandard")
    return title if keeps else title[:1].lower() + title[1:]


def _written(sides: Mapping[str, Iterable[Sequence[int]]]) -> str:
    """Ranges by name, as the form of the page reads them."""
    return "\n".join(
        f"{name} -> {', '.join(str(tuple(each)) for each in ranges)}"
        for name, ranges in sides.items()
    )
