"""tagged-versions-without-tag: tagged versions without a tag."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_versions_without_tag(member: OneField) -> Iterator[Hit]:
    """A tagged field has a tag.

    ## What it does
    Reports `taggedVersions` without a `tag`.

    ## Why it breaks
    There is no number to write before the field, so the message cannot be encoded in these versions.

    ## When it is fine
    `"taggedVersions": "none"` is the same as omitting it.

    ## Do instead
    Use the lowest tag that the struct has never used.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
    +   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+" }
      ] }
    ```
    """
    field = member.field
    if field.tagged_versions and field.tag is None:
        used = {other.tag for other in member.fields}
        free = next(number for number in count() if number not in used)
        yield Hit(
            f'{member.path} has "taggedVersions" but no "tag": there is no number to identify it',
            f'write "tag": {free}, if no release has used it',
            at=field.written.at("taggedVersions"),
        )
