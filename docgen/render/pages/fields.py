"""The page of fields by name: which requests and responses have each, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.links import Ids, anchor, version_anchor
from wirebook.docgen.render.kit.page import Page, root_of
from wirebook.docgen.render.kit.wording import since_release
from wirebook.specs.sources.releases import ReleaseName
from wirebook.specs.versions import VersionSet

PATH = "fields/"


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A field of a message: its path, the versions of the message that have it, and the release of the first.

    `href` is its row in the newest of them, from the root; `is_one_of_several` is whether the message has
    other fields of that name.
    """

    document: ApiDocument
    message: MessageRecord
    path: str
    versions: str
    release: str
    type: str
    href: str
    is_one_of_several: bool = False


def fields_page(documents: Iterable[ApiDocument]) -> Page:
    """The page of the names of all fields."""
    ids = Ids()
    names: dict[str, list[FieldUse]] = {}
    for document in sorted(documents, key=lambda document: (key_order(document.api_key), document.api)):
        for use in field_uses(document) if document.is_api else ():
            names.setdefault(use.path.rpartition(".")[2], []).append(use)
    html = render(
        "fields.html.jinja",
        root=root_of(PATH),
        names=[
            (name, ids.take(anchor(name)), _distinguished(names[name]))
            for name in sorted(names, key=lambda name: name.lower())
        ],
    )
    return Page(
        PATH,
        "Fields by name",
        html,
        boost=2.0,
        words=("cross-reference", "which APIs have the field", "all APIs with topic IDs"),
        description="For each name, the APIs that have such a field, with the first version and its release.",
    )


def field_uses(document: ApiDocument) -> Iterator[FieldUse]:
    """Every field of the messages of an API, dated by its first version."""
    released = {version.version: since_release(version.events) for version in document.versions}
    for message in document.messages:
        paths = {
            number: {field.path for field in version.layout.walk()}
            for number, version in message.versions.items()
        }
        for field in message.fields:
            stated = VersionSet.parse(field.versions)
            # A struct may have ended before the versions that a spec states for its fields.
            having = [number for number in paths if field.path in paths[number]]
            is_ended = any(number in stated and number not in having for number in paths)
            if having:
                yield FieldUse(
                    document,
                    message,
                    field.path,
                    str(VersionSet.of(having)) if is_ended else field.versions,
                    _later(released.get(min(having), ""), since_release(field.events)),
                    field.spec_type,
                    f"api/{document.slug}/#{version_anchor(max(having), message.type, field.path)}",
                )


def _later(version: str, field: str) -> str:
    """The release of a field: that of its first version, or a later one that added the field to it."""
    first, own = ReleaseName.parse(version), ReleaseName.parse(field)
    return field if not version or (first is not None and own is not None and first < own) else version


def _distinguished(uses: Sequence[FieldUse]) -> list[FieldUse]:
    """The uses of a name; several in one message are shown with their paths."""
    counts = Counter(use.message.name for use in uses)
    return [replace(use, is_one_of_several=counts[use.message.name] > 1) for use in uses]
