"""The list of the proposals, and a page for each about which there is more to say."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.kip_mentions import FOLDER
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.proposals import all_kips
from wirebook.rules.report.words import grouped


def pages(book: Book) -> Iterator[Page]:
    """The list, newest first, and the pages; nothing if no text names a proposal."""
    if not book.kips:
        return
    yield book.page(
        "kips.html.jinja",
        FOLDER,
        "Proposals (KIPs)",
        "Kafka Improvement Proposals that changed the protocol, each with what it changed.",
        ("KIP", "proposals"),
        section="KIPs",
        kips=all_kips(),
    )
    for number, mentions in book.kips.items():
        kip = all_kips()[number]
        if book.kip_places[number] == kip.place:
            yield book.page(
                "kip.html.jinja",
                kip.place,
                f"{kip.name}: {kip.title}",
                kip.summary,
                kip=kip,
                sections=grouped(mentions, attrgetter("kind")),
            )
