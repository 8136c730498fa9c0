"""No two fields of a struct have the same name.

## What it does
Compares the names of the fields of each struct and of the top level. The case of the first letter
is ignored, because generated code changes it.

## Why it breaks
Generated classes have only one member for both: strict readers reject the file, even if the two
fields are in different versions.

## When it is fine
In two different structs.

## Do instead
Give the newer field a different name, even if it replaces the older one in a later version.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Id", "type": "int32", "versions": "0" },
-   { "name": "LongId", "type": "int64", "versions": "1+" }
+   { "name": "Id", "type": "int64", "versions": "1+" }
  ] }
```
"""

from wirebook.rules.pairs import OneStruct, path_to
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Field


@rule(Category.SPEC, "message format")
def duplicate_field_name(struct: OneStruct) -> Hits:
    first_of: dict[str, Field] = {}
    for field in struct.fields:
        first = first_of.setdefault(field.name[:1].lower() + field.name[1:], field)
        if first is not field and field.name:
            yield Hit(
                f"{struct.name} has two fields named {field.name}: generated code has one member "
                "for both",
                "rename one of them",
                at=field.written.at("name"),
                path=path_to(struct.path, field),
            )
