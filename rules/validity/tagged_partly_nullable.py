"""tagged-partly-nullable: a tagged field that is nullable in only some of its versions."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_partly_nullable(member: OneField) -> Iterator[Hit]:
    """A tagged field is nullable in all of its tagged versions or in none.

    ## What it does
    Compares `nullableVersions` with `taggedVersions`.

    ## Why it breaks
    A tagged field has the same encoding in all versions, so a null would reach readers that reject it: strict
    readers reject the file.

    ## When it is fine
    In lower versions, in which the field is untagged.

    ## Do instead
    Start `nullableVersions` no later than `taggedVersions`, or omit it.

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
    field = member.field
    never = field.tagged_versions - field.nullable_versions
    if field.nullable_versions & field.tagged_versions and never:
        yield Hit(
            f"{member.path} is nullable in some of its tagged versions, but not in {never}",
            f'write "nullableVersions": "{field.tagged_versions}", or omit it',
            at=field.written.at("nullableVersions"),
        )
