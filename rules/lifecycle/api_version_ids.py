"""The ids of protocol levels start at 0 and increase by one, and no name appears twice.

## What it does
Reads `api_versions.json` from top to bottom, and reports a first id other than 0, an entry whose id
is not that of the previous entry plus one, and a repeated `version`.

## Why it breaks
The id identifies a protocol level: documentation refers to it, and a higher id is a newer level.
After a gap, a repetition or a step back, ids no longer identify levels or order them.

## When it is fine
An error that the old side already had is not reported again.

## Do instead
Add a new entry at the end of the file, with the last id plus one.

## Example
```diff
@@ api_versions.json @@
  [
    { "id": 0, "version": "1.0-IV0", "release": "1.0" },
    { "id": 1, "version": "1.1-IV0", "release": "1.1" },
-   { "id": 2, "version": "2.0-IV0", "release": "2.0" }
+   { "id": 2, "version": "2.0-IV0", "release": "2.0" },
+   { "id": 2, "version": "2.1-IV0", "release": "2.1" }
  ]
```
"""

from collections.abc import Iterator

from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Place
from wirebook.specs.levels import ApiVersion, Registry


@rule(Category.POLICY, "KIP-35")
def api_version_ids(pair: ProtocolPair) -> Hits:
    known = {values for _, values, _ in _faults(pair.old_registry)}
    for entry, values, message in _faults(pair.new_registry):
        if values not in known:
            yield Hit(
                message,
                "number the levels from 0 without gaps, and name each level once",
                place=place_of(pair.new_registry, entry),
                discriminator=entry.version,
            )


def place_of(registry: Registry | None, entry: ApiVersion | None) -> Place | None:
    """The place of an entry."""
    if registry is None or entry is None or entry.position is None:
        return None
    return Place(registry.path, *entry.position, *(entry.end or ()))


def _faults(registry: Registry | None) -> Iterator[tuple[ApiVersion, tuple[object, ...], str]]:
    expected, before = 0, ""
    names: set[str] = set()
    for entry in registry.api_versions if registry else ():
        level = f"the protocol level {entry.version}"
        if entry.id != expected:
            after = f"{expected} follows {before}" if before else "the first is 0"
            text = f"{level} has id {entry.id}, but {after}"
            yield entry, (entry.version, entry.id, expected, before), text
        if entry.version in names:
            yield entry, (entry.version,), f"{level} appears twice in the registry"
        names.add(entry.version)
        expected, before = entry.id + 1, entry.version
