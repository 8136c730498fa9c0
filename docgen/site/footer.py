"""What the footer of the theme says: what the site was built from, and whose trademarks it
names."""

from __future__ import annotations

from html import escape

from mkdocs.utils import get_build_date

from wirebook.docgen.pages.book import Book
from wirebook.specs.kafka.origins import release_commit
from wirebook.specs.printable import visible

_KAFKAS = (
    "Apache, Apache Kafka and Kafka are trademarks of The Apache Software Foundation, which does "
    "not endorse "
    "this site."
)


def built_from(book: Book) -> str:
    """The sentences of the footer, as HTML."""
    tool = book.catalog.manifest.tool
    words = f"Built on {get_build_date()} by {tool.name} {tool.version} from {_sources(book)}."
    return escape(visible(f"{words}{_compared(book)}{f' {_KAFKAS}' if book.has_embedded else ''}"))


def _sources(book: Book) -> str:
    """What the catalog was made from: releases, and the commit of the newest."""
    snapshots = book.snapshots
    if not snapshots:
        return "no specs"
    first, last = snapshots[0], snapshots[-1]
    commit = f" (commit {last.commit[:12]})" if last.commit else ""
    names = first.name if first is last else f"{first.name} to {last.name}"
    words = names
    if last.kind == "release":
        words = f"the {'release' if first is last else 'releases'} {names}"
    if book.has_embedded and not last.commit:
        words = f"its own specs of {words}"
    return f"{words}{commit}"


def _compared(book: Book) -> str:
    """The newest release that the descriptions were compared with; "" if there are none of ours."""
    verified = next((each.verified for each in book.documents if each.verified), "")
    if not verified:
        return ""
    whose = "" if book.has_embedded else " of Apache Kafka"
    commit = f" (commit {release_commit(verified)[:12]})"
    return f" The descriptions were compared with release {verified}{whose}{commit}."
