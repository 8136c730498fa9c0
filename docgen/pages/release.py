"""The pages of releases: what client authors must do, what changed, protocol levels, and
versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import ApiDocument, SnapshotRecord, VersionRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.folders import LEVELS, RELEASES
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.removals import removed_by_reason
from wirebook.docgen.pages.stories import stories
from wirebook.specs.kafka.advisories import all_advisories
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.versions import VersionSet

_CLIENT_LISTENER = "broker"
# The operation that only nodes of a cluster are authorized for, in both of its spellings.
_BETWEEN_NODES = ("CLUSTER_ACTION", "ClusterAction")


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that a client may adopt; `first` is whether it is the first of its API."""

    document: ApiDocument
    record: VersionRecord
    first: bool

    @property
    def brings(self) -> str:
        """What it brings, in words; "" if nothing describes it."""
        record = self.record
        return (
            record.about or " ".join(record.notes) or (self.document.purpose if self.first else "")
        )


def is_for_clients(document: ApiDocument) -> bool:
    """Whether clients send it: not if only controllers serve it, or only brokers are authorized."""
    served = not document.listeners or _CLIENT_LISTENER in document.listeners
    return served and not document.use.authorization.startswith(_BETWEEN_NODES)


def new_versions(book: Book) -> dict[str, list[NewVersion]]:
    """The versions that each release is the first to serve as stable, by its name; none of the
    first one."""
    documents = [
        document
        for document in sorted(book.documents, key=lambda each: each.api)
        if document.is_api and (not book.has_embedded or is_for_clients(document))
    ]
    served: dict[str, VersionSet] = {}
    found: dict[str, list[NewVersion]] = {}
    for position, snapshot in enumerate(book.snapshots):
        found[snapshot.name] = []
        for document in documents:
            there = snapshot.apis.get(document.slug)
            now = VersionSet.NONE if there is None else VersionSet.parse(there.served)
            before = served.get(document.slug, VersionSet.NONE)
            first = not before
            for record in sorted(document.versions, key=lambda record: record.version):
                if position and record.version in now - before:
                    found[snapshot.name].append(NewVersion(document, record, first))
                    first = False
            served[document.slug] = before | now
    return found


def release_pages(book: Book) -> Iterator[Page]:
    """A page for each release, the list of them, and the list of protocol levels if there are
    some."""
    new = new_versions(book)
    for number, snapshot in enumerate(book.snapshots):
        yield _release(book, number, snapshot, new[snapshot.name])
    common = {"protocol": book.protocol, "place": RELEASES, "slug": snapshot_slug}
    html = render(
        "snapshots.html.jinja",
        root=root_of(RELEASES),
        levels=LEVELS if book.catalog.levels else "",
        snapshots=book.snapshots[::-1],
        **common,
    )
    yield Page(RELEASES, "Releases", html, boost=4.0)
    if book.catalog.levels:
        html = render(
            "levels.html.jinja",
            root=root_of(LEVELS),
            levels=book.catalog.levels[::-1],
            source=book.sources.level,
            link=lambda text: book.mentions.linked(text, root_of(LEVELS)),
            **common,
        )
        yield Page(LEVELS, f"{book.protocol.level_title}s", html, boost=1.5)


def _release(book: Book, number: int, snapshot: SnapshotRecord, new: list[NewVersion]) -> Page:
    protocol, path = book.protocol, f"{RELEASES}{snapshot_slug(snapshot.name)}/"
    root = root_of(path)
    rows = {row.slug: row for row in book.index}
    served = [(rows[slug], there) for slug, there in snapshot.apis.items() if slug in rows]
    apis, others = stories(snapshot, book.index)
    reasons = removed_by_reason(snapshot, protocol)
    levels = [level for level in book.catalog.levels if level.snapshot == snapshot.name]
    documents = {document.api: document for document in book.documents}
    codes = {error.name: error for error in book.errors}
    errors = (
        [codes[error.name] for error in snapshot.errors if error.name in codes] if number else []
    )
    advisories = [
        (advisory, documents[advisory.api])
        for advisory in (all_advisories() if book.has_embedded else ())
        if advisory.api in documents and advisory.concerns(snapshot.release or snapshot.name)
    ]
    html = render(
        "release.html.jinja",
        root=root,
        protocol=protocol,
        snapshot=snapshot,
        source=book.sources.snapshot(snapshot),
        first=_first_release(book, number, snapshot),
        apis_changed=apis,
        others_changed=others,
        reasons=reasons,
        new=new,
        errors=errors,
        advisories=advisories,
        levels=levels,
        level_place=LEVELS,
        link=lambda text: book.mentions.linked(text, root),
        rows=sorted(
            (pair for pair in served if pair[0].is_api), key=lambda pair: key_order(pair[0].api_key)
        ),
        # Specs have only the current name of an API.
        former=kafka_releases().former if book.has_embedded else {},
        other=sorted(
            (pair for pair in served if not pair[0].is_api), key=lambda pair: pair[0].slug
        ),
        place=RELEASES,
        slug=snapshot_slug,
        newest=number == len(book.snapshots) - 1,
        previous=book.snapshots[number - 1] if number else None,
        next=book.snapshots[number + 1] if number + 1 < len(book.snapshots) else None,
    )
    headings = (
        (f"What {protocol.client} authors must do", "clients", new or errors or advisories),
        ("What was removed, and why", "removed", reasons),
        ("What changed", "changes", True),
        (f"{protocol.level_title}s", "levels", levels),
        ("APIs and versions", "apis", True),
    )
    return Page(
        path,
        f"Release {snapshot.name}"
        if snapshot.kind == "release"
        else f"The protocol of {snapshot.name}",
        html,
        tuple(Heading(title, place, 2) for title, place, is_present in headings if is_present),
        boost=0,
        description=f"What changed in the protocol with {snapshot.name}, and which versions its "
        f"{protocol.server}s serve.",
    )


def _first_release(book: Book, number: int, snapshot: SnapshotRecord) -> str:
    """What the first release of a protocol of its own has, in words; "" for any other snapshot.

    The history of Kafka, and of what derives from it, begins before its first specs.
    """
    if book.protocol.headers or number:
        return ""
    apis = sum(row.is_api for row in book.index if row.slug in snapshot.apis)
    counts = ((apis, "API"), (len(snapshot.apis) - apis, "other message"))
    parts = [f"{count} {what}{'s' if count > 1 else ''}" for count, what in counts if count]
    return f"First release with specs: {' and '.join(parts)}." if parts else ""
