"""What the search of a site finds: APIs, versions, fields, error codes, releases, pages and their
sections.

search.js ranks the answers with the library MiniSearch, and computes what follows from a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.records import (
    ApiDocument,
    MessageRecord,
    ServedVersions,
    SnapshotRecord,
)
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.html_tokens import attributes_of, tokens
from wirebook.docgen.pages.links import anchor, version_anchor
from wirebook.docgen.pages.types import shown_groups
from wirebook.docgen.pages.wording import change_text
from wirebook.rules.catalogue import shown_rules
from wirebook.specs.exported import ExportedField
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.advisories import advisories_of
from wirebook.specs.kafka.brokers import api_keys
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.kafka.texts import all_aliases, exception_of
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet

SUBJECTS = Path(__file__).with_name("subjects.json")
# By error code, the words of what clients print for it: each entry has those of one client's
# message.
_ERROR_WORDS = Path(__file__).with_name("error_words.json")
_SIDES = {"request": 0, "response": 1}
_LONGEST_DETAIL = 100
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"(?:KIP|KAFKA)-\d+|[^\W_]+", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=\w\w[^s])s$")
# Words that every page has.
_IDLE = frozenset({
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from",
    "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "no", "not", "of", "on",
    "one", "or", "so", "than", "that", "the", "then", "there", "these", "they", "this", "to", "was",
    "what", "when", "which", "who", "will", "with", "without",
})  # fmt: skip
_HEADINGS = ("h1", "h2", "h3")
_LINK = "headerlink"  # the sign beside a heading
_EXCLUDED = "data-search-exclude"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is found by one of its `names` (its title if there are none) or by the words of `text`.

    `page` is the address of its page as docgen.pages writes it, `weight` is from 0 to 50.
    """

    kind: str
    title: str
    page: str
    anchor: str = ""
    detail: str = ""
    names: tuple[str, ...] = ()
    weight: int = 0
    text: str = ""


@dataclass(slots=True)
class SearchIndex:
    """The entries, with the tables that answer what needs more than words: "Fetch 2.8", "key
    18"."""

    apis: list[dict[str, Any]] = field(default_factory=list)
    fields: list[list[Any]] = field(default_factory=list)
    releases: list[list[str]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    with_subjects: bool = False

    def pages(self) -> set[str]:
        """The addresses of the pages that are about one thing of the index."""
        found = {api["page"] for api in self.apis} | {release[1] for release in self.releases}
        return found | {entry.page for entry in self.entries if not entry.anchor}

    def add_sections(
        self, page: str, title: str, detail: str, html: str, names: Sequence[str] = ()
    ) -> None:
        """A page by its title and other names, and each section of it that has a heading, by their
        words."""
        for place, heading, text in sections(html):
            if place:
                self.entries.append(
                    Entry("page", heading, page, place, title, (heading, place), 10, text)
                )
            else:
                self.entries.append(
                    Entry("page", title, page, "", detail, (title, *names), 50, text)
                )

    def add_subjects(self, pages: Mapping[str, str]) -> None:
        """Words for what has another name or none of its own, if the HTML of `pages` has the
        place."""
        for subject in (
            json.loads(SUBJECTS.read_text(encoding="utf-8")) if self.with_subjects else ()
        ):
            html, place = pages.get(subject["page"]), subject["anchor"]
            if html is not None and (not place or f' id="{place}"' in html):
                names = (subject["title"], *subject["names"])
                self.entries.append(
                    Entry(
                        "page",
                        subject["title"],
                        subject["page"],
                        place,
                        subject["about"],
                        names,
                        52,
                    )
                )

    def to_json(self, urls: Mapping[str, str]) -> dict[str, Any]:
        """What search.js reads, with pages by number; `urls` are the pages that the site has."""
        pages: dict[str, int] = {}

        def number(page: str) -> int:
            return pages.setdefault(urls[page], len(pages))

        kinds: dict[str, list[list[Any]]] = {}
        for entry in self.entries:
            if entry.page in urls:
                row = [_line(entry.title), number(entry.page), entry.anchor, _line(entry.detail)]
                row += [entry.weight, _words(entry.text), *entry.names]
                kinds.setdefault(entry.kind, []).append(row)
        return {
            "apis": [{**api, "page": number(api["page"])} for api in self.apis],
            "fields": self.fields,
            "releases": [[name, number(page)] for name, page in self.releases],
            "entries": kinds,
            "pages": list(pages),
        }


def search_index(book: Book) -> SearchIndex:
    """The index of a book; the caller adds the pages that are not about one thing of it."""
    index = SearchIndex(with_subjects=book.has_embedded)
    others = _aliases() if book.protocol.family == KAFKA else {}
    index.releases = [
        [each.name, f"releases/{snapshot_slug(each.name)}/"] for each in book.snapshots
    ]
    for number, document in enumerate(book.with_page):
        index.apis.append(_api(document, book.snapshots, others))
        index.entries += _of_api(document)
        for message in document.messages:
            index.fields += _fields(number, document, message, others)
            index.entries += _values(document, message)
        for advisory in advisories_of(document.api) if book.has_embedded else ():
            for issue in advisory.issues:
                index.entries.append(
                    Entry("issue", f"{issue}: {document.api}", f"api/{document.slug}/", "problems",
                          advisory.problem, (issue,), 10)
                )  # fmt: skip
    index.entries += _errors(book.errors, others)
    index.entries += [
        Entry("level", level.version, "levels/", f"id-{level.id}", level.about, weight=10)
        for level in book.catalog.levels
    ]
    index.entries += [
        Entry("type", entry["name"], "types/", anchor(entry["name"]), entry["bytes"], weight=20)
        for group in shown_groups(book.is_of_family).values()
        for entry in group
    ]
    index.entries += _groups(book.with_page)
    index.entries += [
        Entry("rule", rule.name, "rules/", rule.name, rule.summary)
        for rule in shown_rules(book.is_of_family)
    ]
    index.entries += _kips(book.kip_places)
    for slug, key in book.keys.items():
        index.entries.append(Entry("message", key.api, f"api/{slug}/", "key", key.purpose, (), 5))
    return index


def sections(html: str) -> Iterator[tuple[str, str, str]]:
    """The sections of a page as (anchor, heading, text); the first, before any heading, has no
    anchor.

    As in Material, `data-search-exclude` leaves out an element, and at a heading its section.
    """
    place = heading = skipped = ""
    depth = 0  # of elements of the name of the skipped one, which is the outermost of them
    in_heading, kept, words = "", True, [""]
    for tag, text in tokens(html):
        if depth:
            depth += (tag == skipped) - (tag == f"/{skipped}")
        elif not tag:
            if in_heading:
                heading += text
            else:
                words.append(text)
        elif tag == f"/{in_heading}":
            in_heading = ""
        elif tag in _HEADINGS or _EXCLUDED in text or _LINK in text:
            attributes = attributes_of(text)
            if tag in _HEADINGS and attributes.get("id"):
                # The heading of the page itself is its beginning.
                if tag != "h1":
                    if kept:
                        yield place, " ".join(heading.split()), " ".join(words)
                    place, heading, in_heading, words = attributes["id"], "", tag, [""]
                    kept = _EXCLUDED not in attributes
            elif _EXCLUDED in attributes or attributes.get("class") == _LINK:
                skipped, depth = tag, 1
    if kept:
        yield place, " ".join(heading.split()), " ".join(words)


def walk(fields: Sequence[ExportedField]) -> Iterator[ExportedField]:
    """Fields with those inside of them, in their order."""
    for each in fields:
        yield each
        yield from walk(each.fields or ())


def _words(text: str) -> str:
    """The different words of a text in lower case and singular: what it is found by."""
    found = {word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))}
    singular = {_PLURAL.sub("", word) for word in found - _IDLE}
    return " ".join(sorted(word for word in singular if len(word) > 1 and not word.isdigit()))


def _line(text: str) -> str:
    """The beginning of a text: the index is only for finding."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST_DETAIL else f"{line[: _LONGEST_DETAIL - 1].rstrip()}\u2026"


def _aliases() -> dict[str, list[str]]:
    """The other names of Kafka's messages, error codes and fields by name, and those of APIs by
    key, too."""
    names: dict[str, list[str]] = {}
    for alias in all_aliases():
        names.setdefault(alias.thing, []).append(alias.name)
    for name, key in api_keys().items():
        names.setdefault(f"key {key}", []).append(name)
    return names


def _api(
    document: ApiDocument, snapshots: Sequence[SnapshotRecord], others: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """An API or other message: `served` are runs of snapshots, as (first, last, what it offers in
    them)."""
    served: list[list[Any]] = []
    for number, snapshot in enumerate(snapshots):
        in_snapshot = snapshot.apis.get(document.slug)
        if in_snapshot is None:
            continue
        words = _served(in_snapshot)
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
        "page": f"api/{document.slug}/",
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
    elif document.presence and document.presence[-1].versions != "none":
        last = document.presence[-1]
        row["range"] = last.versions + f", {last.unstable} unstable" * (last.unstable != "none")
    return row


def _served(versions: ServedVersions) -> str:
    words = "" if versions.served == "none" else versions.served
    for state, numbers in (("deprecated", versions.deprecated), ("unstable", versions.unstable)):
        if numbers:
            words += f"; {VersionSet.of(numbers).text} {state}"
    return words


def _of_api(document: ApiDocument) -> Iterator[Entry]:
    """The versions of an API, and its sections with text of their own."""
    page, api = f"api/{document.slug}/", document.api
    for version in document.versions:
        parts = [message.versions.get(version.version) for message in document.messages]
        texts = [version.about, *(change_text(part) for part in parts if part)]
        detail = next((text for text in texts if text), "")
        if version.state != "current":
            detail = f"{version.state}. {detail}"
        text = " ".join((*texts, *version.notes, *(part.about for part in parts if part)))
        weight = 30 if document.is_api and not document.removed else 0
        yield Entry(
            "version",
            f"{api} {version.version}",
            page,
            f"v{version.version}",
            detail,
            (),
            weight,
            text,
        )
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
    for version in sorted(
        message.versions, key=lambda each: (each == document.newest_stable, each)
    ):
        newest |= {
            present.path: version for present in walk(message.versions[version].layout.fields)
        }
    for record in message.fields:
        if record.path in newest:
            names = others.get(f"{message.name}.{record.path}", ())
            row = [number, _SIDES.get(message.type, 2), visible(record.path), newest[record.path],
                   visible(record.spec_type), record.versions]  # fmt: skip
            yield row if record.tag is None and not names else [*row, record.tag, *names]


def _groups(documents: Iterable[ApiDocument]) -> Iterator[Entry]:
    """The groups of the list of APIs, each with the names of its APIs."""
    groups: dict[str, list[str]] = {}
    for document in documents:
        if document.is_api and document.group:
            groups.setdefault(document.group, []).append(document.api)
    for group, apis in groups.items():
        yield Entry("page", f"APIs: {group}", "api/", anchor(group), ", ".join(apis), (group,), 50)


def _values(document: ApiDocument, message: MessageRecord) -> Iterator[Entry]:
    """What the numbers of fields mean, found by the field and the number or the name ("Acks -1").

    A name such as READ_COMMITTED finds its value without the field; GROUP would be in the way of
    others.
    """
    version = (
        message.versions.get(document.newest_stable) if document.newest_stable is not None else None
    )
    if version is None:
        return
    paths = {each.path for each in version.layout.walk()}
    number = version.layout.version
    for record in message.fields:
        name = record.path.rpartition(".")[2]
        for value in record.values.at(number).listed if record.path in paths else ():
            names = (f"{name} {value.value}", f"{name} {value.name}")
            own = (value.name,) if "_" in value.name or "-" in value.name else ()
            yield Entry("value", f"{name} {value.value}: {value.name}", f"api/{document.slug}/",
                        version_anchor(number, message.type, record.path),
                        f"{message.name}. {value.meaning}",
                        (*names, *own))  # fmt: skip


def _errors(
    errors: Sequence[DescribedError], others: Mapping[str, Sequence[str]]
) -> Iterator[Entry]:
    printed = json.loads(_ERROR_WORDS.read_text(encoding="utf-8")) if others else {}
    for error in errors:
        retriable = "Retriable" if error.retriable else "Not retriable"
        names = [error.name, *error.former_names]
        if others:
            names += [exception_of(name) for name in (error.name, *error.former_names)]
            names += (*others.get(error.name, ()), *printed.get(error.name, ()))
        formerly = f", formerly {', '.join(error.former_names)}" if error.former_names else ""
        yield Entry("error", f"{error.name} ({error.code})", "errors/", anchor(error.name),
                    f"{retriable}{formerly}. {error.about}", tuple(dict.fromkeys(names)), 20,
                    error.about)  # fmt: skip


def _kips(places: Mapping[int, str]) -> Iterator[Entry]:
    """The proposals by their numbers, titles and summaries."""
    for number, place in places.items():
        page, _, row = place.partition("#")
        kip = all_kips()[number]
        title = f"{kip.name}: {kip.title}"
        yield Entry("kip", title, page, row, kip.summary, (kip.name, kip.title), 50, kip.summary)
