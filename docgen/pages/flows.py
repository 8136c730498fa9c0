"""The pages of flows: how the APIs of a protocol follow one another, with the bytes of a real
exchange."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from markupsafe import Markup

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.mentions import Mentions
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.sources import cited_parts
from wirebook.docgen.pages.worked import explained, framed
from wirebook.specs.kafka.flows import Flow, FlowMessage, FlowStep, all_flows
from wirebook.specs.kafka.releases import known_releases

FOLDER = "flows/"


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A recorded message as a page shows it: its values that matter as text, and all of its
    bytes."""

    id: str
    message: FlowMessage
    values: Sequence[tuple[str, str]]
    bytes: Markup

    @property
    def title(self) -> str:
        """The message with its version: "JoinGroup request 7"."""
        layout = self.message.layout
        return f"{layout.api} {layout.type} {layout.version}"


class ApiPages:
    """The pages of the APIs of a site, which may be that of a release that lacks some."""

    def __init__(self, documents: Iterable[ApiDocument]) -> None:
        self._versions = {
            document.api: (
                document.slug,
                frozenset(version.version for version in document.versions),
            )
            for document in documents
            if document.is_api
        }

    def api(self, name: str) -> str:
        """The address of the page of an API from the root; "" if there is none."""
        return f"api/{self._versions[name][0]}/" if name in self._versions else ""

    def version(self, name: str, version: int) -> str:
        """The address of the page of a version in bytes; "" if there is none."""
        slug, versions = self._versions.get(name, ("", frozenset()))
        return f"api/{slug}/v{version}/" if version in versions else ""


def flow_pages(mentions: Mentions, pages: ApiPages) -> Iterator[Page]:
    """The list of the flows, and a page for each. Raises InputError if a file of a flow is
    invalid."""
    flows = all_flows()
    about = (
        "How clients use several APIs together, each as a state machine with rules and recorded "
        "bytes."
    )
    html = render("flows.html.jinja", root=root_of(FOLDER), flows=flows, pages=pages)
    yield Page(
        FOLDER, "Flows", html, words=("state machine", "sequence"), boost=2.0, description=about
    )
    for position, flow in enumerate(flows):
        root = root_of(flow.place)
        html = render(
            "flow.html.jinja",
            root=root,
            flow=flow,
            shown=_shown(flow),
            release=known_releases().verified,
            source_of=cited_parts,
            pages=pages,
            steps_of=partial(_steps_of, flow),
            link=partial(mentions.linked, root=root),
            previous=flows[position - 1] if position else None,
            next=flows[position + 1] if position + 1 < len(flows) else None,
        )
        yield Page(
            flow.place, flow.title, html, _headings(flow), boost=2.0, description=flow.summary
        )


@cache
def flows_of(api: str) -> tuple[Flow, ...]:
    """The flows in which an API takes part."""
    return tuple(flow for flow in all_flows() if api in flow.apis)


def _steps_of(flow: Flow, number: int) -> list[FlowStep]:
    """The steps that take a transition."""
    return [step for step in flow.steps if number in {move.number for move in step.transitions}]


def _headings(flow: Flow) -> tuple[Heading, ...]:
    steps = [Heading(step.title, step.id, 2) for step in flow.steps]
    return (Heading("States", "states", 2), *steps)


def _shown(flow: Flow) -> Mapping[str, Sequence[ShownMessage]]:
    """The messages of each step, by its id."""
    number = 0
    steps: dict[str, list[ShownMessage]] = {}
    for step in flow.steps:
        steps[step.id] = []
        for message in step.messages:
            number += 1
            steps[step.id].append(shown_message(message, number))
    return steps


def shown_message(message: FlowMessage, number: int) -> ShownMessage:
    """A recorded message, with its number on the page."""
    own = f"m{number}"
    layout = message.layout
    parts = framed(layout, message.frame)
    # The number makes it unique on the page: screen readers list such boxes by their names.
    caption = f"Message {number}, {layout.name} {layout.version}: {len(message.frame)} bytes"
    values = [
        (path, json.dumps(value, ensure_ascii=False)) for path, value in message.values.items()
    ]
    return ShownMessage(own, message, values, explained(own, caption, parts))
