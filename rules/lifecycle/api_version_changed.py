"""A protocol level keeps its id, and an id its level, forever.

## What it does
Compares `api_versions.json` of both sides. It reports names whose id changed (once for all that
shifted together), ids that now belong to another name, entries that are removed, together, and
specs that no longer have the file.

## Why it breaks
Servers log the id, configurations and histories name the version, and documentation refers to both.
After the change each of them means something different from what was written, or nothing.

## When it is fine
A change of an unreleased protocol level is a warning (neither it nor any later one has an `about`).

## Do instead
Leave every entry unchanged, and add new ones at the end. If no release had a level, state that in
its `about`.

## Example
```diff
@@ api_versions.json @@
  [
    { "id": 0, "version": "1.0-IV0", "release": "1.0" },
    { "id": 1, "version": "1.1-IV0", "release": "1.1" },
-   { "id": 2, "version": "2.0-IV0", "release": "2.0" }
+   { "id": 2, "version": "2.0-IV1", "release": "2.0" }
  ]
```
"""

import posixpath

from wirebook.rules.lifecycle.api_version_ids import place_of
from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.reading.discovery import REGISTRY


@rule(Category.POLICY, "KIP-35")
def api_version_changed(pair: ProtocolPair) -> Hits:
    old, new = pair.old_registry, pair.new_registry
    if old is None:
        return
    yield from _removed(old, new)
    if new is None:
        return
    # api-version-ids reports a name that appears twice; its first entry counts on both sides.
    before = {entry.version: entry for entry in reversed(old.api_versions)}
    after = {entry.version: entry for entry in reversed(new.api_versions)}
    numbers = {entry.id: entry for entry in new.api_versions}
    removed = {entry.id for entry in old.api_versions if entry.version not in after}
    moved = [
        entry
        for entry in new.api_versions
        if entry is after[entry.version]
        and entry.version in before
        and before[entry.version].id != entry.id
        # An entry that only moved up because others were removed is no change of its own.
        and before[entry.version].id - entry.id
        != sum(number < before[entry.version].id for number in removed)
    ]
    if moved:
        first = moved[0]
        previous = before[first.version]
        more = f"; the same holds for {len(moved) - 1} more" if len(moved) > 1 else ""
        yield Hit(
            f"the protocol level {first.version} had id {previous.id} and now has id "
            f"{first.id}{more}",
            "keep the ids, and add new entries at the end",
            severity=_severity(old, [before[entry.version] for entry in moved]),
            place=place_of(new, first),
            previous_place=place_of(old, previous),
            discriminator=first.version,
            change="; ".join(
                f"{entry.version}: id {before[entry.version].id} -> {entry.id}" for entry in moved
            ),
        )
    for entry in old.api_versions:
        other = numbers.get(entry.id)
        if entry.version not in after and other is not None and other.version not in before:
            yield Hit(
                f"the id {entry.id} was that of {entry.version} and is now that of {other.version}",
                f"keep {entry.version}, and give {other.version} the next free id",
                severity=_severity(old, [entry]),
                place=place_of(new, other),
                previous_place=place_of(old, entry),
                discriminator=entry.version,
                change=f"id {entry.id}: {entry.version} -> {other.version}",
            )


def _removed(old: Registry, new: Registry | None) -> Hits:
    """The entries that are removed, or the whole file."""
    if not old.api_versions:
        return
    if new is None:
        name = posixpath.basename(old.path)
        # A profile names one of another name, and may no longer do so.
        naming = "" if name == REGISTRY else ", and name it in the profile"
        yield Hit(
            "the specs no longer have the registry of protocol levels, which has "
            f"{len(old.api_versions)} "
            "entries",
            f"keep {name}{naming}",
            previous_place=place_of(old, old.api_versions[0]),
        )
        return
    names = {entry.version for entry in new.api_versions}
    old_levels = {entry.version for entry in old.api_versions}
    ids = {entry.id for entry in new.api_versions if entry.version not in old_levels}
    removed = [
        entry for entry in old.api_versions if entry.version not in names and entry.id not in ids
    ]
    if removed:
        first = removed[0]
        more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
        yield Hit(
            f"the protocol level {first.version} (id {first.id}){more} is removed from the "
            "registry",
            "keep every entry, and add new ones at the end",
            previous_place=place_of(old, first),
            discriminator=first.version,
            change=f"removed: {', '.join(entry.version for entry in removed)}",
        )


def _severity(registry: Registry, entries: list[ApiVersion]) -> Severity:
    """An error if one of them is released."""
    released = {entry.version for entry in registry.described}
    return (
        Severity.ERROR if any(entry.version in released for entry in entries) else Severity.WARNING
    )
