"""map-key-changed: `mapKey` of a field is another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def map_key_changed(pair: FieldPair) -> Iterator[Hit]:
    """The key of a collection is part of its code.

    ## What it does
    Compares `mapKey` on both sides.

    ## Why it breaks
    Generated code keeps elements by their map keys: with other keys, elements that were two become one, or
    lookups need another argument. The bytes are the same.

    ## When it is fine
    When no code looks elements up.

    ## Do instead
    Add the field without making it a key.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
        { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [
    -     { "name": "Key", "type": "int32", "versions": "0+" }
    +     { "name": "Key", "type": "int32", "versions": "0+", "mapKey": true }
        ] }
      ] }
    ```
    """
    now = "now" if pair.new.map_key else "no longer"
    if pair.old.map_key != pair.new.map_key:
        yield Hit(
            f"{pair.path} is {now} a key of its collection: generated code changes",
            "make sure that generated code is meant to change",
            pair.both,
            pair.new.written.at("mapKey"),
            pair.old.written.at("mapKey"),
        )
