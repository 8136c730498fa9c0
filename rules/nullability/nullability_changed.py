"""nullability-changed: a released version of a field begins or stops to allow null."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.versions import VersionSet, counted


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482; KAFKA-18646")
def nullability_changed(pair: FieldPair) -> Iterator[Hit]:
    """Whether a field may be null never changes in a released version.

    ## What it does
    Compares `nullableVersions` of a field on both sides, in every version that both have.

    ## Why it breaks
    Where null becomes possible, readers of the old spec meet a length that they refuse ("non-nullable
    field was serialized as null"). Where it stops being possible, writers of the old spec still send null
    to readers that now refuse it. For a struct, a byte of its own appears or goes, and everything
    after it is misread.

    ## When it is fine
    An untagged field may become nullable, or stop being so, with a new version of the message. A tagged
    field keeps what it was born with in every version.

    ## Do instead
    Begin the range at a new version: `"nullableVersions": "5+"`, with `validVersions` up to 5.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "1+" }
      ] }
    ```
    """
    changed = pair.differ("nullable_versions")
    if not changed:
        return
    now = frozenset(version for version in changed if version in pair.new.nullable_versions)
    hurt = (
        "readers of the old spec refuse a null"
        if now
        else "readers of the new spec refuse the nulls of old writers"
    )
    if pair.new.is_struct and not pair.new.is_array:
        hurt = "the byte that says null or present appears or goes, so both sides misread all that follows"
    shown = VersionSet.of(changed)
    yield Hit(
        f"{pair.path} {'becomes nullable' if now else 'is no longer nullable'} in {counted(shown)}: {hurt}",
        "let the range begin or end at a version that is new",
        changed,
        pair.new.written.at("nullableVersions"),
        pair.old.written.at("nullableVersions"),
    )
