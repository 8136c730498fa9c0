"""api-version-changed: the id of a protocol level changes, or is given to another level."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.lifecycle.api_version_ids import place_of
from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.levels import ApiVersion, Registry


@rule(on=ProtocolPair, category=Category.POLICY, source="KIP-35")
def api_version_changed(pair: ProtocolPair) -> Iterator[Hit]:
    """A protocol level keeps its id, and an id its level, forever.

    ## What it does
    Compares `api_versions.json` of both sides: it reports names whose id changed (once for all that
    shifted together), and ids that now belong to another name.

    ## Why it breaks
    Servers log the id, configurations name the version, and documentation refers to both. After the
    change each of them means something different from what was written.

    ## When it is fine
    It is a warning if the protocol level is unreleased (neither it nor any later one has an `about`).

    ## Do instead
    Leave every entry unchanged, and add new ones at the end.

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
    old, new = pair.old_registry, pair.new_registry
    if old is None or new is None:
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
        # An entry that only moved up because others were removed is reported by `api-version-removed`.
        and before[entry.version].id - entry.id
        != sum(number < before[entry.version].id for number in removed)
    ]
    if moved:
        first = moved[0]
        previous = before[first.version]
        more = f"; the same holds for {len(moved) - 1} more" if len(moved) > 1 else ""
        yield Hit(
            f"the protocol level {first.version} had id {previous.id} and now has id {first.id}{more}",
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


def _severity(registry: Registry, entries: list[ApiVersion]) -> Severity:
    """An error if one of them is released."""
    released = {entry.version for entry in registry.described}
    return Severity.ERROR if any(entry.version in released for entry in entries) else Severity.WARNING
