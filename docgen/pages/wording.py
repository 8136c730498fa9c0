"""Events of the catalog in English: what happened, and since when (added, unstable, stable)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirebook.docgen.catalog.records import Event, FieldRecord, MessageVersion, Since, VersionRecord
from wirebook.specs.numbers import FieldValue
from wirebook.specs.releases import ReleaseName
from wirebook.specs.versions import VersionSet, counted


def since_word(events: Iterable[Event], kind: str = "added") -> str:
    """When something happened, in a word: "3.7.0", "3.7-IV4", "2.2.0 or earlier"; "" if unknown.

    What was unstable when it was added is dated by when it became stable, and what happened several
    times by the last time.
    """
    events = list(events)
    if kind != "added":
        return moment(
            next((event.since for event in reversed(events) if event.event == kind), None)
        )
    events_by_kind = _first_of_each_kind(events)
    first = events_by_kind.get("added")
    if first is None:
        return ""
    if _began_unstable(events_by_kind):
        stable = events_by_kind.get("stable")
        return moment(stable.since) if stable is not None else f"{moment(first.since)} (unstable)"
    return moment(first.since)


def _first_of_each_kind(events: Iterable[Event]) -> dict[str, Event]:
    return {event.event: event for event in reversed(list(events))}


def _began_unstable(by_kind: Mapping[str, Event]) -> bool:
    """Whether a thing was unstable when it was added; it may become unstable later, too."""
    added, unstable = by_kind.get("added"), by_kind.get("unstable")
    if added is None or unstable is None or unstable.since.at_or_before:
        return unstable is not None
    return _release_of(added.since) == _release_of(unstable.since)


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


def since_release(events: Iterable[Event]) -> str:
    """Only the release in which something was added: "3.7.0"; "" if unknown or before the first
    one."""
    since = next((event.since for event in events if event.event == "added"), None)
    return "" if since is None or since.at_or_before else _release_of(since)


def unstable_release(events: Iterable[Event]) -> str:
    """Only the release in which something last became unstable; "" as for `since_release`."""
    since = [event.since for event in events if event.event == "unstable"]
    return "" if not since or since[-1].at_or_before else _release_of(since[-1])


def stable_release(events: Sequence[Event]) -> str:
    """Only the release from which something is stable; "" as for `since_release`, and if it never
    was."""
    by_kind = _first_of_each_kind(events)
    if not _began_unstable(by_kind):
        return since_release(events)
    return _release_of(by_kind["stable"].since) if "stable" in by_kind else ""


def field_release(
    field: FieldRecord, versions: Iterable[VersionRecord], snapshots: Sequence[str]
) -> str:
    """Only the release that first served a field as stable; `versions` are those that have it,
    ascending.

    "" as for `stable_release`. A tagged field can be added to a version after that version's
    release: `snapshots` are the names of all, in their order.
    """
    stable = next((version for version in versions if was_stable(version)), None)
    if stable is None:
        return ""
    of_version, of_field = stable_release(stable.events), since_release(field.events)
    return (
        of_field if not of_version or _is_earlier(of_version, of_field, snapshots) else of_version
    )


def _is_earlier(release: str, other: str, snapshots: Sequence[str]) -> bool:
    """Whether a release precedes another: in the order of the snapshots, or by their numbers."""
    if release in snapshots and other in snapshots:
        return snapshots.index(release) < snapshots.index(other)
    first, second = ReleaseName.parse(release), ReleaseName.parse(other)
    return first is not None and second is not None and first < second


def served_versions(stated: VersionSet, versions: Iterable[VersionRecord]) -> VersionSet:
    """The versions of a field without those that were removed before a release served them as
    stable.

    All of them, if nothing would be left.
    """
    unserved = (
        each.version for each in versions if each.state == "removed" and not was_stable(each)
    )
    return (stated - VersionSet.of(unserved)) or stated


def was_stable(version: VersionRecord) -> bool:
    """Whether any release served a version as stable."""
    by_kind = _first_of_each_kind(version.events)
    return not _began_unstable(by_kind) or "stable" in by_kind


def moment(since: Since | None) -> str:
    """A Since of the catalog as text: the release, with the ApiVersion if it says more."""
    if not since:
        return ""
    name = since.release or since.api_version or ""
    level = since.api_version
    if level and since.release and level != since.release:
        name = f"{since.release} ({level})"
    return f"{name} or earlier" if since.at_or_before and since.api_version_id != 0 else name


def snapshot_spans(names: Sequence[str], snapshots: Sequence[str]) -> str:
    """Some of all snapshots in words, neighbors joined: "1.0.0 to 1.1.0, 1.3.0"; both are in
    order."""
    at = {name: place for place, name in enumerate(snapshots)}
    spans: list[list[str]] = []
    for name in names:
        if spans and at[spans[-1][-1]] + 1 == at[name]:
            spans[-1].append(name)
        else:
            spans.append([name])
    return ", ".join(span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans)


def lifecycle_words(events: Sequence[Event]) -> list[str]:
    """The events of a thing in words; what was unstable when it was added began as a preview."""
    by_kind = _first_of_each_kind(events)
    added, unstable, stable = (by_kind.get(kind) for kind in ("added", "unstable", "stable"))
    if added is None or unstable is None or not _began_unstable(by_kind):
        return [event_words(event) for event in events]
    rest = [event_words(event) for event in events if event not in (added, unstable, stable)]
    if stable is None:
        return [event_words(unstable), *rest]
    return [f"preview since {moment(unstable.since)}, stable since {moment(stable.since)}", *rest]


def event_words(event: Event) -> str:
    """An event in words: "removed in 4.0.0 (4.0-IV3)"."""
    link = {"removed": "in", "returned": "in", "added": "in"}.get(event.event, "since")
    word = {"undeprecated": "no longer deprecated"}.get(event.event, event.event.replace("_", " "))
    more = f": {event.words}" if event.words else ""
    return f"{word} {link} {moment(event.since)}{more}"


def change_text(version: MessageVersion) -> str:
    """What a message's version changed, from its history or else from its comments."""
    return version.about or " ".join(version.notes)
