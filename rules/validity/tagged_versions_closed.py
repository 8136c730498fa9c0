"""tagged-versions-closed: tagged versions that end."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_versions_closed(member: OneField) -> Iterator[Hit]:
    """Tagged versions are open-ended.

    ## What it does
    Reports `taggedVersions` that do not end with a plus sign.

    ## Why it breaks
    A reader that knows the tag from one version rejects it in another, so a tagged field cannot end: a writer
    that keeps sending it breaks readers that no longer accept it. Strict readers reject the file.

    ## When it is fine
    Never; `none` means that the field is not tagged.

    ## Do instead
    Leave the range open and stop sending the field: its default takes no bytes.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "1-2", "tag": 0, "taggedVersions": "1+" }
    +   { "name": "Region", "type": "string", "versions": "1-2", "tag": 0, "taggedVersions": "1-2" }
      ] }
    ```
    """
    field = member.field
    if field.tagged_versions and not field.tagged_versions.open:
        yield Hit(
            f"{member.path} is tagged only in versions {field.tagged_versions}: tagged "
            "versions must be open-ended",
            f'write "taggedVersions": "{field.tagged_versions.lowest}+"',
            at=field.written.at("taggedVersions"),
        )
