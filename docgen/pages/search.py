"""What the search of a site finds: APIs, versions, fields, error codes, releases, pages and their
sections.

search.js ranks the answers with the library MiniSearch, and computes what follows from a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import unescape
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from wirebook.docgen.catalog.records import ApiDocument, ApiPresence, MessageRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.groups import apis_by_group
from wirebook.docgen.pages.links import anchor, release_page, version_anchor
from wirebook.docgen.pages.page import Page, sections
from wirebook.docgen.pages.proposals import all_kips
from wirebook.docgen.pages.shipped import shipped
from wirebook.docgen.pages.types import shown_groups
from wirebook.docgen.pages.wording import version_text
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.printable import visible

_SIDES = {"request": 0, "response": 1}
# Pages about one thing, which have an entry of their own.
_OWN = re.compile(r"(?:api|releases|kips)/.")
_LONGEST_DETAIL = 100
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"(?:KIP|KAFKA)-\d+|[^\W_]+", re.IGNORECASE)
# "Authorization" and "Authentication" fail, but a class is named without that.
_SUFFIX = re.compile(r"_(?:EXCEPTION|ERROR|FAILURE|NUMBER)$|(?<=ATION)_FAILED$")
_PLURAL = re.compile(r"(?<=\w\w[^s])s$")
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

    apis: list[dict[str, Any]] = []
    fields: list[list[Any]] = []
    for place, document in enumerate(book.with_page):
        apis.append({**_api(book, document), "page": number(f"api/{document.slug}/")})
        for message in document.messages:
            fields += _fields(place, message, _others(book))
    kinds: dict[str, list[list[Any]]] = {}
    for entry in entries(book, pages):
        if entry.page in urls:
            row = [_line(entry.title), number(entry.page), entry.anchor, _line(entry.detail)]
            row += [entry.weight, _words(entry.text), *entry.names]
            kinds.setdefault(entry.kind, []).append(row)
    return {
        "apis": apis,
        "fields": fields,
        "releases": [[each.name, number(release_page(each.name))] for each in book.snapshots],
        "entries": kinds,
        "pages": list(numbers),
    }


def entries(book: Book, pages: Iterable[Page]) -> Iterator[Entry]:
    """All entries of a book, and of those of the `pages` that are not about one thing of it."""
    for document in book.with_page:
        yield from _versions(document)
        for message in document.messages:
            yield from _values(document, message)
    yield from _errors(book)
    yield from _levels_and_types(book)
    for page in pages:
        if not _OWN.match(page.path):
            yield from _of_page(page)
    yield from _groups(book)
    if book.has_embedded:
        yield from _kips(book)
        yield from _subjects()


def _of_page(page: Page) -> Iterator[Entry]:
    """A page by its title and other names, and each section by its heading and words."""
    for heading, html in sections(page.html):
        place = heading.id
        title = heading.title
        text = " ".join(unescape(_HIDDEN.sub(" ", html)).split())
        if place:
            yield Entry("page", title, page.path, place, page.title, (title, place), 10, text)
        else:
            names = (page.title, *page.words)
            yield Entry("page", page.title, page.path, "", page.description, names, 50, text)


def _words(text: str) -> str:
    """The different words of a text in lower case and singular, without idle ones."""
    found = {word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))}
    singular = {_PLURAL.sub("", word) for word in found.difference(shipped("idle_words.json"))}
    return " ".join(sorted(word for word in singular if len(word) > 1 and not word.isdigit()))


def _line(text: str) -> str:
    """The beginning of a text: the index is only for finding."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST_DETAIL else f"{line[: _LONGEST_DETAIL - 1].rstrip()}\u2026"


def _others(book: Book) -> Mapping[str, list[str]]:
    """The other names that Kafka's messages, fields, error codes and APIs have; none for other
    protocols."""
    return _aliases() if book.has_embedded else {}


@cache
def _aliases() -> Mapping[str, list[str]]:
    """The other names of Kafka's messages, error codes and fields by name, of APIs by key. An error
    code has those of its class in Java, and what clients print for it."""
    names = {name: [*others] for name, others in facts("aliases.json")["aliases"].items()}
    for name, key in kafka_releases().keys.items():
        names.setdefault(f"key {key}", []).append(name)
    for code, printed in shipped("error_words.json").items():
        names.setdefault(code, []).extend(printed)
    return names


def _api(book: Book, document: ApiDocument) -> dict[str, Any]:
    """An API or other message; `served` are runs of snapshots: first, last, versions."""
    others = _others(book)
    names = [*document.former_names, *(message.name for message in document.messages)]
    if document.slug in book.keys:
        names.append(book.keys[document.slug].api)
    if document.is_api:
        names += [*others.get(f"key {document.api_key}", ()), *others.get(document.api, ())]
    served: list[list[Any]] = []
    for words, run in groupby(enumerate(map(_served, document.presence)), key=itemgetter(1)):
        places = [place for place, _ in run]
        served.append([places[0], places[-1], words])
    last = document.presence[-1]
    unstable = "" if last.unstable == "none" else f", {last.unstable} unstable"
    return {
        "kind": document.kind,
        "key": -1 if document.api_key is None else document.api_key,
        "name": document.api,
        "slug": document.slug,
        "names": [name for name in dict.fromkeys(names) if name != document.api],
        "versions": [version.version for version in document.versions],
        "served": served,
        "about": _line(document.summary),
        "text": _words(" ".join((document.purpose, *document.use, *document.pitfalls))),
        "errors": bool(document.errors),
        "shown": document.newest_stable,
        "removed": document.removed,
        "range": "" if last.versions == "none" else f"{last.versions}{unstable}",
    }


def _served(there: ApiPresence) -> str:
    """What a snapshot has of an API in words: the stable versions, then others."""
    words = there.stable.text
    if there.deprecated != "none":
        words += f"; {there.deprecated} deprecated"
    return words if there.unstable == "none" else f"{words}; {there.unstable} unstable"


def _versions(document: ApiDocument) -> Iterator[Entry]:
    """The versions of an API."""
    weight = 30 if document.is_api and not document.removed else 0
    for version in document.versions:
        title = f"{document.api} {version.version}"
        place = f"v{version.version}"
        text = version_text(document, version)
        detail = text if version.state == "current" else f"{version.state}. {text}"
        page = f"api/{document.slug}/"
        yield Entry("version", title, page, place, detail, (), weight, text)


def _fields(
    number: int, message: MessageRecord, others: Mapping[str, list[str]]
) -> Iterator[list[Any]]:
    """[API, side, path, newest version with it, type, versions, tag or null, *other names] of each
    field."""
    newest: dict[str, int] = {}
    for version, form in sorted(message.versions.items()):
        if not form.layout.unstable or not newest:
            newest |= dict.fromkeys((field.path for field in form.layout.walk()), version)
    side = _SIDES.get(message.type, 2)
    for record in message.fields:
        if record.path in newest:
            names = others.get(f"{message.name}.{record.path}", ())
            row = [number, side, visible(record.path), newest[record.path]]
            row += [visible(record.spec_type), record.versions, record.tag, *names]
            yield row if record.tag is not None or names else row[:-1]


def _values(document: ApiDocument, message: MessageRecord) -> Iterator[Entry]:
    """What the numbers of fields mean, found by the field and the number or the name ("Acks -1"). A
    name such as READ_COMMITTED finds its value without the field; GROUP would be in the way of
    others."""
    number = document.newest_stable
    if number is None or number not in message.versions:
        return
    records = {record.path: record for record in message.fields}
    for field in message.versions[number].layout.walk():
        place = version_anchor(number, message.type, field.path)
        for value in records[field.path].values.at(number).listed:
            title = f"{field.name} {value.value}"
            about = f"{message.name}. {value.meaning}"
            names = [title, f"{field.name} {value.name}"]
            if "_" in value.name or "-" in value.name:
                names.append(value.name)
            title += f": {value.name}"
            yield Entry("value", title, f"api/{document.slug}/", place, about, tuple(names))


def exception_of(code: str) -> str:
    """The class that Java clients throw for an error code: NotLeaderOrFollowerException.

    A class with an irregular name is in aliases.json.
    """
    return "".join(word.capitalize() for word in _SUFFIX.sub("", code).split("_")) + "Exception"


def _errors(book: Book) -> Iterator[Entry]:
    """The error codes, also by what clients print for them, with one name for each message of a
    client."""
    for error in book.errors:
        names = [error.name, *error.former_names]
        if book.has_embedded:
            names += [exception_of(name) for name in names]
        names += _others(book).get(error.name, ())
        state = "Retriable" if error.retriable else "Not retriable"
        title = f"{error.name} ({error.code})"
        detail = f"{state}. {error.about}"
        place = anchor(error.name)
        found_by = tuple(dict.fromkeys(names))
        yield Entry("error", title, "errors/", place, detail, found_by, 20, error.about)


def _levels_and_types(book: Book) -> Iterator[Entry]:
    for level in book.levels:
        yield Entry("level", level.version, "levels/", f"id-{level.id}", level.about, weight=10)
    for group in shown_groups(book.is_of_family).values():
        for each in group:
            place = anchor(each["name"])
            yield Entry("type", each["name"], "types/", place, each["bytes"], weight=20)


def _groups(book: Book) -> Iterator[Entry]:
    """The groups of APIs, if there are several."""
    groups = apis_by_group(book.index)
    for name, rows in groups.items() if len(groups) > 1 else ():
        apis = ", ".join(row.api for row in rows)
        yield Entry("page", f"APIs: {name}", "api/", anchor(name), apis, (name,), 50)


def _kips(book: Book) -> Iterator[Entry]:
    """The proposals, and the issues of known problems."""
    for number, address in book.kip_places.items():
        page, _, row = address.partition("#")
        kip = all_kips()[number]
        title = f"{kip.name}: {kip.title}"
        names = (kip.name, kip.title)
        yield Entry("kip", title, page, row, kip.summary, names, 50, kip.summary)
    for advisory, document in book.advisories:
        page = f"api/{document.slug}/"
        for issue in advisory.issues:
            title = f"{issue}: {document.api}"
            yield Entry("issue", title, page, "problems", advisory.problem, (issue,), 10)


def _subjects() -> Iterator[Entry]:
    """Words for what has another name or none of its own."""
    for subject in shipped("subjects.json"):
        title = subject["title"]
        names = (subject["title"], *subject["names"])
        yield Entry("page", title, subject["page"], subject["anchor"], subject["about"], names, 52)
