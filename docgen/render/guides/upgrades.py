"""The upgrade guide of an API: each step from a version to the next, as a checklist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, ReturnedError, VersionRecord
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.sections import PageError, PartIds, change_text
from wirebook.docgen.render.kit.wording import lifecycle_words, since_word
from wirebook.rules.formats.sentences import presence
from wirebook.specs.kafka.advisories import advisories_of
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.exported import ExportedField


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A change of the schema in words; of a field that is added or removed, the field and its address."""

    words: str
    field: ExportedField | None = None
    added: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class UpgradePart:
    """What a step changes in the request or the response; no changes if the schema stays.

    `note` is for a message that only one of the two versions has.
    """

    title: str
    changes: tuple[SchemaChange, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class UpgradeStep:
    """From the version `older` to the one after it: what a client does and what it then sees."""

    older: int
    newer: int
    id: str
    info: VersionRecord
    since: str
    events: tuple[str, ...]
    about: str
    parts: tuple[UpgradePart, ...]
    appearing: tuple[PageError, ...]
    disappearing: tuple[PageError, ...]

    @property
    def changed(self) -> str:
        """Which schemas the step changes, in words."""
        titles = [part.title.lower() for part in self.parts if part.changes or part.note]
        return " and ".join(titles) if titles else "unchanged"


def has_upgrades(document: ApiDocument) -> bool:
    """Whether there is a guide: for requests with more than one version."""
    return document.is_api and len(document.versions) > 1


def upgrade_page(
    document: ApiDocument,
    mentions: Mentions,
    errors: Sequence[DescribedError],
    protocol: ProtocolRecord,
) -> Page:
    """The guide of an API that has several versions, oldest step first."""
    path = f"api/{document.slug}/upgrade/"
    root = root_of(path)
    upgrade_steps = list(steps(document, errors))
    first = min(document.versions, key=lambda item: item.version)
    advisories = advisories_of(document.api) if protocol.family else ()
    html = render(
        "upgrade.html.jinja",
        root=root,
        document=document,
        protocol=protocol,
        steps=upgrade_steps,
        first=first,
        advisories=advisories,
        link=partial(mentions.linked, root=root, without=document.api),
    )
    headings = [
        *([Heading("Known problems", "problems", 2)] if advisories else []),
        Heading("All steps", "steps", 2),
        *(Heading(f"Version {step.older} to {step.newer}", step.id, 2) for step in upgrade_steps),
    ]
    about = f"From one version of {document.api} to another: schema, behavior, errors and prerequisites."
    title = f"Upgrading {document.api}"
    return Page(path, title, html, tuple(headings), boost=0, description=about)


def steps(document: ApiDocument, errors: Sequence[DescribedError] = ()) -> Iterator[UpgradeStep]:
    """The steps between the versions of an API, oldest first."""
    codes = {error.name: error for error in errors}
    listed = [(error, _numbers(error, document)) for error in document.errors if error.name in codes]
    versions = sorted(document.versions, key=lambda item: item.version)
    ids = PartIds(document)
    for before, info in pairwise(versions):
        older, newer = before.version, info.version
        yield UpgradeStep(
            older=older,
            newer=newer,
            id=f"v{newer}",
            info=info,
            since=since_word(info.events),
            events=tuple(lifecycle_words(info.events)),
            about=_about(document, info),
            parts=tuple(_parts(ids, older, newer)),
            appearing=_errors(codes, listed, newer, older),
            disappearing=_errors(codes, listed, older, newer),
        )


def _about(document: ApiDocument, info: VersionRecord) -> str:
    if info.about:
        return info.about
    parts = (message.versions.get(info.version) for message in document.messages)
    return " ".join(dict.fromkeys(change_text(part) for part in parts if part))


def _numbers(error: ReturnedError, document: ApiDocument) -> frozenset[int]:
    versions = VersionSet.parse(error.versions)
    return frozenset(version.version for version in document.versions if version.version in versions)


def _errors(
    codes: Mapping[str, DescribedError],
    listed: Sequence[tuple[ReturnedError, frozenset[int]]],
    version: int,
    other: int,
) -> tuple[PageError, ...]:
    """The codes that one version can have and the other cannot, each once."""
    still = {error.name for error, numbers in listed if other in numbers}
    return tuple(
        PageError(codes[error.name], error)
        for error, numbers in listed
        if version in numbers and error.name not in still
    )


def _parts(ids: PartIds, older: int, newer: int) -> Iterator[UpgradePart]:
    for message in ids.document.messages:
        title = {"request": "Request", "response": "Response"}.get(message.type, message.name)
        lacking = [number for number in (older, newer) if number not in message.versions]
        if not lacking:
            yield UpgradePart(title, tuple(_changes(message, older, newer, ids)))
        elif len(lacking) == 1:
            yield UpgradePart(title, (), f"Version {lacking[0]} has no {title.lower()}.")


def _changes(message: MessageRecord, older: int, newer: int, ids: PartIds) -> Iterator[SchemaChange]:
    for words in message.versions[newer].changes:
        change = presence(words)
        version = message.versions.get(newer if change is None or change.added else older)
        field = _field(version.layout.fields, change.path) if change is not None and version else None
        if change is None or field is None or version is None:
            yield SchemaChange(words)
            continue
        field_anchor = ids.of(version.layout.version, message.type, change.path)
        yield SchemaChange(words, field, change.added, f"../#{field_anchor}")


def _field(fields: Sequence[ExportedField], path: str) -> ExportedField | None:
    for field in fields:
        if field.path == path:
            return field
        if path.startswith(f"{field.path}."):
            return _field(field.fields or (), path)
    return None
