"""A type is a primitive, a struct, or an array of either.

## What it does
Reports a `type` that is neither a primitive of the format nor a possible name of a struct, which
begins with a capital letter; also an array of arrays, or of a type that cannot be an element.

## Why it breaks
No reader knows how many bytes the field has, so nothing after it can be read. Strict readers reject
the file.

## When it is fine
Never. The format has no `boolean`, no `double` and no arrays of arrays.

## Do instead
Use a type of the format, or a struct that holds the inner array. `wirebook explain format` lists
what the format cannot describe, with what to write instead: enumerations, unions, maps, arrays of a
fixed size, varints, and other types.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Flag", "type": "bool", "versions": "0+" }
+   { "name": "Flag", "type": "boolean", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import is_little_endian, names_struct, nearest, primitive_meant
from wirebook.specs.model import PRIMITIVES


@rule(Category.SPEC, "message format")
def unknown_type(member: OneField) -> Hits:
    field = member.field
    if field.type == "[]records":
        what, fix = "an array of records", "put the records into a struct, and write an array of it"
    elif field.element in PRIMITIVES or names_struct(field) or member.message.struct(field.element):
        return
    elif field.element.startswith("[]"):
        what, fix = "an array of arrays", "put the inner array into a struct"
    else:
        primitive = primitive_meant(field)
        if not primitive and not is_little_endian(field.element):
            primitive = nearest(field.element, PRIMITIVES)
        what = "neither a primitive type nor the name of a struct"
        has_records = bool(member.message.profile.family)
        listed = [kind for kind in PRIMITIVES if kind != "records" or has_records]
        fix = (
            f"write one of {', '.join(listed)} (what to write instead of others: wirebook explain "
            "format)"
        )
        fix = f'write "{primitive}"' if primitive else fix
    yield Hit(
        f'{member.path} is of type "{field.type}", which is {what}: no reader knows its bytes',
        fix,
        at=field.written.at("type"),
        change=f"type: {field.type}",
    )
