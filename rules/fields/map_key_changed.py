"""map-key-changed: `mapKey` of a field is another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def map_key_changed(pair: FieldPair) -> Iterator[Hit]:
    """The map keys of an array of structs are part of its generated code.

    ## What it does
    Compares `mapKey` on both sides.

    ## Why it breaks
    Generated code looks up elements by their map keys: with other keys, two elements become one, or lookups
    need another argument. The bytes are the same. A field that is no longer a key is a warning, one that
    becomes a key is a note.

    ## When it is fine
    When no code looks elements up.

    ## Do instead
    Keep the keys. A new field of the struct need not be one.

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
            f"{pair.path} is {now} a map key: generated code changes",
            "keep the key, unless the code that looks up elements changes with it",
            pair.both,
            pair.new.written.at("mapKey"),
            pair.old.written.at("mapKey"),
            severity=Severity.INFO if pair.new.map_key else None,
        )
