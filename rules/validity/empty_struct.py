"""A struct has at least one field.

## What it does
Reports a struct, in place or in `commonStructs`, with empty `fields`.

## Why it breaks
In a non-flexible version it has no bytes at all: a small message can declare an array of two
billion such structs, and a reader cannot reject it by its size. In a flexible version it is only a
tagged field section.

## When it is fine
A message may have no top-level fields.

## Do instead
Add the field that it is meant for, or add the struct only when there is one.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [
-     { "name": "Key", "type": "int32", "versions": "0+" }
-   ] }
+   { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [] }
  ] }
```
"""

from wirebook.rules.parts import OneStruct
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.SPEC, "message format")
def empty_struct(struct: OneStruct) -> Hits:
    if struct.path and not struct.fields:
        yield Hit(
            f"the struct {struct.name} has no fields",
            "give it a field, or delete it",
        )
