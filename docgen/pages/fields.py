"""The page of fields by name: which requests and responses have each, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, VersionRecord
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.links import Ids, anchor, version_anchor
from wirebook.docgen.pages.page import Page, root_of
from wirebook.docgen.pages.wording import (
    field_release,
    served_versions,
    since_release,
    stable_release,
    unstable_release,
    was_stable,
)
from wirebook.specs.versions import VersionSet, counted

PATH = "fields/"


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A field of a message: its path, the versions of the message that have it, and the release
    that first served one of them as stable.

    `notes` name the versions that are not served as stable: "version 0 removed in 4.1". `href` is
    the row of the field in the newest version, from the root; `is_one_of_several` is whether the
    message has other fields of that name.
    """

    document: ApiDocument
    message: MessageRecord
    path: str
    versions: str
    release: str
    type: str
    href: str
    notes: tuple[str, ...] = ()
    is_one_of_several: bool = False


def fields_page(documents: Iterable[ApiDocument]) -> Page:
    """The page of the names of all fields."""
    ids = Ids()
    names: dict[str, list[FieldUse]] = {}
    for document in sorted(
        documents, key=lambda document: (key_order(document.api_key), document.api)
    ):
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
        words=("cross-reference", "which APIs have the field"),
        description="For each name, the APIs that have such a field, with the first version and "
        "its release.",
    )


def field_uses(document: ApiDocument) -> Iterator[FieldUse]:
    """Every field of the messages of an API, dated by its first stable version."""
    records = {version.version: version for version in document.versions}
    snapshots = [presence.snapshot for presence in document.presence]
    for message in document.messages:
        paths = {
            number: {field.path for field in version.layout.walk()}
            for number, version in message.versions.items()
        }
        for field in message.fields:
            stated = VersionSet.parse(field.versions)
            # A struct may have ended before the versions that a spec states for its fields.
            having = sorted(number for number in paths if field.path in paths[number])
            is_ended = any(number in stated and number not in having for number in paths)
            if having:
                of_versions = [records[number] for number in having if number in records]
                stable = next((each for each in of_versions if was_stable(each)), None)
                yield FieldUse(
                    document,
                    message,
                    field.path,
                    str(
                        served_versions(VersionSet.of(having) if is_ended else stated, of_versions)
                    ),
                    field_release(field, of_versions, snapshots),
                    field.spec_type,
                    f"api/{document.slug}/v{max(having)}/"
                    f"#{version_anchor(max(having), message.type, field.path)}",
                    tuple(_notes(of_versions, stable)),
                )


def _notes(versions: Sequence[VersionRecord], first: VersionRecord | None) -> Iterator[str]:
    """The versions that were removed or are unstable, and since when the first stable one was
    unstable."""
    removed: dict[str, list[int]] = {}
    for version in versions:
        since = next(
            (event.since for event in reversed(version.events) if event.event == "removed"), None
        )
        if version.state == "removed" and since is not None:
            release = str(since.release or since.api_version or "")
            if was_stable(version):
                removed.setdefault(release, []).append(version.version)
            else:
                words = _dated(
                    f"version {version.version} unstable",
                    " since",
                    unstable_release(version.events),
                )
                yield _dated(f"{words}, removed", " in", release)
        elif version.state == "unstable":
            yield _dated(
                f"version {version.version} unstable", " since", unstable_release(version.events)
            )
        elif version is first and since_release(version.events) != stable_release(version.events):
            yield _dated("unstable before", ", since", since_release(version.events))
    for release, numbers in removed.items():
        yield _dated(f"{counted(VersionSet.of(numbers))} removed", " in", release)


def _dated(words: str, preposition: str, release: str) -> str:
    """Words with the release, if that is known."""
    return f"{words}{preposition} {release}" if release else words


def _distinguished(uses: Sequence[FieldUse]) -> list[FieldUse]:
    """The uses of a name; several in one message are shown with their paths."""
    counts = Counter(use.message.name for use in uses)
    return [replace(use, is_one_of_several=counts[use.message.name] > 1) for use in uses]
