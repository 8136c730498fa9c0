"""The index of the search: every API, version, field, error code, release and other thing with a name.

search.js ranks the answers. It computes what follows from a row (the address of a field from its path,
a version from its API), so that the whole history stays below a megabyte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL, LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    MessageRecord,
    ServedVersions,
    SnapshotRecord,
    VersionRecord,
)
from wirebook.docgen.render.bytes.types import shown_groups
from wirebook.docgen.render.kit.dashes import dashed
from wirebook.docgen.render.kit.folders import LEVELS, RELEASES
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.sections import PartIds, change_text
from wirebook.docgen.render.search.fulltext import IndexEntry, walk
from wirebook.docgen.render.search.words import COMMON, FullText
from wirebook.rules.rule import shown_rules
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.advisories import advisories_of
from wirebook.specs.kafka.aliases import all_aliases, exception_of
from wirebook.specs.kafka.brokers import api_keys
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet

_NUMBERED = re.compile(r"\b(KIP|KAFKA)-(\d+)\b")
_SIDES = {"request": 0, "response": 1}
_SIDE_ANCHORS = ("-", "-response-", "-")  # between a version and a field
_MOST = 120
SUBJECTS = Path(__file__).with_name("subjects.json")


@dataclass(frozen=True, slots=True)
class Thing:
    """What is found by its title or another of its names; `page` is its address, `weight` 0 to 50."""

    kind: str
    title: str
    page: str
    anchor: str = ""
    detail: str = ""
    names: tuple[str, ...] = ()
    weight: int = 0

    def row(self) -> list[Any]:
        """The row of the index."""
        return [self.kind, _text(self.title), self.page, self.anchor, _text(self.detail), list(self.names),
                self.weight]  # fmt: skip


@dataclass(slots=True)
class TypedIndex:
    """The index, with the addresses of pages as docgen.render writes them."""

    apis: list[dict[str, Any]] = field(default_factory=list)
    fields: list[list[Any]] = field(default_factory=list)
    snapshots: list[list[str]] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    aliases: list[tuple[int, str]] = field(default_factory=list)
    text: FullText = field(default_factory=FullText)
    with_subjects: bool = False

    def add_page(
        self, title: str, page: str, headings: Iterable[tuple[str, str]], detail: str, text: str
    ) -> None:
        """A page, its headings as (title, id), and each KIP and issue that its text names."""
        named = _NUMBERED.match(title)
        is_kip = named is not None and named[1] == "KIP"
        names = [named[0]] if named else []
        self.things.append(
            Thing("kip" if is_kip else "page", title, page, detail=detail,
                  names=(title, *names) if names else (), weight=50)
        )  # fmt: skip
        # An id may be shorter than its heading: #zstd is about Zstandard.
        self.things += [
            Thing("page", head, page, anchor, title, (head, anchor), 10) for head, anchor in headings
        ]
        if is_kip:
            return
        for number in dict.fromkeys(match[0] for match in _NUMBERED.finditer(text)):
            if named is None or named[0] != number:
                kind = "kip" if number.startswith("KIP") else "issue"
                self.things.append(Thing(kind, f"{number}: {title}", page, names=(number,), weight=5))

    def add_kips(self, places: Mapping[int, str]) -> None:
        """The proposals by their numbers, with their places: those that have no page of their own."""
        for number, place in places.items():
            page, _, row = place.partition("#")
            if row:
                kip = all_kips()[number]
                title = f"{kip.name}: {kip.title}"
                names = title, kip.name
                self.things.append(Thing("kip", title, page, row, kip.summary, names, 50))

    def add_subjects(self, pages: Mapping[str, str]) -> None:
        """Words for what has another name or none of its own, if the HTML of `pages` has the place."""
        if not self.with_subjects:
            return
        for subject in json.loads(SUBJECTS.read_text(encoding="utf-8")):
            html = pages.get(subject["page"])
            if html is not None and (not subject["anchor"] or f' id="{subject["anchor"]}"' in html):
                names = (subject["title"], *subject["names"])
                self.things.append(
                    Thing(
                        "page",
                        subject["title"],
                        subject["page"],
                        subject["anchor"],
                        subject["about"],
                        names,
                        50,
                    )
                )

    def add_entries(self, entries: Iterable[IndexEntry]) -> None:
        """What the full text of generated pages is, in entries that escape HTML."""
        for entry in entries:
            page, _, place = entry["location"].partition("#")
            self.text.add(page, place, unescape(entry["title"]), unescape(entry["text"]))

    def addresses(self) -> set[str]:
        """Every page that is about one thing of the index."""
        pages = {api["page"] for api in self.apis} | {snapshot[1] for snapshot in self.snapshots}
        return pages | {thing.page for thing in self.things if not thing.anchor}

    def as_json(self, urls: Mapping[str, str]) -> dict[str, Any]:
        """What search.js reads; `urls` are those of the pages. What has no page there is left out.

        An address is the number of its page in `pages`, and what search.js can compute is 0.
        """
        pages: dict[str, int] = {}

        def number(page: str) -> int:
            return pages.setdefault(urls[page], len(pages))

        apis = [{**api, "page": number(api["page"])} for api in self.apis]
        names = _Names.of(self)
        things: dict[str, list[list[Any]]] = {}
        for thing in self.things:
            if thing.page in urls:
                things.setdefault(thing.kind, []).append(names.row(thing, number(thing.page)))
        rows = {names.field(row): at for at, row in enumerate(self.fields)}
        places: list[list[Any] | int] = []
        for page, place, title in self.text.places:
            if (page, place) in rows:
                places.append(rows[page, place])
            elif page not in urls:
                places.append([])
            else:
                own = [] if names.title(page, place) == title else [title]
                places.append([number(page), place, *own])
        words, postings = self.text.packed()
        return {
            "apis": apis,
            "fields": list(_nested(self.fields)),
            "aliases": self.aliases,
            "snapshots": [[name, number(page)] for name, page in self.snapshots],
            "things": things,
            "places": places,
            "common": " ".join(sorted(COMMON)),
            "words": words,
            "found": postings,
            "pages": list(pages),
        }


@dataclass(frozen=True, slots=True)
class _Names:
    """What search.js knows of a place by its page and anchor: its title, and the text of a version."""

    titles: Mapping[tuple[str, str], str]
    versions: Mapping[tuple[str, str], str]
    pages: tuple[str, ...]

    @classmethod
    def of(cls, index: TypedIndex) -> _Names:
        titles: dict[tuple[str, str], str] = {}
        versions: dict[tuple[str, str], str] = {}
        for api in index.apis:
            titles[api["page"], ""] = api["name"]
            for version, text in api["versions"]:
                titles[api["page"], f"v{version}"] = f"{api['name']} {version}"
                versions[api["page"], f"v{version}"] = text
        for thing in index.things:
            if not _NUMBERED.match(thing.title):
                titles.setdefault((thing.page, thing.anchor), _text(thing.title))
        return cls(titles, versions, tuple(api["page"] for api in index.apis))

    def field(self, row: Sequence[Any]) -> tuple[str, str]:
        """The page and anchor of the newest version of a field."""
        return self.pages[row[0]], f"v{row[3]}{_SIDE_ANCHORS[row[1]]}{anchor(row[2])}"

    def title(self, page: str, place: str) -> str | None:
        """The title of a place, if search.js knows it."""
        return self.titles.get((page, place))

    def row(self, thing: Thing, page: int) -> list[Any]:
        """The row of a thing, without what search.js computes.

        A title "KIP-516: Fetch 13" is "KIP-516" where the place is called Fetch 13; a heading has its anchor
        as a name, and the title of its page as detail; a value has the names that follow from its title.
        """
        _, title, _, place, detail, names, weight = thing.row()
        own, _, rest = title.partition(": ")
        text = 0 if detail and detail == self.versions.get((thing.page, place)) else detail
        if names == [own] and rest and rest == self.title(thing.page, place):
            title, names = own, []
        elif place and names == [title, place] and detail == self.title(thing.page, ""):
            text, names = 0, [0]
        elif thing.kind == "value" or (names == [title] and not _NUMBERED.fullmatch(title)):
            names = []
        return [title, page, place, text, weight, *names]


def _nested(fields: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Rows of fields, each with the API and side only if they change, and its path below the one before.

    `2Name` is a field in the second struct of the path of the field before.
    """
    before: tuple[list[Any], list[str]] = ([], [])
    for row in fields:
        message, path = list(row[:2]), row[2].split(".")
        shared = 0
        if message == before[0]:
            while shared < min(len(path) - 1, len(before[1])) and path[shared] == before[1][shared]:
                shared += 1
        text = f"{shared or ''}{'.'.join(path[shared:])}"
        yield [*(message if message != before[0] else []), text, *row[3:]]
        before = message, path


def typed_index(
    documents: Sequence[ApiDocument],
    snapshots: Sequence[SnapshotRecord],
    errors: Sequence[DescribedError] = (),
    levels: Sequence[LevelRecord] = (),
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
    *,
    of_family: bool = True,
) -> TypedIndex:
    """The index of a catalog; the caller, which knows all pages, adds those that are not about a thing.

    `of_family` is whether it has the types and rules that only protocols of the embedded family have.
    """
    typed = TypedIndex(with_subjects=bool(protocol.family))
    others = _aliases() if protocol.family == KAFKA else {}
    typed.snapshots = [
        [snapshot.name, f"{RELEASES}{snapshot_slug(snapshot.name)}/"] for snapshot in snapshots
    ]
    for document in documents:
        number = len(typed.apis)
        typed.apis.append(_api(document, snapshots, others))
        ids = PartIds(document)
        for message in document.messages:
            for row in _fields(number, message):
                typed.aliases += [
                    (len(typed.fields), name) for name in others.get(f"{message.name}.{row[2]}", ())
                ]
                typed.fields.append(row)
            typed.things += _values(document, message, ids)
    typed.things += _errors(errors, others)
    typed.things += _numbered(documents)
    typed.things += _problems(documents) if protocol.family else ()
    typed.things += [
        Thing("level", level.version, LEVELS, f"id-{level.id}",
              detail=level.about, weight=10)
        for level in levels
    ]  # fmt: skip
    typed.things += [
        Thing("type", entry["name"], "types/", anchor(entry["name"]), entry["bytes"], weight=20)
        for group in shown_groups(of_family).values()
        for entry in group
    ]
    typed.things += _groups(documents)
    typed.things += [
        Thing("rule", rule.name, "rules/", rule.name, detail=rule.summary) for rule in shown_rules(of_family)
    ]
    return typed


def _aliases() -> dict[str, list[str]]:
    """The other names of Kafka's messages, error codes and fields by name, and those of APIs by key, too."""
    names: dict[str, list[str]] = {}
    for alias in all_aliases():
        names.setdefault(alias.thing, []).append(alias.name)
    for name, key in api_keys().items():
        names.setdefault(f"key {key}", []).append(name)
    return names


def _api(
    document: ApiDocument, snapshots: Sequence[SnapshotRecord], others: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """An API or other message: `served` are runs of snapshots, as (first, last, what it offers in them)."""
    served: list[list[Any]] = []
    for number, snapshot in enumerate(snapshots):
        in_snapshot = snapshot.apis.get(document.slug)
        if in_snapshot is None:
            continue
        words = _served(in_snapshot)
        if served and served[-1][1] == number - 1 and served[-1][2] == words:
            served[-1][1] = number
        else:
            served.append([number, number, words])
    names = (*document.former_names, *(message.name for message in document.messages))
    row: dict[str, Any] = {
        "name": document.api,
        "page": f"api/{document.slug}/",
        "names": [name for name in dict.fromkeys(names) if name != document.api],
        "versions": [[version.version, _version(document, version)] for version in document.versions],
        "served": served,
        "about": _text(document.summary),
    }
    also = [name for name in others.get(f"key {document.api_key}", ()) if name != document.api.lower()]
    also += others.get(document.api, ())
    if also and document.is_api:
        row["also"] = also
    if document.is_api:
        row["key"] = -1 if document.api_key is None else document.api_key
    else:
        row["kind"] = document.kind
    if document.gone:
        row["gone"] = 1
    elif document.presence and document.presence[-1].versions != "none":
        newest = document.presence[-1]
        marked = f", {newest.unstable} unstable" if newest.unstable != "none" else ""
        row["range"] = dashed(newest.versions + marked)  # as on its page
    if document.errors:
        row["errors"] = 1
    if any(message.tags for message in document.messages):
        row["tags"] = 1
    return row


def _served(versions: ServedVersions) -> str:
    words = "" if versions.served == "none" else dashed(versions.served)
    if versions.deprecated:
        words += f"; {_span(versions.deprecated)} deprecated"
    if versions.unstable:
        words += f"; {_span(versions.unstable)} unstable"
    return words


def _span(numbers: Sequence[int]) -> str:
    return dashed(VersionSet.of(numbers).text)


def _version(document: ApiDocument, version: VersionRecord) -> str:
    """The state of a version if it is not current, and what it changed."""
    parts = [message.versions.get(version.version) for message in document.messages]
    changed = [version.about, *(change_text(part) for part in parts if part)]
    text = next((text for text in changed if text), "")
    return _text(f"{version.state}. {text}" if version.state != "current" else text)


def _fields(number: int, message: MessageRecord) -> Iterator[list[Any]]:
    """[API, side, path, newest version with it, type, versions, tag] of each field of a message.

    The type is that of the specs; a tag is left out if there is none, as is what is false.
    """
    newest: dict[str, int] = {}
    for version in sorted(message.versions, reverse=True):
        for present in walk(message.versions[version].layout.fields):
            newest.setdefault(present.path, version)
    for record in message.fields:
        if record.path in newest:
            row = [number, _SIDES.get(message.type, 2), visible(record.path), newest[record.path],
                   visible(record.spec_type), record.versions]  # fmt: skip
            yield row if record.tag is None else [*row, record.tag]


def _groups(documents: Iterable[ApiDocument]) -> Iterator[Thing]:
    """The groups of the list of APIs, each with the names of its APIs."""
    groups: dict[str, list[str]] = {}
    for document in documents:
        if document.is_api and document.group:
            groups.setdefault(document.group, []).append(document.api)
    for group, apis in groups.items():
        yield Thing("page", f"APIs: {group}", "api/", anchor(group), ", ".join(apis), (group,), 50)


def _values(document: ApiDocument, message: MessageRecord, ids: PartIds) -> Iterator[Thing]:
    """What the numbers of fields mean, found by the field and the number or the name ("Acks -1").

    A name such as READ_COMMITTED finds its value without the field; GROUP would be in the way of others.
    """
    version = message.versions.get(document.newest_stable) if document.newest_stable is not None else None
    paths = {record.path for record in version.layout.walk()} if version is not None else set()
    for record in message.fields:
        if version is None or record.path not in paths:
            continue
        name, number = record.path.rpartition(".")[2], version.layout.version
        field_anchor = ids.of(number, message.type, record.path)
        for value in record.values.at(number).listed:
            names = (f"{name} {value.value}", f"{name} {value.name}")
            own = (value.name,) if "_" in value.name or "-" in value.name else ()
            yield Thing("value", f"{name} {value.value}: {value.name}", f"api/{document.slug}/", field_anchor,
                        f"{message.name}. {value.meaning}", (*names, *own))  # fmt: skip


def _errors(errors: Sequence[DescribedError], others: Mapping[str, Sequence[str]]) -> Iterator[Thing]:
    for error in errors:
        retriable = "Retriable" if error.retriable else "Not retriable"
        names = (f"error {error.code}", *error.former_names)
        if others:
            names += tuple(exception_of(name) for name in (error.name, *error.former_names))
            names += tuple(others.get(error.name, ()))
        formerly = f", formerly {', '.join(error.former_names)}" if error.former_names else ""
        yield Thing("error", f"{error.name} ({error.code})", "errors/", anchor(error.name),
                    f"{retriable}{formerly}. {error.about}", (error.name, *names), 20)  # fmt: skip


def _numbered(documents: Iterable[ApiDocument]) -> Iterator[Thing]:
    """A thing for each KIP or issue and each version whose texts name it."""
    for document in documents:
        mentions: set[tuple[str, int]] = set()
        for version in sorted(document.versions, key=lambda item: item.version):
            parts = [message.versions.get(version.version) for message in document.messages]
            texts = [version.about, *version.notes]
            for part in parts:
                texts += [part.about, *part.notes] if part else ()
            for match in _NUMBERED.finditer("\n".join(texts)):
                if (match[0], version.version) in mentions:
                    continue
                mentions.add((match[0], version.version))
                text = next(text for text in texts if match[0] in text)
                yield Thing("kip" if match[1] == "KIP" else "issue",
                            f"{match[0]}: {document.api} {version.version}", f"api/{document.slug}/",
                            f"v{version.version}", text, (match[0],),
                            30 if document.is_api and not document.gone else 0)  # fmt: skip
        for text in (document.purpose, *document.pitfalls):
            for match in _NUMBERED.finditer(text):
                if not any(name == match[0] for name, _ in mentions):
                    mentions.add((match[0], -1))
                    yield Thing("kip" if match[1] == "KIP" else "issue", f"{match[0]}: {document.api}",
                                f"api/{document.slug}/", "", text, (match[0],), 10)  # fmt: skip


def _problems(documents: Iterable[ApiDocument]) -> Iterator[Thing]:
    """A thing for each issue of a known problem of an API."""
    for document in documents:
        for advisory in advisories_of(document.api):
            for issue in advisory.issues:
                yield Thing("issue", f"{issue}: {document.api}", f"api/{document.slug}/", "problems",
                            advisory.problem, (issue,), 10)  # fmt: skip


def _text(text: str) -> str:
    """The beginning of a line: the index is only for finding."""
    line = dashed(visible(" ".join(text.split())))
    return line if len(line) <= _MOST else f"{line[: _MOST - 1].rstrip()}\u2026"
