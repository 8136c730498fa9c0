"""api-version-ids: the ids of the registry do not count from 0 by one."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import ProtocolPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Place
from wirebook.specs.levels import ApiVersion, Registry


@rule(on=ProtocolPair, category=Category.POLICY, source="KIP-35")
def api_version_ids(pair: ProtocolPair) -> Iterator[Hit]:
    """The ids of protocol levels begin at 0 and rise by exactly one, and no name appears twice.

    ## What it does
    Reads `api_versions.json` from the top down, and reports an entry whose id is not that of the entry before
    it plus one, a first id other than 0, and a `version` that another entry has.

    ## Why it breaks
    The id identifies a protocol level: documentation is filed by it, and the higher id is the
    newer level. A hole, a repeat or a step back gives two levels one place, or one level two.

    ## When it is fine
    An error that the old side had too is not reported again.

    ## Do instead
    Give a new entry the last id plus one, at the end of the file.

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
    known = {message for _, message in _faults(pair.old_registry)}
    for entry, message in _faults(pair.new_registry):
        if message not in known:
            yield Hit(
                message,
                "count the ids from 0 by one, and name each level once",
                place=place_of(pair.new_registry, entry),
                discriminator=entry.version,
            )


def place_of(registry: Registry | None, entry: ApiVersion | None) -> Place | None:
    """Where an entry stands."""
    if registry is None or entry is None or entry.position is None:
        return None
    return Place(registry.path, *entry.position, *(entry.end or ()))


def _faults(registry: Registry | None) -> Iterator[tuple[ApiVersion, str]]:
    expected, before = 0, ""
    seen: set[str] = set()
    for entry in registry.api_versions if registry else ():
        if entry.id != expected:
            after = f"behind {before} comes {expected}" if before else "the first is 0"
            yield entry, f"the protocol level {entry.version} has id {entry.id}, but {after}"
        if entry.version in seen:
            yield entry, f"the protocol level {entry.version} appears twice in the registry"
        seen.add(entry.version)
        expected, before = entry.id + 1, entry.version
