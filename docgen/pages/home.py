"""What the home page shows of a book: the way to the search, every API, and the newest changes."""

from __future__ import annotations

from markupsafe import Markup

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.groups import grouped, kind_title
from wirebook.docgen.pages.stories import Story, stories


def home(book: Book, *, with_title: bool = False) -> Markup:
    """The home page below its own text; `with_title` for a protocol without a hand-written one."""
    apis = sorted((row for row in book.index if row.is_api), key=lambda row: key_order(row.api_key))
    groups = grouped(apis)
    others = [
        row
        for row in book.index
        if not row.is_api and (row.is_of_own_type or not book.has_embedded)
    ]
    for row in sorted(others, key=lambda row: key_order(row.api_key)):
        groups.setdefault(kind_title(row.kind), []).append(row)
    released = [each for each in book.snapshots if each.kind != "source"] or book.snapshots
    return render(
        "home.html.jinja",
        root="./",
        protocol=book.protocol,
        with_title=with_title,
        by_group=groups,
        apis=apis,
        others=[row for row in book.index if not row.is_api],
        released=released,
        changes=_newest_changes(book, 3),
        examples=_examples(book),
    )


def _newest_changes(book: Book, count: int) -> list[tuple[SnapshotRecord, list[Story]]]:
    """The newest releases that changed something, with what they changed.

    Of Kafka, only requests and responses count: its other messages are internal to brokers.
    """
    changed: list[tuple[SnapshotRecord, list[Story]]] = []
    for snapshot in reversed(book.snapshots):
        apis, others = stories(snapshot, book.index)
        news = apis if book.has_embedded else [*apis, *others]
        if news and len(changed) < count:
            changed.append((snapshot, news))
    return changed


def _examples(book: Book) -> list[str]:
    """What a reader may search for: an API with a version, a key, and what only an embedded
    protocol has."""
    if book.has_embedded:
        return ["Fetch 12", "Fetch 2.8", "key 18", "topic_id", "error 35", "KIP-516"]
    apis = [row for row in book.index if row.is_api and row.newest_stable is not None]
    examples = [f"{api.api} {api.newest_stable}" for api in apis[:1]]
    return [*examples, *(f"key {api.api_key}" for api in apis[-1:] if api.api_key is not None)]
