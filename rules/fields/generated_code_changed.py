"""Generated code keeps what it knows of a field besides its bytes.

## What it does
Reports a field whose `entityType` changes, and one that is no longer a map key.

## Why it breaks
Tools and generated code treat the name or the id of an entity by its entity type, and look up
elements by their map keys: with fewer keys, two elements may become one, and lookups take different
arguments. The bytes are the same.

## When it is fine
If the entity type was wrong, or no code looks up elements. An entity type for a field that had none
is not reported, and `unknown` counts as none; nor is a field that becomes a key, because the
compiler finds the code that has to change.

## Do instead
Keep the entity type and the key.

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
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def generated_code_changed(pair: FieldPair) -> Hits:
    kinds = (pair.old.entity_type, pair.new.entity_type)
    old, new = (None if kind == "unknown" else kind for kind in kinds)
    if old is not None and old != new:
        now = f"the entity type {new}" if new else "no entity type"
        yield Hit(
            f"{pair.path} has {now} instead of {old}",
            f'restore "entityType": "{old}", unless it was wrong',
            pair.both,
            "entityType",
        )
    if pair.old.map_key and not pair.new.map_key:
        yield Hit(
            f"{pair.path} is no longer a map key: generated code changes",
            'restore "mapKey": true, unless the code that looks up elements changes with it',
            pair.both,
            "mapKey",
        )
