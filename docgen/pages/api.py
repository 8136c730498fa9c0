"""The page of an API, or of another message with all of its versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.flows import flows_of
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.removals import reasons_of, removed_words
from wirebook.docgen.pages.shipped import shipped
from wirebook.docgen.pages.version import Section, choices, page_errors, sections, version_pages
from wirebook.docgen.pages.wording import lifecycle_words, runs
from wirebook.specs.versions import VersionSet, counted

# The titles of the texts in a UseText.
_USE = ("Sender and receiver", "Preconditions", "Order and retries", "Limits", "Authorization")


def pages(book: Book) -> Iterator[Page]:
    """The pages of all APIs and other messages, each with those of its versions."""
    for document in book.with_page:
        made = list(sections(document, book))
        yield api_page(document, book, made)
        yield from version_pages(document, book, made)


def api_page(document: ApiDocument, book: Book, made: Sequence[Section]) -> Page:
    """The page of an API; or of another message, which has all versions on one page."""
    path = f"api/{document.slug}/"
    protocol = book.protocol
    has_pages = book.has_version_pages(document)
    newest = [section for section in made if section.number == document.newest_stable] or made[:1]
    key = book.keys.get(document.slug)
    fields = [(message, field) for message in document.messages for field in message.fields]
    presence = {each.snapshot: each for each in document.presence}
    return book.page(
        "api.html.jinja",
        path,
        document.api,
        _description(document),
        document=document,
        sections=made,
        shown=newest if has_pages else made,
        has_pages=has_pages,
        choices=choices(document, book) if has_pages else (),
        releases=runs(book.serving(document).items())[::-1],
        has_headers=any(
            part.form.header_version is not None for each in made for part in each.parts
        ),
        events=lifecycle_words(document.lifecycle),
        now=presence.get(book.released[-1].name, document.presence[-1]),
        key=key,
        key_sections=list(islice(sections(key, book), 1)) if key else (),
        use=zip(_USE, document.use, strict=True),
        errors=page_errors(document, book),
        removed=[(message, field) for message, field in fields if field.removed],
        chapters=shipped("chapters.json").get(document.api, ()) if protocol.family else (),
        flows=flows_of(document.api) if protocol.family else (),
        removals=[
            (removal, removed_words(document, versions))
            for removal, versions in reasons_of(document, protocol)
        ],
        link=book.linker(document, path),
    )


def _description(document: ApiDocument) -> str:
    """What search engines and previews of links show: the key, the versions, and what it is for."""
    versions = document.presence[-1].versions
    facts = []
    if document.is_api and document.api_key is not None:
        facts.append(f"API key {document.api_key}")
    if versions != "none":
        facts.append(counted(VersionSet.parse(versions)))
    about = document.purpose.split("\n")[0]
    if facts:
        about = f"{document.api}: {', '.join(facts)}. {about}"
    return about[:200].rstrip()
