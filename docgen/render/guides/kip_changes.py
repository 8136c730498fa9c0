"""What each proposal changed, collected from the texts that name it: versions, fields, errors and levels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.catalog.protocol import LevelRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, VersionRecord
from wirebook.docgen.render.kit.links import anchor, version_anchor
from wirebook.docgen.render.kit.wording import change_text, since_release, since_word, stable_release
from wirebook.rules.report.sentences import presence
from wirebook.specs.kafka.kips import all_kips, numbers_in
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.exported import ExportedField

_CODE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
# A proposal that removes a version did not add what the version added.
_REMOVED = re.compile(r"Removed in (?P<release>[\d.]+) \(KIP-(?P<kip>\d+)\)")
# Words of the texts, which are half of a page.
_LONG = 100
_TITLES = {"use": "how to use it", "pitfalls": "pitfalls"}


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page: the text of a link to it, and its address from the root."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A version whose text names the proposal: its release, the text, the fields that it adds or removes."""

    api: PagePart
    version: PagePart
    since: str
    release: str
    text: str
    added: tuple[PagePart, ...]
    removed: tuple[PagePart, ...]


@dataclass(frozen=True, slots=True)
class NamedIn:
    """A text that names the proposal: a field's, with the versions that have it, or a part of a page's."""

    api: PagePart
    place: PagePart
    versions: str
    text: str


@dataclass(slots=True)
class KipChanges:
    """Everything that the texts mention about one proposal; `errors` are the places of each error
    code, by its name.
    """

    versions: list[VersionChange] = field(default_factory=list)
    fields: list[NamedIn] = field(default_factory=list)
    errors: dict[str, list[PagePart]] = field(default_factory=dict)
    levels: list[LevelRecord] = field(default_factory=list)
    others: list[NamedIn] = field(default_factory=list)

    @property
    def apis(self) -> tuple[PagePart, ...]:
        """The APIs and messages that it is about, each once."""
        named = (place.api for place in (*self.fields, *self.others))
        return tuple(dict.fromkeys((*(change.api for change in self.versions), *named)))

    @property
    def is_long(self) -> bool:
        """Whether a page says more than the list of the proposals: such a page has 200 words or more."""
        texts = [change.text for change in self.versions]
        texts += [named.text for named in (*self.fields, *self.others)]
        return sum(len(text.split()) for text in texts) >= _LONG

    def note_error(self, name: str, place: PagePart) -> None:
        """Keep a place of an error code, each once."""
        places = self.errors.setdefault(name, [])
        if place not in places:
            places.append(place)


def kip_changes(
    documents: Iterable[ApiDocument], levels: Sequence[LevelRecord], errors: Sequence[DescribedError]
) -> dict[int, KipChanges]:
    """What each proposal changed, by its number; only those that wirebook knows and a text names."""
    collection = _Collection(frozenset(error.name for error in errors))
    for document in documents:
        collection.add_parts(document)
        collection.add_versions(document)
        collection.add_fields(document)
        collection.add_errors(document)
    for row in errors:
        meaning = PagePart("its meaning", f"errors/#{anchor(row.name)}")
        for changes in collection.named_in(row.about):
            changes.note_error(row.name, meaning)
    for level in levels:
        for changes in collection.named_in(level.about):
            changes.levels.append(level)
    return collection.in_order()


class _Collection:
    """The changes of each proposal so far, by its number, of those that wirebook knows."""

    def __init__(self, codes: frozenset[str]) -> None:
        self.codes = codes
        self.numbers = all_kips()
        self.changes: dict[int, KipChanges] = {}

    def named_in(self, text: str) -> Iterator[KipChanges]:
        """The changes of each proposal that a text names."""
        for _, changes in self.numbered_in(text):
            yield changes

    def numbered_in(self, text: str) -> Iterator[tuple[int, KipChanges]]:
        """Each proposal that a text names, by its number, with its changes."""
        for number in numbers_in(text):
            if number in self.numbers:
                yield number, self.changes.setdefault(number, KipChanges())

    def in_order(self) -> dict[int, KipChanges]:
        """The changes in the order of the proposals."""
        return {number: self.changes[number] for number in self.numbers if number in self.changes}

    def add_parts(self, document: ApiDocument) -> None:
        """Add the texts about an API as a whole."""
        api = _api(document)
        for part, text in _parts(document):
            for changes in self.named_in(text):
                title = f"{document.api}: {_TITLES[part]}" if part else document.api
                place = PagePart(title, f"{api.href}#{part}" if part else api.href)
                changes.others.append(NamedIn(api, place, "", text))

    def add_versions(self, document: ApiDocument) -> None:
        """Add the texts about the versions of an API."""
        for version in sorted(document.versions, key=lambda record: record.version):
            text = _about(document, version)
            for number, changes in self.numbered_in(text):
                change = _version_change(document, version, text, number)
                changes.versions.append(change)
                for name in _CODE.findall(text):
                    if name in self.codes:
                        changes.note_error(name, change.version)

    def add_fields(self, document: ApiDocument) -> None:
        """Add the texts about the fields of an API's messages."""
        api = _api(document)
        for message in document.messages:
            for (path, about), numbers in _field_texts(message).items():
                for changes in self.named_in(about):
                    href = _field(document, numbers[-1], message.type, path)
                    place = PagePart(f"{message.name} {path}", href)
                    changes.fields.append(NamedIn(api, place, str(VersionSet.of(numbers)), about))

    def add_errors(self, document: ApiDocument) -> None:
        """Add the texts about the error codes of an API."""
        place = PagePart(document.api, f"{_api(document).href}#errors")
        for error in document.errors:
            for changes in self.named_in(f"{error.cause} {error.action} {error.source}"):
                if error.name in self.codes:
                    changes.note_error(error.name, place)


def _api(document: ApiDocument) -> PagePart:
    return PagePart(document.api, f"api/{document.slug}/")


def _version(document: ApiDocument, number: int) -> str:
    return f"{_api(document).href}v{number}/" if document.is_api else f"{_api(document).href}#v{number}"


def _field(document: ApiDocument, number: int, message_type: str, path: str) -> str:
    page = _version(document, number).partition("#")[0]
    return f"{page}#{version_anchor(number, message_type, path)}"


def _parts(document: ApiDocument) -> Iterator[tuple[str, str]]:
    """The texts about an API as a whole, each with the id of its section: "" is the page itself."""
    yield "", document.purpose
    use = document.use
    for text in (use.sender, use.preconditions, use.ordering, use.limits, use.authorization):
        yield "use", text
    for text in document.pitfalls:
        yield "pitfalls", text


def _about(document: ApiDocument, version: VersionRecord) -> str:
    if version.about:
        return version.about
    parts = (message.versions.get(version.version) for message in document.messages)
    return " ".join(dict.fromkeys(change_text(part) for part in parts if part))


def _version_change(document: ApiDocument, version: VersionRecord, text: str, kip: int) -> VersionChange:
    api, number = _api(document), version.version
    removal = next((match for match in _REMOVED.finditer(text) if match["kip"] == str(kip)), None)
    if removal is not None:
        place = PagePart(f"{document.api} {number}", _version(document, number))
        return VersionChange(api, place, f"removed in {removal['release']}", removal["release"], text, (), ())
    added: list[PagePart] = []
    removed: list[PagePart] = []
    released = since_release(version.events)
    for message in document.messages:
        part = message.versions.get(number)
        # A tagged field can be added to a version long after its release, by another proposal.
        later = {
            each.path
            for each in message.fields
            if each.tag is not None and since_release(each.events) not in ("", released)
        }
        for field_change in map(presence, part.changes if part is not None else ()):
            if field_change is None or (field_change.added and field_change.path in later):
                continue
            # A removed field has its row in the version before.
            older = (each for each in message.versions if each < number)
            field_version = number if field_change.added else max(older)
            title = f"{field_change.path} (response)" if message.type == "response" else field_change.path
            place = PagePart(title, _field(document, field_version, message.type, field_change.path))
            (added if field_change.added else removed).append(place)
    return VersionChange(
        api=api,
        version=PagePart(f"{document.api} {number}", _version(document, number)),
        since=since_word(version.events),
        release=stable_release(version.events),
        text=text,
        added=tuple(added),
        removed=tuple(removed),
    )


def _field_texts(message: MessageRecord) -> dict[tuple[str, str], list[int]]:
    """The versions of each (path, text) of a message that names a proposal."""
    versions_by_text: dict[tuple[str, str], list[int]] = {}

    def note(fields: Sequence[ExportedField], number: int) -> None:
        for each in fields:
            if "KIP-" in each.about:
                versions_by_text.setdefault((each.path, each.about), []).append(number)
            note(each.fields or (), number)

    for number, version in sorted(message.versions.items()):
        note(version.layout.fields, number)
    return versions_by_text
