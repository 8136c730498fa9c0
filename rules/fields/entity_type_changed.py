"""The entity type of a field describes to tools what its value names.

## What it does
Compares `entityType` on both sides.

## Why it breaks
Tools and generated code treat the name or the id of an entity by its entity type. The bytes are the
same.

## When it is fine
If it was wrong. An entity type for a field that had none only adds information and is not reported;
`unknown` counts as none.

## Do instead
Keep the entity type, unless it was wrong.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Name", "type": "string", "versions": "0+", "entityType": "transactionalId" }
+   { "name": "Name", "type": "string", "versions": "0+", "entityType": "groupId" }
  ] }
```
"""

from wirebook.rules.pairs import FieldPair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def entity_type_changed(pair: FieldPair) -> Hits:
    old, new = (
        None if each.entity_type == "unknown" else each.entity_type for each in (pair.old, pair.new)
    )
    if old is not None and old != new:
        now = f"the entity type {new}" if new else "no entity type"
        yield Hit(
            f"{pair.path} has {now} instead of {old}",
            f'restore "entityType": "{old}", unless it was wrong',
            pair.both,
            "entityType",
        )
