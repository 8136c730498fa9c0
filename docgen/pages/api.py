"""The page of an API, or of another message with all of its versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from wirebook.docgen.catalog.records import UNRELEASED, ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.flows import flows_of
from wirebook.docgen.pages.hexview import FRAME_TYPE
from wirebook.docgen.pages.page import Page, root_of
from wirebook.docgen.pages.removals import reasons_of
from wirebook.docgen.pages.shipped import shipped
from wirebook.docgen.pages.version import Section, choices, page_errors, sections, version_pages
from wirebook.docgen.pages.wording import event_words, lifecycle_words, runs
from wirebook.specs.versions import counted

_USE = {
    "sender": "Sender and receiver",
    "preconditions": "Preconditions",
    "ordering": "Order and retries",
    "limits": "Limits",
    "authorization": "Authorization",
}


def pages(book: Book) -> Iterator[Page]:
    """The pages of all APIs and other messages, each with those of its versions."""
    for document in book.with_page:
        made = list(sections(document, book))
        yield api_page(document, book, made)
        yield from version_pages(document, book, made)


def api_page(document: ApiDocument, book: Book, made: Sequence[Section]) -> Page:
    """The page of an API; or of another message, which has all versions on one page."""
    path, protocol = f"api/{document.slug}/", book.protocol
    root = root_of(path)
    has_pages = book.has_version_pages(document)
    newest = next((section for section in made if section.number == document.newest_stable), None)
    newest = newest or next(iter(made), None)
    key = book.keys.get(document.slug)
    use = [(title, text) for name, title in _USE.items() if (text := getattr(document.use, name))]
    errors = page_errors(document, book)
    removed = []
    for message in document.messages:
        for each in message.fields:
            if each.removed:
                events = [event_words(event) for event in each.events if event.event != "ended"]
                removed.append((message.name, each, "; ".join(events)))
    presence = {each.snapshot: each for each in document.presence}
    now = presence.get(book.released[-1].name, document.presence[-1])
    return book.page(
        "api.html.jinja",
        path,
        document.api,
        _description(document),
        protocol=protocol,
        document=document,
        sections=made,
        newest=newest,
        shown=[newest] if has_pages and newest else made,
        has_pages=has_pages,
        choices=choices(document, book) if has_pages else (),
        releases=_by_release(document, book),
        frame=FRAME_TYPE,
        has_headers=any(
            part.form.header_version is not None for each in made for part in each.parts
        ),
        events=lifecycle_words(document.lifecycle),
        current=now.versions,
        unstable=now.unstable,
        unreleased=[each.number for each in reversed(made) if each.state == UNRELEASED],
        key=key,
        key_sections=[] if key is None else list(islice(sections(key, book), 1)),
        use=use,
        advisories=[each for each in book.advisories if each[1] is document],
        errors=errors,
        removed=removed,
        chapters=shipped("chapters.json").get(document.api, ()) if protocol.family else (),
        flows=flows_of(document.api) if protocol.family and document.is_api else (),
        removals=[
            (removal, counted(versions)) for removal, versions in reasons_of(document, protocol)
        ],
        source=book.sources.spec,
        link=book.linker(document, root),
    )


def _by_release(document: ApiDocument, book: Book) -> list[tuple[str, str]]:
    """The releases with the same versions, and these; newest first."""
    return runs((name, str(versions)) for name, versions in book.serving(document))[::-1]


def _description(document: ApiDocument) -> str:
    """What search engines and previews of links show: the key, the versions, and what it is for."""
    versions = document.presence[-1].versions
    has_key = document.is_api and document.api_key is not None
    facts = [f"API key {document.api_key}"] if has_key else []
    if versions != "none":
        facts.append(f"version{'' if versions.isdigit() else 's'} {versions}")
    about = document.purpose.split("\n")[0]
    head = f"{document.api}: {', '.join(facts)}. " if facts else ""
    return f"{head}{about}"[:200].rstrip()
