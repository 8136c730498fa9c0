"""The page that lists the files of a site that programs read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirebook.docgen import schemas
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, SnapshotRecord
from wirebook.docgen.render.data.releases import release_place
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.page import Heading, Page, root_of

PLACE = "data/"


@dataclass(frozen=True, slots=True)
class LinkExample:
    """Names of an API of the protocol, as examples of links: a version, a field and its label."""

    api: str
    version: str
    field: str


def data_page(
    snapshots: Sequence[SnapshotRecord],
    documents: Sequence[ApiDocument],
    protocol: ProtocolRecord,
    *,
    names: Iterable[str],
    has_errors: bool,
) -> Page:
    """Every document and table of the site with its address and its schema, one of `names`."""
    html = render(
        "data.html.jinja",
        root=root_of(PLACE),
        protocol=protocol,
        folder=RELEASES,
        releases=[(snapshot.name, release_place(snapshot.name)) for snapshot in reversed(snapshots)],
        schemas=[(name, *schemas.title(name), schemas.place(name)) for name in names],
        place_of=schemas.place,
        example=_example(documents),
        has_errors=has_errors,
    )
    headings = (
        Heading("Documents and tables", "documents", 2),
        Heading("One release", "releases", 2),
        Heading("Links from other documentation", "inventory", 2),
        Heading("JSON Schemas", "schemas", 2),
    )
    about = "Everything on this site as JSON and CSV, at addresses that do not change."
    return Page(PLACE, "Data", html, headings, boost=2.0, description=about)


def _example(documents: Sequence[ApiDocument]) -> LinkExample | None:
    """Of the second API with a field in a struct, or of any with a field: what links to it look like."""
    examples = []
    for document in documents:
        message = document.messages[0]
        if document.is_api and message.versions and message.fields:
            field = min(message.fields, key=lambda field: "." not in field.path)
            version = f"{document.api}.v{max(message.versions)}"
            examples.append(LinkExample(document.api, version, f"{message.name}.{field.path}"))
    return examples[min(1, len(examples) - 1)] if examples else None
