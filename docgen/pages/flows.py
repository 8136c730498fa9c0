"""The pages of flows: how APIs follow one another, with the bytes of a real exchange."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from markupsafe import Markup

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.sources import cited_parts
from wirebook.docgen.pages.worked import explained, framed
from wirebook.specs.kafka.flows import Flow, FlowMessage, all_flows
from wirebook.specs.kafka.releases import known_releases


def pages(book: Book) -> Iterator[Page]:
    """The list of Kafka's flows, and a page for each. Raises InputError for an invalid file."""
    if not book.has_embedded:
        return
    flows = all_flows()
    about = (
        "How clients use several APIs together, each as a state machine with rules and recorded "
        "bytes."
    )
    yield book.page(
        "flows.html.jinja",
        "flows/",
        "Flows",
        about,
        ("state machine", "sequence"),
        section="Guide",
        after="first-client.md",
        flows=flows,
    )
    for previous, flow, following in zip((None, *flows), flows, (*flows[1:], None), strict=False):
        yield book.page(
            "flow.html.jinja",
            flow.place,
            flow.title,
            flow.summary,
            flow=flow,
            bytes_of=_bytes,
            release=known_releases().verified,
            source_of=cited_parts,
            previous=previous,
            next=following,
        )


@cache
def flows_of(api: str) -> tuple[Flow, ...]:
    """The flows in which an API takes part."""
    return tuple(flow for flow in all_flows() if api in flow.apis)


def _bytes(message: FlowMessage, number: int) -> Markup:
    """All bytes of a recorded message, with its number on the page, which makes it unique there:
    screen readers list such boxes by their names."""
    layout = message.layout
    caption = f"Message {number}, {layout.name} {layout.version}: {len(message.frame)} bytes"
    return explained(f"m{number}", caption, framed(layout, message.frame))
