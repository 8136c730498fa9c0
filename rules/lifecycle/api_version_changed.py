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
from wirebook.specs.discovery import REGISTRY
from wirebook.specs.levels import ApiVersion, Registry


@rule(Category.POLICY, "KIP-35")
def api_version_changed(pair: ProtocolPair) -> Hits:
    old, new = pair.old_registry, pair.new_registry
    if old is None or not old.api_versions:
        return
    if new is None:
        # A profile names one of another name, and may no longer do so.
        name = posixpath.basename(old.path)
        naming = "" if name == REGISTRY else ", and name it in the profile"
        yield Hit(
            "the specs no longer have the registry of protocol levels, which has "
            f"{len(old.api_versions)} entries",
            f"keep {name}{naming}",
            previous_place=place_of(old, old.api_versions[0]),
        )
        return
    before, after = _by_name(old), _by_name(new)
    added = {entry.id: entry for entry in new.api_versions if entry.version not in before}
    gone = [entry for entry in old.api_versions if entry.version not in after]
    moved = []
    for name, entry in after.items():
        # An entry that only moved up because others were removed is no change of its own.
        was = before.get(name, entry).id
        if was != entry.id and was - entry.id != sum(other.id < was for other in gone):
            moved.append(before[name])
    released = {entry.version for entry in old.described}

    def hit(was: list[ApiVersion], now: ApiVersion, text: str, fix: str, change: str) -> Hit:
        is_released = any(entry.version in released for entry in was)
        return Hit(
            text,
            fix,
            severity=Severity.ERROR if is_released else Severity.WARNING,
            place=place_of(new, now),
            previous_place=place_of(old, was[0]),
            discriminator=was[0].version,
            change=change,
        )

    if moved:
        first = after[moved[0].version]
        more = f"; the same holds for {len(moved) - 1} more" if len(moved) > 1 else ""
        changes = [f"{each.version}: id {each.id} -> {after[each.version].id}" for each in moved]
        yield hit(
            moved,
            first,
            f"the protocol level {first.version} had id {moved[0].id} and now has id "
            f"{first.id}{more}",
            "keep the ids, and add new entries at the end",
            "; ".join(changes),
        )
    removed = [entry for entry in gone if entry.id not in added]
    for entry in gone:
        if entry.id in added:
            name = added[entry.id].version
            yield hit(
                [entry],
                added[entry.id],
                f"the id {entry.id} was that of {entry.version} and is now that of {name}",
                f"keep {entry.version}, and give {name} the next free id",
                f"id {entry.id}: {entry.version} -> {name}",
            )
    if removed:
        last = removed[0]
        more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
        yield Hit(
            f"the protocol level {last.version} (id {last.id}){more} is removed from the registry",
            "keep every entry, and add new ones at the end",
            previous_place=place_of(old, last),
            discriminator=last.version,
            change=f"removed: {', '.join(entry.version for entry in removed)}",
        )


def _by_name(registry: Registry) -> dict[str, ApiVersion]:
    """The first entry of each name: api-version-ids reports a name that appears twice."""
    entries: dict[str, ApiVersion] = {}
    for entry in registry.api_versions:
        entries.setdefault(entry.version, entry)
    return entries
