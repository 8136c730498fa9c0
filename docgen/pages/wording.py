"""Events of the catalog in English: what happened, and since when (added, unstable, stable)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from wirebook.docgen.catalog.records import (
    UNRELEASED,
    ApiDocument,
    Event,
    FieldRecord,
    MessageVersion,
    Since,
    VersionRecord,
)
from wirebook.specs.model import FieldValue
from wirebook.specs.releases import ReleaseName
from wirebook.specs.versions import VersionSet, counted


class Beginning(NamedTuple):
    """How a thing began: its first events of three kinds, and whether it was unstable when it was
    added, a preview; it may become unstable later, too."""

    added: Event | None
    unstable: Event | None
    stable: Event | None
    is_preview: bool

    @property
    def served(self) -> Event | None:
        """The event since which it counts: a preview begins when it becomes stable."""
        return self.stable if self.is_preview else self.added


def _beginning(events: Iterable[Event]) -> Beginning:
    first: dict[str, Event] = {}
    for event in events:
        first.setdefault(event.event, event)
    added, unstable, stable = (first.get(kind) for kind in ("added", "unstable", "stable"))
    is_preview = unstable is not None
    if added is not None and unstable is not None and not unstable.since.at_or_before:
        is_preview = _release_of(added.since) == _release_of(unstable.since)
    return Beginning(added, unstable, stable, is_preview)


def since_word(events: Iterable[Event]) -> str:
    """Since when something is there, in a word: "3.7.0", "3.7-IV4", "2.2.0 or earlier"; "" if
    unknown."""
    beginning = _beginning(events)
    if beginning.served is None and beginning.added is not None:
        return f"{moment(beginning.added.since)} (unstable)"
    return "" if beginning.served is None else moment(beginning.served.since)


def _release_of(since: Since) -> str:
    return str(since.release or since.api_version or "")


def value_notes(value: FieldValue, versions: str) -> str:
    """What is known of a value besides its meaning, as words; `versions` are those of its field."""
    notes = [value.releases] if value.releases else []
    if any(not value.versions.covers(part) for part in VersionSet.parse(versions).ranges):
        notes.append(counted(VersionSet((value.versions,))))
    if value.since:
        notes.append(f"added in {value.since}")
    if value.deprecated:
        everywhere = value.deprecated.covers(value.versions)
        where = "" if everywhere else f" in {counted(VersionSet((value.deprecated,)))}"
        since = f" since {value.deprecated_since}" if value.deprecated_since else ""
        notes.append(f"deprecated{where}{since}")
    if value.removed_in:
        notes.append(f"removed in {value.removed_in}")
    if value.former_names:
        notes.append(f"formerly {', '.join(value.former_names)}")
    return "; ".join(notes)


def _release(event: Event | None) -> str:
    """The release of an event; "" if unknown, or before the first one."""
    return "" if event is None or event.since.at_or_before else _release_of(event.since)


def field_release(field: FieldRecord, versions: Iterable[VersionRecord]) -> str:
    """Only the release that first served a field as stable, or "" if it is unknown; `versions` are
    those that have it, ascending.

    A tagged field can be added to a version after that version's release.
    """
    stable = next((version for version in versions if was_stable(version)), None)
    if stable is None:
        return ""
    of_version = _release(_beginning(stable.events).served)
    of_field = _release(next((each for each in field.events if each.event == "added"), None))
    first, second = ReleaseName.parse(of_version), ReleaseName.parse(of_field)
    is_later = first is not None and second is not None and first < second
    return of_field if is_later or not of_version else of_version


def was_stable(version: VersionRecord) -> bool:
    """Whether any release served a version as stable."""
    return _beginning(version.events).served is not None


def moment(since: Since) -> str:
    """A Since of the catalog as text: the release, with the ApiVersion if it says more."""
    name = since.release or since.api_version or ""
    level = since.api_version
    if level and since.release and level != since.release:
        name = f"{since.release} ({level})"
    return f"{name} or earlier" if since.at_or_before and since.api_version_id != 0 else name


def runs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighboring releases, in order, with the same text: ("1.0.0 to 1.2.0", text)."""
    found = []
    for text, group in groupby(pairs, key=lambda pair: pair[1]):
        names = [name for name, _ in group]
        found.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", text))
    return found


def lifecycle_words(events: Sequence[Event]) -> list[str]:
    """The events of a thing in words; what was unstable when it was added began as a preview."""
    added, unstable, stable, is_preview = _beginning(events)
    if added is None or unstable is None or not is_preview:
        return [event_words(event) for event in events]
    rest = [event_words(event) for event in events if event not in (added, unstable, stable)]
    if stable is None:
        return [event_words(unstable), *rest]
    return [f"preview since {moment(unstable.since)}, stable since {moment(stable.since)}", *rest]


def event_words(event: Event) -> str:
    """An event in words: "removed in 4.0.0 (4.0-IV3)"."""
    more = f": {event.words}" if event.words else ""
    link = "in" if event.event in ("removed", "returned", "added") else "since"
    word = {"undeprecated": "no longer deprecated"}.get(event.event, event.event.replace("_", " "))
    if event.since.release == UNRELEASED:
        return f"{word}, not released{more}"
    return f"{word} {link} {moment(event.since)}{more}"


def change_text(version: MessageVersion) -> str:
    """What a message's version changed, from its history or else from its comments."""
    return version.about or " ".join(version.notes)


def version_text(document: ApiDocument, version: VersionRecord) -> str:
    """What a version of an API changed: its own text, or else those of its messages."""
    number = version.version
    forms = [each.versions[number] for each in document.messages if number in each.versions]
    return version.about or " ".join(dict.fromkeys(map(change_text, forms)))
