"""entity-type-changed: `entityType` of a field is another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def entity_type_changed(pair: FieldPair) -> Iterator[Hit]:
    """The entity type tells tools what a value names.

    ## What it does
    Compares `entityType` on both sides.

    ## Why it breaks
    Tools and generated code treat a topic name or a producer id by its entity type. The bytes are the same.
    An entity type for a field that had none is a note.

    ## When it is fine
    Where it was missing or wrong. `unknown` means the same as no entity type.

    ## Do instead
    Keep the entity type, unless it was wrong.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Name", "type": "string", "versions": "0+", "entityType": "topicName" }
    +   { "name": "Name", "type": "string", "versions": "0+", "entityType": "groupId" }
      ] }
    ```
    """
    was, now = (None if kind == "unknown" else kind for kind in (pair.old.entity_type, pair.new.entity_type))
    if was != now:
        yield Hit(
            f"{pair.path} has {_named(now)} instead of {was or 'none'}",
            f"keep {_named(was)}, unless it was wrong" if was else "make sure that it is the right one",
            pair.both,
            pair.new.written.at("entityType"),
            pair.old.written.at("entityType"),
            severity=None if was else Severity.INFO,
        )


def _named(kind: str | None) -> str:
    return f"the entity type {kind}" if kind else "no entity type"
