"""tag-without-tagged-versions: a tag without tagged versions."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tag_without_tagged_versions(member: OneField) -> Iterator[Hit]:
    """A field with a tag has `taggedVersions`.

    ## What it does
    Reports a `tag` without `taggedVersions`.

    ## Why it breaks
    The field is then untagged in every version, despite its tag: strict readers reject the file, and other
    readers expect the field at a fixed place.

    ## When it is fine
    Never.

    ## Do instead
    Write `taggedVersions`, open-ended and within the flexible versions, or omit the tag.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
    +   { "name": "Region", "type": "string", "versions": "1+", "tag": 0 }
      ] }
    ```
    """
    field = member.field
    if field.tag is not None and not field.tagged_versions:
        yield Hit(
            f'{member.path} has tag {field.tag} but no "taggedVersions": it is not tagged in any version',
            f'write "taggedVersions": "{_open(member)}", or delete the tag',
            at=field.written.at("tag"),
        )


def _open(member: OneField) -> str:
    """The most likely range of a tagged field."""
    return f"{max(member.field.present.lowest, member.message.flexible_versions.lowest)}+"
