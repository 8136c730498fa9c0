"""A protocol level keeps its id forever; ids start at 0 and increase by one.

## What it does
Reads `api_versions.json` from top to bottom, and reports a first id other than 0, an entry whose id
is not that of the previous entry plus one, and a repeated `version`. Compared with base, it reports
names whose id changed (once for all that shifted together), ids that now belong to another name,
entries that are removed, together, and specs that no longer have the file.

## Why it breaks
The id identifies a protocol level, and a higher id is a newer level. Servers log it, and
configurations, histories and documentation refer to it or to the name. After the change each of
them means something different, or nothing.

## When it is fine
An error that base has is not reported again. A change of an unreleased level is a warning (neither
it nor any later one has an `about`).

## Do instead
Leave every entry unchanged, and add a new one at the end, with the last id plus one. If no release
had a level, state that in its `about`.

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
from collections.abc import Iterator

from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Category, Hit, Hits, Place, Severity, rule
from wirebook.specs.discovery import REGISTRY
from wirebook.specs.levels import ApiVersion, Registry


@rule(Category.POLICY, "KIP-35")
def api_version_ids(pair: ProtocolPair) -> Hits:
    base, head = pair.base_registry, pair.head_registry
    known = {message for _, message in _faults(base)}
    for entry, message in _faults(head):
        if message not in known:
            yield Hit(
                message,
                "number the levels from 0 without gaps, and name each level once",
                place=place_of(head, entry),
                discriminator=f"{entry.version} {entry.id}",
            )
    if base is not None:
        yield from _changed(base, head)


def _changed(base: Registry, head: Registry | None) -> Hits:
    """What becomes of the entries of base."""
    if not base.api_versions:
        return
    if head is None:
        # A profile names one of another name, and may no longer do so.
        name = posixpath.basename(base.path)
        naming = "" if name == REGISTRY else ", and name it in the profile"
        yield Hit(
            "the specs no longer have the registry of protocol levels, which has "
            f"{len(base.api_versions)} entries",
            f"keep {name}{naming}",
            previous_place=place_of(base, base.api_versions[0]),
        )
        return
    before, after = _by_name(base), _by_name(head)
    added = {entry.id: entry for entry in head.api_versions if entry.version not in before}
    missing = [entry for entry in base.api_versions if entry.version not in after]
    moved, removed = [], [entry for entry in missing if entry.id not in added]
    for name, entry in after.items():
        # An entry that only moved up because others were removed is no change of its own.
        was = before.get(name, entry).id
        if was != entry.id and was - entry.id != sum(other.id < was for other in missing):
            moved.append(before[name])
    # The entries of base with the entry that shows the change, and what to say.
    changes: list[tuple[list[ApiVersion], ApiVersion | None, str, str, str]] = []
    if moved:
        first, now = moved[0], after[moved[0].version]
        more = f"; the same holds for {len(moved) - 1} more" if len(moved) > 1 else ""
        text = f"the protocol level {first.version} had id {first.id} and now has id {now.id}{more}"
        ids = [f"{each.version}: id {each.id} -> {after[each.version].id}" for each in moved]
        fix = "keep the ids, and add new entries at the end"
        changes.append((moved, now, text, fix, "; ".join(ids)))
    for entry in missing:
        if other := added.get(entry.id):
            text = (
                f"the id {entry.id} was that of {entry.version} and is now that of {other.version}"
            )
            fix = f"keep {entry.version}, and give {other.version} the next free id"
            change = f"id {entry.id}: {entry.version} -> {other.version}"
            changes.append(([entry], other, text, fix, change))
    if removed:
        first, names = removed[0], ", ".join(entry.version for entry in removed)
        more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
        text = (
            f"the protocol level {first.version} (id {first.id}){more} is removed from the registry"
        )
        fix = "keep every entry, and add new ones at the end"
        changes.append((removed, None, text, fix, f"removed: {names}"))
    for entries, shown, text, fix, change in changes:
        is_released = shown is None or any(entry in base.described for entry in entries)
        yield Hit(
            text,
            fix,
            severity=Severity.ERROR if is_released else Severity.WARNING,
            place=place_of(head, shown),
            previous_place=place_of(base, entries[0]),
            discriminator=entries[0].version,
            change=change,
        )


def _by_name(registry: Registry) -> dict[str, ApiVersion]:
    """The first entry of each name: a name that appears twice is reported by itself."""
    entries: dict[str, ApiVersion] = {}
    for entry in registry.api_versions:
        entries.setdefault(entry.version, entry)
    return entries


def place_of(registry: Registry | None, entry: ApiVersion | None) -> Place | None:
    """The place of an entry."""
    if registry is None or entry is None or entry.place is None:
        return None
    return Place(registry.path, *entry.place[0], *entry.place[1])


def _faults(registry: Registry | None) -> Iterator[tuple[ApiVersion, str]]:
    expected, before = 0, ""
    names: set[str] = set()
    for entry in registry.api_versions if registry else ():
        level = f"the protocol level {entry.version}"
        if entry.id != expected:
            after = f"{expected} follows {before}" if before else "the first is 0"
            yield entry, f"{level} has id {entry.id}, but {after}"
        if entry.version in names:
            yield entry, f"{level} appears twice in the registry"
        names.add(entry.version)
        expected, before = entry.id + 1, entry.version
