"""No two fields of a struct have the same tag.

## What it does
Compares the tags of the fields of each struct and of the top level.

## Why it breaks
Only the tag identifies a tagged field: a reader mistakes one field for the other. Strict readers
reject the file even if the two fields are in different versions.

## When it is fine
The same tag in two different structs never collides.

## Do instead
Give the newer field the next free tag.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 },
-   { "name": "Weight", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 1 }
+   { "name": "Weight", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
  ] }
```
"""

from wirebook.rules.parts import OneStruct, path_to
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Field


@rule(Category.SPEC, "KIP-482")
def duplicate_tag(struct: OneStruct) -> Hits:
    first_of: dict[int, Field] = {}
    free_tags = struct.free_tags()
    for field in struct.fields:
        first = field if field.tag is None else first_of.setdefault(field.tag, field)
        if first is not field and field.tag is not None:
            newer = first if struct.reserved.get(field.tag) == field.name else field
            yield Hit(
                f"{field.name} has tag {field.tag}, like {first.name}: a reader cannot "
                "distinguish them",
                f"give {newer.name} the next free tag, {next(free_tags)}",
                at=field.written.at("tag"),
                path=path_to(struct.path, field),
            )
