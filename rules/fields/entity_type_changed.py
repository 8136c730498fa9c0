"""entity-type-changed: `entityType` of a field is another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def entity_type_changed(pair: FieldPair) -> Iterator[Hit]:
    """What a value names is known to tools.

    ## What it does
    Compares `entityType` on both sides.

    ## Why it breaks
    The entity type checks that a topic name is a text and a broker id a number, and tells tools what a
    value is. The bytes are the same.

    ## When it is fine
    When it was missing, or wrong. To say `unknown` is to say nothing.

    ## Do instead
    Nothing, if the new one is right.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Name", "type": "string", "versions": "0+", "entityType": "topicName" }
    +   { "name": "Name", "type": "string", "versions": "0+", "entityType": "groupId" }
      ] }
    ```
    """
    nothing = "nothing in particular"
    was, now = (None if kind == "unknown" else kind for kind in (pair.old.entity_type, pair.new.entity_type))
    if was != now:
        yield Hit(
            f"{pair.path} names {now or nothing} instead of {was or nothing}",
            "make sure that generated code is meant to change",
            pair.both,
            pair.new.written.at("entityType"),
            pair.old.written.at("entityType"),
        )
