"""A release on one page, for print: every API in its newest version, with its fields in wire order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.order import key_order, release_line
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, MessageVersion, SnapshotRecord
from wirebook.docgen.catalog.rows import snapshot_slug
from wirebook.docgen.render.kit.environment import default_word, render
from wirebook.docgen.render.kit.field_table import TableRow, field_rows
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.links import Ids
from wirebook.docgen.render.kit.page import Page, root_of
from wirebook.docgen.render.markdown.text import escaped
from wirebook.specs.versions import VersionSet


@dataclass(frozen=True, slots=True)
class PrintedMessage:
    """A message at the version of its API; `differs` is whether the release had another schema of it."""

    record: MessageRecord
    version: MessageVersion
    rows: Sequence[TableRow]
    differs: bool


@dataclass(frozen=True, slots=True)
class PrintedApi:
    """An API with the versions that the release serves, in the newest of them."""

    document: ApiDocument
    served: str
    number: int
    messages: Sequence[PrintedMessage]


def printed(snapshots: Sequence[SnapshotRecord]) -> list[SnapshotRecord]:
    """The snapshots that have a page for print: the newest of all, and of each major line.

    A page for every release would be a quarter of the site, and what differs is on the page of the release.
    """
    last: dict[object, SnapshotRecord] = {}
    for snapshot in snapshots:
        line = release_line(snapshot)
        if line is not None:
            last[line[0]] = snapshot
    names = {snapshot.name for snapshot in (*last.values(), *snapshots[-1:])}
    return [snapshot for snapshot in snapshots if snapshot.name in names]


def print_pages(
    documents: Sequence[ApiDocument], snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord
) -> Iterator[Page]:
    """A page for each of the printed snapshots, below its own."""
    by_slug = {document.slug: document for document in documents if document.is_api}
    for snapshot in printed(snapshots):
        path = f"{RELEASES}{snapshot_slug(snapshot.name)}/print/"
        apis = sorted(_apis(by_slug, snapshot), key=lambda item: _key(item.document))
        html = render(
            "print.html.jinja",
            root=root_of(path),
            protocol=protocol,
            snapshot=snapshot,
            apis=apis,
        )
        title = f"Release {snapshot.name} on one page"
        about = f"Every API of {snapshot.name} in its newest version, on one page for print."
        text = "\n\n".join(_markdown(title, apis)) + "\n"
        yield Page(path, title, html, boost=0, description=about, listed=False, markdown=text)


def _key(document: ApiDocument) -> tuple[float, str]:
    return key_order(document.api_key), document.api


def _apis(documents: Mapping[str, ApiDocument], snapshot: SnapshotRecord) -> Iterator[PrintedApi]:
    for slug, in_snapshot in snapshot.apis.items():
        document = documents.get(slug)
        versions = VersionSet.parse(in_snapshot.served)
        if document is None or not versions:
            continue
        number = max(versions)
        ids = Ids()
        messages = [
            PrintedMessage(
                message,
                version,
                list(field_rows(version.layout, {}, "", ids)),
                any(snapshot.name in variant.snapshots for variant in version.variants),
            )
            for message in document.messages
            if (version := message.versions.get(number)) is not None
        ]
        yield PrintedApi(document, in_snapshot.served, number, messages)


def _markdown(title: str, apis: Sequence[PrintedApi]) -> Iterator[str]:
    yield f"# {escaped(title)}"
    for api in apis:
        key = "" if api.document.api_key is None else f" (API key {api.document.api_key})"
        name = escaped(api.document.api)
        yield f"## [{name}](../../../api/{api.document.slug}/){key}"
        yield f"Versions {api.served}. Schema of version {api.number}."
        for message in api.messages:
            head = message.version.header_version
            yield f"### {escaped(message.record.name)}{'' if head is None else f', header v{head}'}"
            rows = ["| Field | Type | Null | Default | Tag |", "|---|---|---|---|---|"]
            rows += [_row(row) for row in message.rows]
            yield "\n".join(rows) if message.rows else "No fields: the body is empty."


def _row(row: TableRow) -> str:
    field = row.field
    if field is None:
        return f"| tagged fields of {escaped(row.parents) or 'the message'} | TAG_BUFFER | | | |"
    kind = f"{field.type} of {field.element}" if field.element else field.type
    tag = "" if field.tag is None else str(field.tag)
    null = "yes" if field.nullable else ""
    return f"| {escaped(field.path)} | {escaped(kind)} | {null} | {escaped(default_word(field))} | {tag} |"
