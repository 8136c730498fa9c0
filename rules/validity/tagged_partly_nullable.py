"""tagged-partly-nullable: a tagged field that may be null in some of its versions."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_partly_nullable(item: OneField) -> Iterator[Hit]:
    """A tagged field is nullable in all of its tagged versions or in none.

    ## What it does
    Compares `nullableVersions` with `taggedVersions`.

    ## Why it breaks
    Tagged fields come to all versions at once, so a null would reach readers that refuse it: the
    generator refuses the file.

    ## When it is fine
    While the field is untagged, in the versions below.

    ## Do instead
    Let `nullableVersions` begin where `taggedVersions` does or earlier, or leave it out.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0,
    -     "nullableVersions": "1+" }
    +     "nullableVersions": "2+" }
      ] }
    ```
    """
    field = item.field
    never = field.tagged_versions - field.nullable_versions
    if field.nullable_versions & field.tagged_versions and never:
        yield Hit(
            f"{item.path} is nullable in some of its tagged versions, but not in {never}",
            f'write "nullableVersions": "{field.tagged_versions}", or leave it out',
            at=field.written.at("nullableVersions"),
        )
