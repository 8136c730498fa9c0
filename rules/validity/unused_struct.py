"""A struct of `commonStructs` is used.

## What it does
Reports a struct that no field of the message uses, except its own fields.

## Why it breaks
It has no effect on the wire. Either it is left over, or the field that should use it refers to
another struct.

## When it is fine
Peers are not affected, so this is a warning.

## Do instead
Delete it, or use it as the type of the intended field.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1+", "fields": [], "commonStructs": [
+   { "name": "Item", "versions": "0+", "fields": [
+     { "name": "Key", "type": "int32", "versions": "0+" }
+   ] }
+ ] }
```
"""

from wirebook.rules.parts import walk_fields
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.rules.validity.problems import unusable
from wirebook.rules.validity.words import STRUCT_NAME, names_struct
from wirebook.specs.model import Message


@rule(Category.SPEC, "message format", Severity.WARNING, keys=("commonStructs",))
def unused_struct(message: Message) -> Hits:
    if unusable(message):
        return
    fields = list(walk_fields(message))
    used = {
        member.field.element for member in fields if member.within[:1] != (member.field.element,)
    }
    defined = {struct.name for struct in message.common_structs}
    defined |= {member.field.element for member in fields if member.field.fields is not None}
    if any(names_struct(member.field) and member.field.element not in defined for member in fields):
        # A field with an unknown struct may be meant to use this one: unknown-type reports it.
        return
    for struct in message.common_structs:
        # Others may use a struct that several specs import.
        if struct.name not in used and not struct.path and STRUCT_NAME.fullmatch(struct.name):
            yield Hit(
                f"no field of {message.name} uses the struct {struct.name}",
                "delete it, or use it as a type",
                at=struct.written.at("name"),
                path=struct.name,
            )
