"""A protocol level keeps its id forever; ids start at 0 and increase by one.

## What it does
Reads `api_versions.json` from top to bottom, and reports a first id other than 0, an entry whose id
is not that of the previous entry plus one, and a repeated `version`. Compared with base, it reports
the entries that no longer have their id, or were removed, once for all of them, and specs that no
longer have the file.

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

from collections.abc import Iterator
from itertools import pairwise

from wirebook.rules.change import differing
from wirebook.rules.parts import ProtocolPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.levels import ApiVersion, Registry


@rule(Category.POLICY, "KIP-35")
def api_version_ids(pair: ProtocolPair) -> Hits:
    base = pair.tables.base.levels
    head = pair.tables.head.levels
    reported = set() if pair.everything else {message for _, message in _faults(base)}
    for entry, message in _faults(head):
        if message not in reported:
            yield Hit(
                message,
                "number the levels from 0 without gaps, and name each level once",
                at=entry.place,
                discriminator=f"{entry.version} {entry.id}",
            )
    if base is None or not base.api_versions:
        return
    if head is None:
        count = len(base.api_versions)
        yield Hit(
            f"the specs no longer have the registry of protocol levels, which has {count} entries",
            f"restore {base.path}, or name the file that has its entries in the profile",
            previous=base.api_versions[0].place,
        )
        return
    kept = {(entry.id, entry.version) for entry in head.api_versions}
    changed = [entry for entry in base.api_versions if (entry.id, entry.version) not in kept]
    if not changed:
        return
    by_id = {entry.id: entry for entry in head.api_versions}
    first = changed[0]
    same_name = head.by_version.get(first.version)
    same_id = by_id.get(first.id)
    if same_name is not None:
        text = f"the protocol level {first.version} had id {first.id} and now has id {same_name.id}"
    elif same_id is not None:
        text = f"the id {first.id} was that of {first.version} and is now that of {same_id.version}"
    else:
        text = f"the protocol level {first.version} (id {first.id}) is removed from the registry"
    more = f"; {len(changed) - 1} more changed" if len(changed) > 1 else ""
    is_released = any(entry in base.described for entry in changed)
    yield Hit(
        text + more,
        "keep every entry with its id, and add new ones at the end",
        severity=Severity.ERROR if is_released else Severity.WARNING,
        at=same_name.place if same_name is not None else same_id and same_id.place,
        previous=first.place,
        discriminator=first.version,
        change=differing(
            {str(each.id): each.version for each in changed},
            {str(each.id): by_id[each.id].version for each in changed if each.id in by_id},
        ),
    )


def _faults(registry: Registry | None) -> Iterator[tuple[ApiVersion, str]]:
    """The entries of a registry that do not follow the one before them, and why."""
    names: set[str] = set()
    entries = registry.api_versions if registry else ()
    for before, entry in pairwise((ApiVersion(-1, "", ""), *entries)):
        level = f"the protocol level {entry.version}"
        if entry.id != before.id + 1:
            yield entry, f"{level} has id {entry.id}, but the next id is {before.id + 1}"
        if entry.version in names:
            yield entry, f"{level} appears twice in the registry"
        names.add(entry.version)
