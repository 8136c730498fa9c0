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
from wirebook.peers.known import known_clients
from wirebook.peers.page_data import KRAFT, broker_choices, negotiation_data
from wirebook.specs.kafka.brokers import kafka_releases, order_of
from wirebook.specs.printable import enumerated

# What a client does with a broker, the words for it, and the APIs that it needs.
PURPOSES = (
    {"does": "produces", "cannot": "produce", "keys": (0, 3)},
    {"does": "consumes", "cannot": "consume", "keys": (1, 2, 3)},
    {"does": "joins groups", "cannot": "join groups", "keys": (8, 9, 10, 11, 12, 13, 14)},
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
# The example of KIP-35, as the form of the page has it in its address.
_EXAMPLE = (
    "#ranges=Feature1+-%3E+%280%2C+3%2C+3%29%2C+%281%2C+2%2C+3%29%0A"
    "Feature2+-%3E+%280%2C+0%2C+1%29%2C+%281%2C+2%2C+3%29"
    "&own=B1+-%3E+%280%2C+0%2C+3%29%2C+%281%2C+2%2C+3%29%0A"
    "B2+-%3E+%280%2C+1%2C+2%29%2C+%281%2C+0%2C+3%29%2C+%282%2C+0%2C+0%29"
)


def pages(book: Book) -> Iterator[Page]:
    """The page, of Kafka's protocol only."""
    if not book.has_embedded:
        return
    # The requests that clients do not send.
    between = [each.api_key for each in book.documents if each.is_api and not is_for_clients(each)]
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
        roles=json.dumps({"purposes": PURPOSES, "between": between, "stated": stated_pairs()}),
        example=_EXAMPLE,
        known=enumerated([client.name for client in known_clients().values()]),
    )


def stated_pairs() -> list[dict[str, Any]]:
    """What Kafka states of clients and brokers, each with their ids."""
    pairs = []
    for oldest, newest, low, high, state, words in _STATED:
        clients = [f"java-{name}" for name in _between(oldest, newest)]
        ids = [f"{name}{end}" for name in _between(low, high) for end in ("", KRAFT)]
        brokers = [id_ for id_ in ids if id_ in broker_choices()]
        pairs.append({"clients": clients, "brokers": brokers, "state": state, "words": words})
    return pairs


def _between(first: str, last: str) -> list[str]:
    """The releases of lines from `first` to `last`."""
    releases = [broker.release for broker in kafka_releases().released]
    return [each for each in releases if order_of(first) <= order_of(each)[:2] <= order_of(last)]


@cache
def data_text() -> str:
    """The data of the page, which other programs may use as well: `wirebook/negotiation-data/1`."""
    return json.dumps(negotiation_data(), separators=(",", ":"))
