"""What the search of a site finds: APIs, versions, fields, error codes, releases, pages and their
sections.

search.js ranks the answers with the library MiniSearch, and computes what follows from a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from typing import Any, NamedTuple

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, SnapshotRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.links import anchor, version_anchor
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.shipped import shipped
from wirebook.docgen.pages.types import shown_groups
from wirebook.docgen.pages.wording import change_text
from wirebook.rules.catalogue import all_rules
from wirebook.specs.kafka.advisories import advisories_of
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.kafka.texts import all_aliases, exception_of
from wirebook.specs.printable import visible
from wirebook.specs.versions import VersionSet

# Pages about one thing, which have an entry of their own.
_OWN = re.compile(r"(?:api|releases|kips)/.")
_LONGEST_DETAIL = 100
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"(?:KIP|KAFKA)-\d+|[^\W_]+", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=\w\w[^s])s$")
_HEADING = re.compile(r'<h[23]\b([^>]*?\bid="([^"]*)"[^>]*)>(.*?)</h[23]>', re.DOTALL)
# What is left out: elements without words, and, as in Material, those with an attribute. None of
# these is inside another one of the same name.
_HIDDEN = re.compile(
    r"<(script|style|svg)\b.*?</\1>|<(\w+)\b[^>]*\bdata-search-exclude\b.*?</\2>"
    r'|<a\b[^>]*\bclass="headerlink".*?</a>|<!--.*?-->|<[^>]*>',
    re.DOTALL,
)


class Entry(NamedTuple):
    """What is found by one of its `names` (its title if there are none) or by the words of `text`.
    `page` is the address of its page as docgen.pages writes it, `weight` is from 0 to 50."""

    kind: str
    title: str
    page: str
    anchor: str = ""
    detail: str = ""
    names: tuple[str, ...] = ()
    weight: int = 0
    text: str = ""


def search_data(book: Book, pages: Iterable[Page], urls: Mapping[str, str]) -> dict[str, Any]:
    """What search.js reads: the entries, and tables for what needs more than words ("Fetch 2.8",
    "key 18"), with pages by number.

    `pages` are those of the site, `urls` their URLs by address.
    """
    numbers: dict[str, int] = {}

    def number(page: str) -> int:
        return numbers.setdefault(urls[page], len(numbers))

    others = _aliases() if book.has_embedded else {}
    apis: list[dict[str, Any]] = []
    fields: list[list[Any]] = []
    for place, document in enumerate(book.with_page):
        page = number(f"api/{document.slug}/")
        apis.append({**_api(document, book.snapshots, others), "page": page})
        for message in document.messages:
            fields += _fields(place, document, message, others)
    releases = [
        [each.name, number(f"releases/{snapshot_slug(each.name)}/")] for each in book.snapshots
    ]
    kinds: dict[str, list[list[Any]]] = {}
    for entry in entries(book, pages):
        if entry.page in urls:
            row = [_line(entry.title), number(entry.page), entry.anchor, _line(entry.detail)]
            row += [entry.weight, _words(entry.text), *entry.names]
            kinds.setdefault(entry.kind, []).append(row)
    return {
        "apis": apis,
        "fields": fields,
        "releases": releases,
        "entries": kinds,
        "pages": list(numbers),
    }


def entries(book: Book, pages: Iterable[Page]) -> Iterator[Entry]:
    """All entries of a book, and of those of the `pages` that are not about one thing of it."""
    for document in book.with_page:
        yield from _of_api(document)
        for message in document.messages:
            yield from _values(document, message)
    yield from _errors(book)
    yield from _of_book(book)
    for page in pages:
        if not _OWN.match(page.path):
            yield from _of_page(page)
    if book.has_embedded:
        yield from _embedded(book)


def _of_page(page: Page) -> Iterator[Entry]:
    """A page by its title and other names, and each section by its heading and words."""
    for place, heading, text in sections(page.html):
        if place:
            names: tuple[str, ...] = (heading, place)
            yield Entry("page", heading, page.path, place, page.title, names, 10, text)
        else:
            names = (page.title, *page.words)
            yield Entry("page", page.title, page.path, "", page.description, names, 50, text)


def sections(html: str) -> Iterator[tuple[str, str, str]]:
    """The sections of a page as (anchor, heading, text); the first, before any heading, has no
    anchor. One whose heading has the attribute data-search-exclude is left out."""
    place = heading = attributes = ""
    start = 0
    for match in _HEADING.finditer(html):
        if "data-search-exclude" not in attributes:
            yield place, heading, _text(html[start : match.start()])
        attributes, place, heading = match[1], match[2], _text(match[3])
        start = match.end()
    if "data-search-exclude" not in attributes:
        yield place, heading, _text(html[start:])


def _text(html: str) -> str:
    return " ".join(unescape(_HIDDEN.sub(" ", html)).split())


def _words(text: str) -> str:
    """The different words of a text in lower case and singular, without idle ones."""
    found = {word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))}
    singular = {_PLURAL.sub("", word) for word in found.difference(shipped("idle_words.json"))}
    return " ".join(sorted(word for word in singular if len(word) > 1 and not word.isdigit()))


def _line(text: str) -> str:
    """The beginning of a text: the index is only for finding."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST_DETAIL else f"{line[: _LONGEST_DETAIL - 1].rstrip()}\u2026"


@cache
def _aliases() -> dict[str, list[str]]:
    """The other names of Kafka's messages, error codes and fields by name, of APIs by key."""
    names: dict[str, list[str]] = {}
    for alias in all_aliases():
        names.setdefault(alias.thing, []).append(alias.name)
    for name, key in kafka_releases().keys.items():
        names.setdefault(f"key {key}", []).append(name)
    return names


def _api(
    document: ApiDocument, snapshots: Sequence[SnapshotRecord], others: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """An API or other message; `served` are runs of snapshots: first, last, versions."""
    served: list[list[Any]] = []
    for number, snapshot in enumerate(snapshots):
        there = snapshot.apis.get(document.slug)
        if there is None:
            continue
        words = "" if there.served == "none" else there.served
        for state, numbers in (("deprecated", there.deprecated), ("unstable", there.unstable)):
            words += f"; {VersionSet.of(numbers).text} {state}" if numbers else ""
        if served and served[-1][1:] == [number - 1, words]:
            served[-1][1] = number
        else:
            served.append([number, number, words])
    names = [*document.former_names, *(message.name for message in document.messages)]
    if document.is_api:
        names += [*others.get(f"key {document.api_key}", ()), *others.get(document.api, ())]
    row: dict[str, Any] = {
        "name": document.api,
        "slug": document.slug,
        "names": [name for name in dict.fromkeys(names) if name != document.api],
        "versions": [version.version for version in document.versions],
        "served": served,
        "about": _line(document.summary),
        "text": _words(document.purpose),
        "has": ["errors"] * bool(document.errors)
        + ["tags"] * any(part.tags for part in document.messages),
    }
    if document.is_api:
        row["key"] = -1 if document.api_key is None else document.api_key
    else:
        row["kind"] = document.kind
    newest = document.newest_stable
    if newest is not None and newest != document.versions[0].version:
        row["shown"] = newest
    if document.removed:
        row["removed"] = 1
    elif (last := document.presence[-1]).versions != "none":
        row["range"] = last.versions + f", {last.unstable} unstable" * (last.unstable != "none")
    return row


def _of_api(document: ApiDocument) -> Iterator[Entry]:
    """The versions of an API, and its sections with text of their own."""
    page, api = f"api/{document.slug}/", document.api
    weight = 30 if document.is_api and not document.removed else 0
    for version in document.versions:
        number = version.version
        forms = [each.versions[number] for each in document.messages if number in each.versions]
        texts = [version.about, *map(change_text, forms)]
        detail = next(filter(None, texts), "")
        if version.state != "current":
            detail = f"{version.state}. {detail}"
        text = " ".join((*texts, *version.notes, *(form.about for form in forms)))
        yield Entry("version", f"{api} {number}", page, f"v{number}", detail, (), weight, text)
    for place, words, text in (
        ("use", "How to use", " ".join(filter(None, document.use))),
        ("pitfalls", "Pitfalls of", " ".join(document.pitfalls)),
    ):
        if text:
            yield Entry("text", f"{words} {api}", page, place, document.summary, (), 0, text)


def _fields(
    number: int, document: ApiDocument, message: MessageRecord, others: Mapping[str, Sequence[str]]
) -> Iterator[list[Any]]:
    """[API, side, path, newest version with it, type, versions, tag or null, *other names] of each
    field."""
    newest: dict[str, int] = {}
    # The newest stable version is the last one.
    for version in sorted(message.versions, key=lambda at: (at == document.newest_stable, at)):
        for present in message.versions[version].layout.walk():
            newest[present.path] = version
    side = {"request": 0, "response": 1}.get(message.type, 2)
    for record in message.fields:
        if record.path in newest:
            names = others.get(f"{message.name}.{record.path}", ())
            row = [number, side, visible(record.path), newest[record.path],
                   visible(record.spec_type), record.versions]  # fmt: skip
            yield row if record.tag is None and not names else [*row, record.tag, *names]


def _values(document: ApiDocument, message: MessageRecord) -> Iterator[Entry]:
    """What the numbers of fields mean, found by the field and the number or the name ("Acks -1"). A
    name such as READ_COMMITTED finds its value without the field; GROUP would be in the way of
    others."""
    number = document.newest_stable
    if number is None or number not in message.versions:
        return
    paths = {each.path for each in message.versions[number].layout.walk()}
    for record in message.fields:
        name = record.path.rpartition(".")[2]
        place = version_anchor(number, message.type, record.path)
        for value in record.values.at(number).listed if record.path in paths else ():
            names = [f"{name} {value.value}", f"{name} {value.name}"]
            names += [value.name] if "_" in value.name or "-" in value.name else []
            title, about = f"{name} {value.value}: {value.name}", f"{message.name}. {value.meaning}"
            yield Entry("value", title, f"api/{document.slug}/", place, about, tuple(names))


def _errors(book: Book) -> Iterator[Entry]:
    """The error codes; `printed` are by code the words of what clients print for it, one entry for
    each message of a client."""
    others, printed = (_aliases(), shipped("error_words.json")) if book.has_embedded else ({}, {})
    for error in book.errors:
        retriable = "Retriable" if error.retriable else "Not retriable"
        names = [error.name, *error.former_names]
        if others:
            names += map(exception_of, (error.name, *error.former_names))
            names += (*others.get(error.name, ()), *printed.get(error.name, ()))
        formerly = f", formerly {', '.join(error.former_names)}" if error.former_names else ""
        yield Entry("error", f"{error.name} ({error.code})", "errors/", anchor(error.name),
                    f"{retriable}{formerly}. {error.about}", tuple(dict.fromkeys(names)), 20,
                    error.about)  # fmt: skip


def _of_book(book: Book) -> Iterator[Entry]:
    """Levels, types, rules, groups of APIs, and the keys of records, which are on another page."""
    for level in book.levels:
        yield Entry("level", level.version, "levels/", f"id-{level.id}", level.about, weight=10)
    for group in shown_groups(book.is_of_family).values():
        for each in group:
            place = anchor(each["name"])
            yield Entry("type", each["name"], "types/", place, each["bytes"], weight=20)
    for rule in all_rules(book.is_of_family):
        yield Entry("rule", rule.name, "rules/", rule.name, rule.summary)
    groups: dict[str, list[str]] = {}
    for document in book.with_page:
        if document.is_api and document.group:
            groups.setdefault(document.group, []).append(document.api)
    for name, apis in groups.items():
        yield Entry("page", f"APIs: {name}", "api/", anchor(name), ", ".join(apis), (name,), 50)
    for slug, key in book.keys.items():
        yield Entry("message", key.api, f"api/{slug}/", "key", key.purpose, (), 5)


def _embedded(book: Book) -> Iterator[Entry]:
    """Proposals, issues, and words for what has another name or none of its own."""
    for number, place in book.kip_places.items():
        page, _, row = place.partition("#")
        kip = all_kips()[number]
        names: tuple[str, ...] = (kip.name, kip.title)
        title = f"{kip.name}: {kip.title}"
        yield Entry("kip", title, page, row, kip.summary, names, 50, kip.summary)
    for document in book.with_page:
        for advisory in advisories_of(document.api):
            for issue in advisory.issues:
                title, page = f"{issue}: {document.api}", f"api/{document.slug}/"
                yield Entry("issue", title, page, "problems", advisory.problem, (issue,), 10)
    for subject in shipped("subjects.json"):
        title, about, names = subject["title"], subject["about"], subject["names"]
        page, place = subject["page"], subject["anchor"]
        yield Entry("page", title, page, place, about, (title, *names), 52)
