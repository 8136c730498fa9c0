"""The error codes: what happened, whether a retry helps, since when, and where."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page, root_of
from wirebook.specs.kafka.registry import embedded_errors

# The guide for error 35, which clients also report without having received it.
_UNSUPPORTED = Markup(
    ' <a href="{root}client-messages/#node-does-not-support">When a client reports it, and what'
    ' to do</a>. <a href="{root}unsupported/">What brokers do with unsupported requests</a>.'
)


def pages(book: Book) -> Iterator[Page]:
    """The page of the codes, of a protocol that has any."""
    path = "errors/"
    link = book.link(path)
    guides = {}
    if book.has_embedded:
        guides["UNSUPPORTED_VERSION"] = _UNSUPPORTED.format(root=root_of(path))
    if book.errors or book.has_embedded:
        yield book.page(
            "errors.html.jinja",
            path,
            "Error codes",
            section="Protocol",
            errors=sorted(book.errors, key=lambda error: error.code),
            dated=book.has_embedded or any(error.first_release for error in book.errors),
            listed=book.error_table not in (None, embedded_errors()),
            link=lambda text, name: link(text, without=name) + guides.get(name, Markup("")),
        )
