"""fields-regrouped: other fields, or other structs, say the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import StructPair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.versions import VersionSet, counted


@rule(on=StructPair, category=Category.SOURCE, source="KAFKA-9629", severity=Severity.WARNING)
def fields_regrouped(struct: StructPair) -> Iterator[Hit]:
    """Fields may be renamed or grouped anew as long as the bytes stay.

    ## What it does
    Reports fields that only the old spec has, in versions whose bytes are nevertheless the same: others of
    the same types stand in their places, or a struct was put around them or taken away.

    ## Why it breaks
    Nothing on the wire, since names and, in inflexible versions, plain structs are not on it. Generated code
    that used the old fields no longer compiles; and whether the new fields mean the same, bytes cannot tell.

    ## When it is fine
    When the new fields mean what the old ones meant, as where Fetch got and lost its `PartitionHeader`.

    ## Do instead
    Nothing, if it is wanted. If a field is to mean something else, add it with a new version.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3",
        "flexibleVersions": "2+", "fields": [
    -   { "name": "Lag", "type": "int32", "versions": "1+" }
    +   { "name": "OldLag", "type": "int32", "versions": "1-2" },
    +   { "name": "Lag", "type": "int64", "versions": "3+" }
      ] }
    ```
    """
    gone: list[str] = []
    versions: set[int] = set()
    first = None
    for old, new in struct.pairs:
        if old is None:
            continue
        there = frozenset(
            version
            for version in struct.versions
            if version in old.present and (new is None or version not in new.present)
        )
        told = struct.messages.alike(there, old=old)
        if told:
            first = first or old
            gone.append(old.name)
            versions |= told
    if first is not None:
        yield Hit(
            f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} told by other fields in "
            f"{counted(VersionSet.of(versions))}, with the same bytes: generated code changes",
            "see that the new fields mean what the old ones meant",
            previous=first.written.position,
            discriminator=" ".join(gone),
        )
