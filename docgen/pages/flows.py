"""The pages of flows: how APIs follow one another, with the bytes of a real exchange."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count

from markupsafe import Markup

from wirebook.docgen.pages.mentions import Mentions
from wirebook.docgen.pages.page import Page, page_of, root_of
from wirebook.docgen.pages.sources import cited_parts
from wirebook.docgen.pages.worked import explained, framed
from wirebook.specs.kafka.flows import Flow, FlowMessage, all_flows
from wirebook.specs.kafka.releases import known_releases


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A recorded message on a page: the values that matter, and all of its bytes."""

    id: str
    message: FlowMessage
    values: Sequence[tuple[str, str]]
    bytes: Markup

    @property
    def title(self) -> str:
        """The message with its version: "JoinGroup request 7"."""
        layout = self.message.layout
        return f"{layout.api} {layout.type} {layout.version}"


def flow_pages(mentions: Mentions) -> Iterator[Page]:
    """The list of the flows, and a page for each. Raises InputError for an invalid file."""
    flows = all_flows()
    about = (
        "How clients use several APIs together, each as a state machine with rules and recorded "
        "bytes."
    )
    words = ("state machine", "sequence")
    yield page_of("flows.html.jinja", "flows/", "Flows", about, words, flows=flows)
    for previous, flow, following in zip((None, *flows), flows, (*flows[1:], None), strict=False):
        yield page_of(
            "flow.html.jinja",
            flow.place,
            flow.title,
            flow.summary,
            flow=flow,
            shown=_shown(flow),
            release=known_releases().verified,
            source_of=cited_parts,
            link=partial(mentions.linked, root=root_of(flow.place)),
            previous=previous,
            next=following,
        )


@cache
def flows_of(api: str) -> tuple[Flow, ...]:
    """The flows in which an API takes part."""
    return tuple(flow for flow in all_flows() if api in flow.apis)


def _shown(flow: Flow) -> list[list[ShownMessage]]:
    """The messages of each step; their numbers are those on the page."""
    numbers = count(1)
    return [[shown_message(each, next(numbers)) for each in step.messages] for step in flow.steps]


def shown_message(message: FlowMessage, number: int) -> ShownMessage:
    """A recorded message, with its number on the page."""
    own, layout = f"m{number}", message.layout
    # The number makes it unique on the page: screen readers list such boxes by their names.
    caption = f"Message {number}, {layout.name} {layout.version}: {len(message.frame)} bytes"
    values = [
        (path, json.dumps(value, ensure_ascii=False)) for path, value in message.values.items()
    ]
    shown = explained(own, caption, framed(layout, message.frame))
    return ShownMessage(own, message, values, shown)
