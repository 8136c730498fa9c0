"""tagged-map-key: a map key that is tagged."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def tagged_map_key(member: OneField) -> Iterator[Hit]:
    """A map key is never tagged.

    ## What it does
    Reports a field with a `tag` and `"mapKey": true`.

    ## Why it breaks
    A tagged field may be absent, and an entry without its key cannot be looked up: strict readers reject the
    file.

    ## When it is fine
    Never.

    ## Do instead
    Leave the key untagged, or use another field as the map key.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [
    -     { "name": "Key", "type": "int32", "versions": "1+", "mapKey": true }
    +     { "name": "Key", "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": 0,
    +       "mapKey": true }
        ] }
      ] }
    ```
    """
    field = member.field
    if field.map_key and (field.tag is not None or field.tagged_versions):
        yield Hit(
            f"{member.path} is a map key and tagged: an entry may lack its key",
            "leave it untagged, or use another field as the key",
            at=field.written.at("mapKey"),
        )
