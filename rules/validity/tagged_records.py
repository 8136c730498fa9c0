"""tagged-records: a tagged field of type records."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.kafka import KAFKA


@rule(on=OneField, category=Category.SPEC, source="KIP-482", family=KAFKA)
def tagged_records(member: OneField) -> Iterator[Hit]:
    """Records are never tagged.

    ## What it does
    Reports a tagged field of type `records`.

    ## Why it breaks
    Records are copied from the log to their place in the message. A tagged field is sorted among the other
    tags and preceded by its size, and a peer that does not know the tag has to skip all of the records.

    ## When it is fine
    Fields of type `bytes` may be tagged.

    ## Do instead
    Put the records at a fixed place, from a new version on.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Data", "type": "bytes", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
    +   { "name": "Data", "type": "records", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
      ] }
    ```
    """
    field = member.field
    if field.element == "records" and (field.tag is not None or field.tagged_versions):
        yield Hit(
            f"{member.path} is of type {field.type} and tagged: records have a fixed place",
            "put it at a fixed place, from a new version on",
            at=field.written.at("taggedVersions"),
        )
