"""nullable-versions-outside: nullable versions that the message does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import counted


@rule(on=OneField, category=Category.SPEC, source="message format", follows=("highest-version-lowered",))
def nullable_versions_outside(member: OneField) -> Iterator[Hit]:
    """A nullable field is nullable in at least one valid version.

    ## What it does
    Reports `nullableVersions` that begin above the highest valid version.

    ## Why it breaks
    The field is never null on the wire, although its spec suggests that it can be. Most often `validVersions`
    was not raised, or the range should begin earlier.

    ## When it is fine
    Below the lowest valid version: if the field could be null only in versions that are now removed, the
    range may stay. An end above the highest valid version is fine too.

    ## Do instead
    Raise `validVersions`, or write a range that begins within it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "2+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "3+" }
      ] }
    ```
    """
    field, valid = member.field, member.message.valid_versions
    lives = field.present & member.versions
    # A field that no version has is reported by field-in-no-version; that of a shared struct may be nullable
    # in other messages.
    if member.is_imported:
        return
    if field.nullable_versions and lives and field.nullable_versions.lowest > valid.highest:
        yield Hit(
            f"{member.path} is nullable in {counted(field.nullable_versions)}, but the highest valid version "
            f"is {valid.highest}: it is never null",
            f'write "nullableVersions" within {lives}, or raise validVersions',
            at=field.written.at("nullableVersions"),
        )
