"""The page of the structs that several specs share, each with its users; none without any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.docgen.catalog.shared_structs import StructRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.page import Heading, Page, root_of

PATH = "structs/"


def struct_pages(book: Book) -> Iterator[Page]:
    """The page of shared structs, if there are some."""
    structs, root = book.catalog.structs, root_of(PATH)
    if not structs:
        return
    named: dict[str, list[StructRecord]] = {}
    for struct in structs:
        named.setdefault(struct.name, []).append(struct)
    html = render(
        "structs.html.jinja",
        root=root,
        structs=structs,
        slugs={message.name: each.slug for each in book.documents for message in each.messages},
        meant=lambda name, struct: _meant(named.get(name, ()), struct),
        link=lambda text: book.mentions.linked(text, root),
    )
    headings = tuple(Heading(struct.name, struct.slug, 2) for struct in structs)
    yield Page(PATH, "Shared structs", html, headings, boost=2.0)


def _meant(same: Sequence[StructRecord], user: StructRecord) -> StructRecord | None:
    """The struct of several of one name that a field of another can be: that of its file, or the
    only one."""
    own = [struct for struct in same if struct.path == user.path]
    return (own or same)[0] if len(own or same) == 1 else None
