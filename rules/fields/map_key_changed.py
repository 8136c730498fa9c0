"""The map keys of an array of structs are part of its generated code.

## What it does
Reports a field that is no longer a map key.

## Why it breaks
Generated code looks up elements by their map keys: with fewer keys, two elements may become one,
and lookups take different arguments. The bytes are the same.

## When it is fine
If no code looks up elements. A field that becomes a key is not reported: the compiler finds the
code that has to change, and no value is lost.

## Do instead
Keep the key.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [
-     { "name": "Key", "type": "int32", "versions": "0+", "mapKey": true }
+     { "name": "Key", "type": "int32", "versions": "0+" }
    ] }
  ] }
```
"""

from wirebook.rules.pairs import FieldPair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def map_key_changed(pair: FieldPair) -> Hits:
    if pair.old.map_key and not pair.new.map_key:
        yield Hit(
            f"{pair.path} is no longer a map key: generated code changes",
            'restore "mapKey": true, unless the code that looks up elements changes with it',
            pair.both,
            "mapKey",
        )
