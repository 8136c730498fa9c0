"""A different type with the same bytes changes how generated code reads them.

## What it does
Reports `bytes` that become `records` or the reverse. `type-changed` reports all other types,
numbers that gain or lose their sign included.

## Why it breaks
The bytes stay the same, but generated code uses a different type, and reads something else in them.

## When it is fine
If what is actually sent is a batch of records in both types.

## Do instead
Keep the type.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Data", "type": "bytes", "versions": "0+" }
+   { "name": "Data", "type": "records", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.pairs import FieldPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, restored, rule
from wirebook.specs.kafka import KAFKA


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING, family=KAFKA)
def type_reinterpreted(pair: FieldPair) -> Hits:
    old, new = pair.old, pair.new
    if {old.element, new.element} == {"bytes", "records"} and old.is_array == new.is_array:
        yield Hit(
            f"{pair.path} is {new.type} instead of {old.type}: the bytes are the same, but not "
            "their meaning",
            restored(old.written, "type", old.type),
            pair.both,
            "type",
        )
