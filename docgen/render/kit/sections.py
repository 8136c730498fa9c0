"""What is shown of each version of an API: its messages, their tables, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wirebook.docgen.catalog.records import (
    ApiDocument,
    FieldRecord,
    MessageRecord,
    MessageVersion,
    ReturnedError,
    VersionRecord,
)
from wirebook.docgen.render.kit.field_table import KnownField, TableRow, field_rows
from wirebook.docgen.render.kit.links import Ids, version_anchor
from wirebook.docgen.render.kit.wording import field_release, lifecycle_words, served_versions
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.exported import ExportedLayout


@dataclass
class MessagePart:
    """One message of one version; `previous` is the version of the message before it, None for the first.

    `same_as` is the lowest version with exactly the same layout, if that is another one: the table is then
    not written again, and each row only links there, to `same_id`.
    """

    title: str
    id: str
    message: MessageRecord
    version: MessageVersion
    rows: list[TableRow] = field(default_factory=list)
    same_as: int | None = None
    same_id: str = ""
    previous: int | None = None
    prefix: str = ""


@dataclass(slots=True)
class PageSection:
    """One version of an API: its messages, what happened to it, and whether it is shown in full."""

    number: int
    id: str
    info: VersionRecord
    parts: list[MessagePart]
    previous: int | None
    events: list[str]
    changes: list[tuple[str, str]]
    open: bool


@dataclass(frozen=True, slots=True)
class PageError:
    """An error code of the page: what it means anywhere, and here."""

    code: DescribedError
    text: ReturnedError


def version_sections(document: ApiDocument, ids: Ids) -> list[PageSection]:
    """What is shown of each version, the newest stable one first; its ids are those of the API's page."""
    newest = document.newest_stable
    sections: list[PageSection] = []
    for version in document.versions:
        number = version.version
        is_open = number == newest or (newest is None and version is document.versions[0])
        parts = list(_parts(document, number, is_open, ids))
        section = PageSection(
            number=number,
            id=ids.take(f"v{number}"),
            info=version,
            parts=parts,
            previous=next(
                (version.version for version in document.versions if version.version < number), None
            ),
            events=lifecycle_words(version.events),
            changes=[("", version.about)] if version.about else _changes(parts),
            open=is_open,
        )
        sections.append(section)
    every = [(section.number, part) for section in sections for part in section.parts]
    part_ids = {(number, part.message.type): part.id for number, part in every}
    for _, part in every:
        if part.same_as is not None:
            part.same_id = part_ids[part.same_as, part.message.type]
    sections.sort(key=lambda section: not section.open)
    return sections


class PartIds:
    """The ids of messages and fields on the page of an API, as `version_sections` gives them.

    That of a field can have a number at its end: names that differ only in case would have the same one.
    """

    def __init__(self, document: ApiDocument) -> None:
        self.document = document

    def of(self, version: int, message_type: str, path: str = "") -> str:
        """The id of a field of a version, by its path, or of the message itself."""
        return self._ids[version, message_type, path]

    @cached_property
    def _ids(self) -> dict[tuple[int, str, str], str]:
        ids = Ids()
        part_ids: dict[tuple[int, str, str], str] = {}
        for number in (version.version for version in self.document.versions):
            for message in self.document.messages:
                version = message.versions.get(number)
                if version is not None:
                    part_ids[number, message.type, ""] = ids.take(version_anchor(number, message.type))
                    for row in field_rows(version.layout, {}, _prefix(number, message), ids):
                        if row.field is not None:
                            part_ids[number, message.type, row.field.path] = row.id
            ids.take(f"v{number}")
        return part_ids


def _prefix(number: int, message: MessageRecord) -> str:
    """What the ids of the fields of a message begin with."""
    return f"v{number}" if message.type != "response" else version_anchor(number, message.type)


def _parts(document: ApiDocument, number: int, is_open: bool, ids: Ids) -> Iterator[MessagePart]:
    ascending = sorted(document.versions, key=lambda version: version.version)
    snapshots = [presence.snapshot for presence in document.presence]
    for message in document.messages:
        version = message.versions.get(number)
        if version is None:
            continue
        lines = dict(
            zip((field.path for field in version.layout.walk()), version.origin.fields, strict=False)
        )
        carried = _carried(message)
        texts = {
            field.path: KnownField(
                _versions(number, carried[field.path], ascending),
                _release(field, ascending, carried[field.path], snapshots),
                lines.get(field.path, 0),
                field.values.at(number),
            )
            for field in message.fields
        }
        prefix = version_anchor(number, message.type)
        short = _prefix(number, message)
        previous = max((each for each in message.versions if each < number), default=None)
        title = _title(message)
        part = MessagePart(title, ids.take(prefix), message, version, previous=previous, prefix=short)
        part.rows = list(field_rows(version.layout, texts, short, ids))
        same = number if is_open else _same_as(message.versions, number)
        if same != number:
            part.same_as = same
        yield part


def _versions(number: int, carried: VersionSet, ascending: Sequence[VersionRecord]) -> str:
    """The versions of a field in the table of one: without those that no release served as stable."""
    served = served_versions(carried, ascending)
    return str(served if number in served else carried)


def _release(
    field: FieldRecord, ascending: Sequence[VersionRecord], carried: VersionSet, snapshots: Sequence[str]
) -> str:
    """The release that first served a field as stable, by the versions that have it."""
    return field_release(field, (record for record in ascending if record.version in carried), snapshots)


def _carried(message: MessageRecord) -> dict[str, VersionSet]:
    """The versions of each field by its path: a struct at several places has only those of each place."""
    carried: dict[str, VersionSet] = {}
    for record in message.fields:
        own = VersionSet.parse(record.versions)
        above = carried.get(record.path.rpartition(".")[0])
        carried[record.path] = own if above is None else own & above
    return carried


def _changes(parts: Sequence[MessagePart]) -> list[tuple[str, str]]:
    """(whose, what changed) for the messages of a version; "" if it applies to all of them."""
    texts = {part.title: change_text(part.version) for part in parts if change_text(part.version)}
    if len(set(texts.values())) < 2:
        return [("", text) for text in texts.values()][:1]
    return list(texts.items())


def change_text(version: MessageVersion) -> str:
    """What a message's version changed, from its history or else from its comments."""
    return version.about or " ".join(version.notes)


def _same_as(versions: Mapping[int, MessageVersion], number: int) -> int:
    """The lowest version from which on the layout is the one of `number`, without a gap."""
    while True:
        this, before = versions[number], versions.get(number - 1)
        if before is None or this.changes or _shape(this.layout) != _shape(before.layout):
            return number
        number -= 1


def _shape(layout: ExportedLayout) -> tuple[object, ...]:
    """A layout without its version and marks: what two versions of the same table share."""
    return layout.flexible, layout.header_version, layout.fields


def _title(message: MessageRecord) -> str:
    return {"request": "Request", "response": "Response"}.get(message.type, message.name)
