"""tagged-versions-outside-versions: a field is tagged in versions that do not have it."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import counted


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_versions_outside_versions(member: OneField) -> Iterator[Hit]:
    """A field is tagged only in its own versions.

    ## What it does
    Compares `taggedVersions` with `versions`, which must contain all of them.

    ## Why it breaks
    In versions that only one of the ranges has, it is unclear whether the field exists: strict readers reject
    the file.

    ## When it is fine
    `versions` may begin earlier: the field is then untagged below its tagged versions.

    ## Do instead
    Leave both ranges open-ended, and start `taggedVersions` no earlier than `versions`.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "2+", "tag": 0, "taggedVersions": "2+" }
    +   { "name": "Region", "type": "string", "versions": "2+", "tag": 0, "taggedVersions": "1+" }
      ] }
    ```
    """
    field = member.field
    outside = field.tagged_versions - field.present
    if outside:
        yield Hit(
            f"{member.path} is tagged in {counted(outside)}, but exists only in {field.versions}",
            f'write "versions": "{min(field.present.lowest, field.tagged_versions.lowest)}+" and tagged '
            "versions within it",
            at=field.written.at("taggedVersions"),
        )
