"""The list of the proposals, and a page for each about which there is more to say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.kip_mentions import FOLDER, has_page, kip_place
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.mentions import Mentions
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.specs.kafka.kips import all_kips


def kip_pages(book: Book) -> Iterator[Page]:
    """The list, newest first, and the pages; nothing if no text names a proposal."""
    if not book.kips:
        return
    outside = Mentions(links=book.protocol.links).linked
    rows = []
    for number, mentions in sorted(book.kips.items(), reverse=True):
        kip = all_kips()[number]
        place = kip_place(kip, mentions)
        dates = [each.since for each in mentions if each.kind == "Versions" and each.since]
        apis = {each.slug: each.api for each in mentions if each.api}
        rows.append((kip, "" if place.startswith(f"{FOLDER}#") else place, dates, apis))
    html = render("kips.html.jinja", root=root_of(FOLDER), rows=rows, outside=outside)
    about = "Kafka Improvement Proposals that changed the protocol, each with what it changed."
    yield Page(
        FOLDER, "Proposals (KIPs)", html, words=("KIP", "proposals"), boost=3.0, description=about
    )
    for number, mentions in book.kips.items():
        kip = all_kips()[number]
        if not has_page(kip, mentions):
            continue
        root = root_of(kip.place)
        # Sorted by the order in which the kinds are collected; within a kind, the order stays.
        kinds = list(dict.fromkeys(each.kind for each in mentions))
        sections = [
            (kind, list(group))
            for kind, group in groupby(
                sorted(mentions, key=lambda each: kinds.index(each.kind)), lambda each: each.kind
            )
        ]
        html = render(
            "kip.html.jinja",
            root=root,
            kip=kip,
            sections=sections,
            outside=partial(outside, root=root),
            link=partial(book.mentions.linked, root=root, without=kip.name),
        )
        headings = tuple(Heading(kind, anchor(kind), 2) for kind, _ in sections)
        yield Page(
            kip.place, f"{kip.name}: {kip.title}", html, headings, boost=0, description=kip.summary
        )
