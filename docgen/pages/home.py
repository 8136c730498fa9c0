"""What the home page shows of a book: the way to the search, every API, and the newest changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from markupsafe import Markup

from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.groups import apis_by_group, listed
from wirebook.docgen.pages.stories import Story, stories


def home(book: Book, *, with_title: bool = False) -> Markup:
    """The home page below its own text; `with_title` for a protocol without a hand-written one."""
    return render(
        "home.html.jinja",
        root="./",
        book=book,
        with_title=with_title,
        by_group=apis_by_group(book.index) if book.has_embedded else listed(book.index),
        changes=list(islice(_newest_changes(book), 3)),
    )


def _newest_changes(book: Book) -> Iterator[tuple[SnapshotRecord, list[Story]]]:
    """The releases that changed something, newest first, with what they changed. Of Kafka, only
    requests and responses count: its other messages are internal to brokers."""
    for snapshot in reversed(book.snapshots):
        apis, others = stories(snapshot, book.index)
        if news := apis if book.has_embedded else [*apis, *others]:
            yield snapshot, news
