"""The pages of releases: what clients must do, what changed, and versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from wirebook.docgen.catalog.records import (
    UNRELEASED,
    ApiDocument,
    SnapshotRecord,
    VersionRecord,
)
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.features import features_of
from wirebook.docgen.pages.links import release_page
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.removals import removed_by_reason
from wirebook.docgen.pages.stories import stories
from wirebook.docgen.pages.wording import change_text
from wirebook.specs.kafka.brokers import kafka_releases

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
        return change_text(self.record) or (self.document.purpose if self.first else "")


def is_for_clients(document: ApiDocument) -> bool:
    """Whether clients send it: not if only controllers serve it, or only brokers are authorized."""
    served = not document.listeners or _CLIENT_LISTENER in document.listeners
    return served and not document.use.authorization.startswith(_BETWEEN_NODES)


def new_versions(book: Book) -> dict[str, list[NewVersion]]:
    """The versions that each release but the first one is the first to serve as stable."""
    found: dict[str, list[NewVersion]] = {each.name: [] for each in book.snapshots}
    for document in sorted(book.apis, key=attrgetter("api")):
        if not book.has_embedded or is_for_clients(document):
            served = document.presence[0].stable
            for there in document.presence[1:]:
                first = not served
                for record in reversed(document.versions):
                    if record.version in there.stable - served:
                        found[there.snapshot].append(NewVersion(document, record, first))
                        first = False
                served |= there.stable
    return found


def pages(book: Book) -> Iterator[Page]:
    """The list of the releases, and a page for each."""
    yield book.page("snapshots.html.jinja", "releases/", "Releases", section="Releases")
    new = new_versions(book)
    around = (None, *book.snapshots, None)
    for number, snapshot in enumerate(book.snapshots):
        yield _release(book, snapshot, new[snapshot.name], around[number], around[number + 2])


def _release(
    book: Book,
    snapshot: SnapshotRecord,
    new: list[NewVersion],
    previous: SnapshotRecord | None,
    following: SnapshotRecord | None,
) -> Page:
    served = [(row, snapshot.apis[row.slug]) for row in book.index if row.slug in snapshot.apis]
    apis_changed, others_changed = stories(snapshot, book.index)
    added = {error.name for error in snapshot.errors} if previous else set()
    name = snapshot.name
    levels = [level for level in book.levels if level.snapshot == name]
    title = f"Release {name}" if snapshot.kind == "release" else f"The protocol of {name}"
    return book.page(
        "release.html.jinja",
        release_page(name),
        "Unreleased" if name == UNRELEASED else title,
        f"What changed in the protocol with {name}, and which versions its "
        f"{book.protocol.server}s serve.",
        unreleased=name == UNRELEASED,
        snapshot=snapshot,
        apis_changed=apis_changed,
        others_changed=others_changed,
        reasons=list(removed_by_reason(snapshot, book.protocol)),
        new=new,
        errors=[error for error in book.errors if error.name in added],
        advisories=[each for each in book.advisories if each[0].concerns(snapshot.release or name)],
        levels=levels,
        features=features_of(name, levels[-1].version) if book.has_embedded and levels else "",
        served=served,
        # Specs have only the current name of an API.
        former=kafka_releases().former if book.has_embedded else {},
        previous=previous,
        next=following,
    )
