"""What the footer says: what the site was built from, and whose trademarks it names."""

from __future__ import annotations

from html import escape

from mkdocs.utils import get_build_date

from wirebook.docgen.pages.book import Book
from wirebook.specs.kafka.origins import release_commit
from wirebook.specs.printable import visible

_KAFKAS = (
    " Apache, Apache Kafka and Kafka are trademarks of The Apache Software Foundation, which does "
    "not endorse this site."
)


def built_from(book: Book) -> str:
    """The sentences of the footer, as HTML."""
    tool = book.manifest.tool
    first = book.snapshots[0]
    last = book.snapshots[-1]
    words = first.name if first is last else f"{first.name} to {last.name}"
    if last.commit:
        words += f" (commit {last.commit[:12]})"
    text = f"Built on {get_build_date()} by {tool.name} {tool.version} from {words}."
    # The newest release that the descriptions were compared with.
    verified = next((each.verified for each in book.documents if each.verified), "")
    if verified:
        commit = release_commit(verified)[:12]
        text += f" The descriptions were compared with Apache Kafka {verified} (commit {commit})."
    if book.has_embedded:
        text += _KAFKAS
    return escape(visible(text))
