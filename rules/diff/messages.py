"""Every change of a message between two sides: of the message, its history, its structs and its fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wirebook.rules.diff.fields import absent, field_changes
from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.diff.sides import Sides, place_of
from wirebook.specs.model import HistoryEntry, Message
from wirebook.specs.versions import Versions, VersionSet
from wirebook.specs.wire.layout import header_of


def message_changes(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
    """The differences between two sides of a message; None if a side does not have it."""
    if old is None and new is not None:
        place = place_of(new, new.written.at("name"))
        yield ProtocolChange("message-added", new, new=str(new.valid_versions), location=place)
    elif new is None and old is not None:
        place = place_of(old, old.written.at("name"))
        yield ProtocolChange("message-removed", old, old=str(old.valid_versions), previous=place)
    elif old is not None and new is not None and old is not new:
        sides = Sides(old, new)
        yield from _of_message(sides)
        yield from field_changes(sides)


def _of_message(sides: Sides) -> Iterator[ProtocolChange]:
    old, new = sides.old, sides.new
    for kind, key, attribute in (
        ("message-renamed", "name", "name"),
        ("message-type-changed", "type", "type"),
        ("api-key-changed", "apiKey", "api_key"),
    ):
        values = absent(getattr(old, attribute)), absent(getattr(new, attribute))
        if values[0] != values[1]:
            yield sides.change(kind, key, values=values)
    yield from _of_ranges(
        sides, "validVersions", old.valid_versions, new.valid_versions, "versions-added", "versions-removed"
    )
    if old.flexible_versions != new.flexible_versions:
        differ = sides.among(lambda era: (era in old.flexible_versions) != (era in new.flexible_versions))
        both = str(old.flexible_versions), str(new.flexible_versions)
        yield sides.change("flexible-versions-changed", "flexibleVersions", versions=differ, values=both)
    if old.header_versions != new.header_versions:
        differ = sides.among(lambda era: header_of(old, era) != header_of(new, era))
        written = _headers(old), _headers(new)
        yield sides.change("header-versions-changed", "headerVersions", versions=differ, values=written)
    yield from _of_ranges(
        sides,
        "deprecatedVersions",
        old.deprecated_versions,
        new.deprecated_versions,
        "versions-deprecated",
        "versions-undeprecated",
    )
    yield from _of_mark(sides)
    for name in sorted({*new.listeners} - {*old.listeners}):
        yield sides.change("listener-added", "listeners", subject=name)
    for name in sorted({*old.listeners} - {*new.listeners}):
        yield sides.change("listener-removed", "listeners", subject=name)
    yield from _of_history(sides)
    yield from _of_common_structs(sides)
    yield from sides.of_text("", old.written, new.written, (old.header, new.header))


def _of_ranges(
    sides: Sides, key: str, old: Versions, new: Versions, added: str, removed: str
) -> Iterator[ProtocolChange]:
    for kind, more, less in ((added, new, old), (removed, old, new)):
        if not more - less:
            continue
        change = replace(sides.change(kind, key), versions=more - less)
        if kind == "versions-undeprecated":
            # A version that is no longer valid is not deprecated either, whatever the key contains.
            still = change.versions & VersionSet.union(sides.new.valid_versions)
            change = replace(change, versions=still, old=str(old), new=str(new))
        yield change


def _of_mark(sides: Sides) -> Iterator[ProtocolChange]:
    old, new = sides.old, sides.new
    if old.latest_version_unstable and not new.latest_version_unstable:
        top = old.valid_versions.highest
        kind = "version-made-stable"
    elif new.latest_version_unstable and not old.latest_version_unstable:
        top = new.valid_versions.highest
        kind = "version-made-unstable"
    elif old.latest_version_unstable and new.valid_versions.highest > old.valid_versions.highest:
        top = old.valid_versions.highest
        kind = "version-made-stable"
    else:
        return
    yield replace(sides.change(kind, "latestVersionUnstable"), versions=VersionSet.of([max(top, 0)]))


def _of_history(sides: Sides) -> Iterator[ProtocolChange]:
    before = {entry.version: entry for entry in sides.old.history}
    after = {entry.version: entry for entry in sides.new.history}
    for version in sorted(before.keys() | after.keys()):
        one, other = before.get(version), after.get(version)
        if one == other:
            continue
        kind = "history-added" if one is None else "history-removed" if other is None else "history-changed"
        nodes = (one.written if one else None, other.written if other else None)
        values = (one and _entry(one), other and _entry(other))
        yield sides.change(kind, nodes=nodes, subject=str(version), values=values)


def _of_common_structs(sides: Sides) -> Iterator[ProtocolChange]:
    before = {struct.name: struct for struct in sides.old.common_structs}
    after = {struct.name: struct for struct in sides.new.common_structs}
    for name in (*after, *(name for name in before if name not in after)):
        one, other = before.get(name), after.get(name)
        nodes = (one.written if one else None, other.written if other else None)
        if one is None or other is None:
            kind = "struct-added" if one is None else "struct-removed"
            yield sides.change(kind, nodes=nodes, subject=name)
            continue
        for kind, key, attribute in (
            ("struct-versions-changed", "versions", "versions"),
            ("struct-deprecation-changed", "deprecatedVersions", "deprecated_versions"),
        ):
            values = getattr(one, attribute), getattr(other, attribute)
            if values[0] != values[1]:
                texts = str(values[0]), str(values[1])
                yield sides.change(kind, key, nodes=nodes, subject=name, values=texts)
        yield from sides.of_text(name, one.written, other.written)


def _headers(message: Message) -> str:
    ranges = message.header_versions
    if ranges is None:
        return "none"
    return ", ".join(f"{versions}: {header}" for versions, header in ranges) or "{}"


def _entry(entry: HistoryEntry) -> str:
    words = ("added", "deprecated", "undeprecated", "removed", "returned")
    parts = [f"{word} {getattr(entry, word)}" for word in words if getattr(entry, word)]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"
