"""The page that negotiates: the compatibility of clients and brokers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from markupsafe import Markup

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.release import is_for_clients
from wirebook.docgen.pages.shipped import shipped
from wirebook.peers.known import known_clients
from wirebook.peers.page_data import KRAFT, broker_choices, negotiation_data
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.releases import numbers_of


def pages(book: Book) -> Iterator[Page]:
    """The page, of Kafka's protocol only."""
    if not book.has_embedded:
        return
    # The requests that clients do not send.
    between = [each.api_key for each in book.apis if not is_for_clients(each)]
    # What a client does with a broker, the words for it, and the APIs that it needs.
    purposes = shipped("negotiate.json")["purposes"]
    brokers = [(name, peer.name) for name, peer in broker_choices().items()]
    yield book.page(
        "negotiate.html.jinja",
        "negotiate/",
        "Client and broker compatibility",
        "Which versions a client and brokers of Kafka use, and what does not work between them.",
        ("negotiate", "compatibility", "which client works with which broker"),
        section="Protocol",
        data=Markup(data_text().replace("<", "\\u003c").replace("&", "\\u0026")),
        releases=brokers[::-1],
        roles=json.dumps({"purposes": purposes, "between": between, "stated": _stated()}),
        known=known_clients().values(),
    )


def _stated() -> list[dict[str, Any]]:
    """What Kafka's compatibility table says of Java clients and brokers, whatever versions they
    share, and what helps other clients, each with their ids."""
    pairs = []
    for each in shipped("negotiate.json")["stated"]:
        clients = each["clients"]
        if clients[0] not in known_clients():
            clients = [f"java-{name}" for name in _between(*clients)]
        ids = [f"{name}{end}" for name in _between(*each["brokers"]) for end in ("", KRAFT)]
        brokers = [id_ for id_ in ids if id_ in broker_choices()]
        pairs.append({**each, "clients": clients, "brokers": brokers})
    return pairs


def _between(first: str, last: str) -> list[str]:
    """The releases of lines from `first` to `last`."""
    lowest, highest = numbers_of(first), numbers_of(last)
    releases = [broker.release for broker in kafka_releases().released]
    return [each for each in releases if lowest <= numbers_of(each)[:2] <= highest]


@cache
def data_text() -> str:
    """The data of the page, which other programs may use as well: `wirebook/negotiation-data/1`."""
    return json.dumps(negotiation_data(), separators=(",", ":"))
