"""Fields of a struct, and structs of a message, have different names.

## What it does
Compares the names of the fields of each struct and of the top level, but for the case of the first
letter, which generated code changes. Reports a struct that is defined again in the same message, in
`commonStructs` or in place under a field, a field that defines `fields` for a struct of
`commonStructs`, and a struct that has the name of its message.

## Why it breaks
Generated code has one member, or one class, for both: strict readers reject the file, even if the
two fields are in different versions.

## When it is fine
In two different structs, or in two different messages.

## Do instead
Give the newer field a different name, even if it replaces the older one in a later version. If two
structs are the same, move it to `commonStructs` and refer to it from both fields; otherwise rename
one of them.

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

from wirebook.rules.parts import path_to, walk_fields, walk_structs
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import Field, Message


@rule(Category.SPEC, "message format")
def duplicate_name(message: Message) -> Hits:
    for struct in () if unusable(message) else walk_structs(message):
        first_of: dict[str, Field] = {}
        for field in struct.fields:
            first = first_of.setdefault(field.name[:1].lower() + field.name[1:], field)
            if first is not field and field.name:
                yield Hit(
                    f"{struct.name} has two fields named {field.name}: generated code has one "
                    "member for both",
                    "rename one of them",
                    at=field.written.at("name"),
                    path=path_to(struct.path, field),
                )
    defined = [(each.name, each.written, "name", each.name) for each in message.common_structs]
    for member in walk_fields(message):
        if member.field.fields and names_struct(member.field):
            defined.append((member.field.element, member.field.written, "type", member.path))
    names = {message.name}
    for name, written, key, path in defined:
        what = "is defined again here"
        fix = "define it once in commonStructs, or rename one of the two"
        if name == message.name:
            what = "has the name of its message"
            fix = "rename the struct: its name is not on the wire"
        if name in names:
            yield Hit(
                f"the struct {name} {what}: generated code has one class for both",
                fix,
                at=written.at(key),
                path=path,
                discriminator="struct",
            )
        names.add(name)
