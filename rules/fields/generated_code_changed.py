"""Generated code keeps what it knows of a field besides its bytes.

## What it does
Reports a field whose `entityType` changes, one that is no longer a map key, and one whose type
becomes another with the same bytes. `type-changed` reports all other types.

## Why it breaks
Tools and generated code treat the name or the id of an entity by its entity type, look up elements
by their map keys (with fewer keys, two elements may become one), and open what `bytes` hold. The
bytes are the same.

## When it is fine
If the entity type was wrong, if no code looks up elements, or if both types hold the same. A field
that gets its first entity type (`unknown` counts as none) or becomes a key is not reported: no
value is lost.

## Do instead
Keep the entity type, the key and the type.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Name", "type": "string", "versions": "0+", "entityType": "transactionalId" }
+   { "name": "Name", "type": "string", "versions": "0+", "entityType": "groupId" }
  ] }
```
"""

from wirebook.rules.parts import FieldPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, restored, rule


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def generated_code_changed(pair: FieldPair) -> Hits:
    base = pair.base
    head = pair.head
    if base.entity_type not in (None, "unknown", head.entity_type):
        yield Hit(
            f"{pair.path} has the entity type {head.entity_type or 'unknown'} instead of "
            f"{base.entity_type}",
            f'restore "entityType": "{base.entity_type}", unless it was wrong',
            pair.both,
            "entityType",
            discriminator="entityType",
        )
    if base.map_key and not head.map_key:
        yield Hit(
            f"{pair.path} is no longer a map key: generated code changes",
            'restore "mapKey": true, unless the code that looks up elements changes with it',
            pair.both,
            "mapKey",
            discriminator="mapKey",
        )
    if {base.element, head.element} == {"bytes", "records"} and base.is_array == head.is_array:
        yield Hit(
            f"{pair.path} is {head.type} instead of {base.type}: the bytes are the same, but not "
            "their meaning",
            restored(base.written, "type", base.type),
            pair.both,
            "type",
            discriminator="type",
        )
