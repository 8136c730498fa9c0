"""Events of the catalog in English: what happened, and since when (added, unstable, stable)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

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

Fact = TypeVar("Fact")


def _first(events: Iterable[Event]) -> dict[str, Event]:
    """The first event of each kind."""
    first: dict[str, Event] = {}
    for event in events:
        first.setdefault(event.event, event)
    return first


def _is_preview(first: Mapping[str, Event]) -> bool:
    """Whether a thing was unstable when it was added; it may become unstable later, too."""
    if "unstable" not in first or "added" not in first:
        return "unstable" in first
    unstable = first["unstable"].since
    return unstable.at_or_before or _release_of(first["added"].since) == _release_of(unstable)


def _served(events: Iterable[Event]) -> Event | None:
    """The event since which a thing counts: a preview begins when it becomes stable."""
    first = _first(events)
    return first.get("stable" if _is_preview(first) else "added")


def since_word(events: Sequence[Event]) -> str:
    """Since when something is there, in a word: "3.7.0", "3.7-IV4", "2.2.0 or earlier"; "" if
    unknown."""
    served = _served(events)
    added = _first(events).get("added")
    if served is not None:
        return moment(served.since)
    return "" if added is None else f"{moment(added.since)} (unstable)"


def _release_of(since: Since) -> str:
    return since.release or since.api_version or ""


def value_notes(value: FieldValue, versions: str) -> str:
    """What is known of a value besides its meaning, as words; `versions` are those of its field."""
    notes = [value.releases] if value.releases else []
    if VersionSet.parse(versions) - VersionSet((value.versions,)):
        notes.append(counted(value.versions))
    if value.since:
        notes.append(f"added in {value.since}")
    if value.deprecated:
        deprecated = "deprecated"
        if not value.deprecated.covers(value.versions):
            deprecated += f" in {counted(value.deprecated)}"
        if value.deprecated_since:
            deprecated += f" since {value.deprecated_since}"
        notes.append(deprecated)
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
    served = next(filter(None, (_served(version.events) for version in versions)), None)
    if served is None:
        return ""
    of_version = _release(served)
    of_field = _release(_first(field.events).get("added"))
    first = ReleaseName.parse(of_version)
    second = ReleaseName.parse(of_field)
    is_later = first is not None and second is not None and first < second
    return of_field if is_later or not of_version else of_version


def was_stable(version: VersionRecord) -> bool:
    """Whether any release served a version as stable."""
    return _served(version.events) is not None


def moment(since: Since) -> str:
    """A Since of the catalog as text: the release, with the ApiVersion if it says more."""
    name = _release_of(since)
    if since.api_version and since.api_version != name:
        name += f" ({since.api_version})"
    return f"{name} or earlier" if since.at_or_before and since.api_version_id != 0 else name


def runs(pairs: Iterable[tuple[str, Fact]]) -> list[tuple[str, Fact]]:
    """Neighboring releases, in order, of which the same is true: ("1.0.0 to 1.2.0", fact)."""
    joined = []
    for fact, group in groupby(pairs, key=itemgetter(1)):
        names = [name for name, _ in group]
        joined.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", fact))
    return joined


def lifecycle_words(events: Sequence[Event]) -> list[str]:
    """The events of a thing in words; what was unstable when it was added began as a preview."""
    first = _first(events)
    if "added" not in first or not _is_preview(first):
        return [event_words(event) for event in events]
    began = [first.get(kind) for kind in ("added", "unstable", "stable")]
    preview = event_words(first["unstable"])
    if "stable" in first:
        since = moment(first["unstable"].since)
        preview = f"preview since {since}, stable since {moment(first['stable'].since)}"
    return [preview, *(event_words(event) for event in events if event not in began)]


def event_words(event: Event) -> str:
    """An event in words: "removed in 4.0.0 (4.0-IV3)"."""
    word = event.event.replace("undeprecated", "no longer deprecated").replace("_", " ")
    link = "in" if event.event in ("removed", "returned", "added") else "since"
    is_released = event.since.release != UNRELEASED
    when = f" {link} {moment(event.since)}" if is_released else ", not released"
    return f"{word}{when}: {event.words}" if event.words else f"{word}{when}"


def change_text(version: VersionRecord | MessageVersion) -> str:
    """What a version changed, from its history or else from its comments."""
    return version.about or " ".join(version.notes)


def version_text(document: ApiDocument, version: VersionRecord) -> str:
    """What a version of an API changed: its own text, or else those of its messages."""
    number = version.version
    forms = [each.versions[number] for each in document.messages if number in each.versions]
    return version.about or " ".join(dict.fromkeys(map(change_text, forms)))
