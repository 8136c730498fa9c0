"""A struct is defined once in a message.

## What it does
Reports a struct that is defined again in the same message, in `commonStructs` or in place under a
field, a field that defines `fields` for a struct of `commonStructs`, and a struct that has the name
of its message.

## Why it breaks
Generated code has one class for both: strict readers reject the file, or the generated code does
not compile.

## When it is fine
In two different messages.

## Do instead
If both are the same struct, move it to `commonStructs` and refer to it from both fields. Otherwise
rename one of them: struct names are not on the wire.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Left", "type": "[]Item", "versions": "0+", "fields": [
      { "name": "Key", "type": "int32", "versions": "0+" }
    ] },
-   { "name": "Right", "type": "[]RightItem", "versions": "0+", "fields": [
+   { "name": "Right", "type": "[]Item", "versions": "0+", "fields": [
      { "name": "Key", "type": "int32", "versions": "0+" }
    ] }
  ] }
```
"""

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import Message


@rule(Category.SPEC, "message format")
def duplicate_struct_name(message: Message) -> Hits:
    defined = [
        (struct.name, struct.written, "name", struct.name) for struct in message.common_structs
    ]
    for member in walk_fields(message):
        if member.field.fields and names_struct(member.field):
            defined.append((member.field.element, member.field.written, "type", member.path))
    names = {message.name}
    for name, written, key, path in defined:
        if name == message.name:
            what = "has the name of its message"
            fix = "rename the struct: its name is not on the wire"
        else:
            what = "is defined again here"
            fix = "define it once in commonStructs, or rename one of the two"
        if name in names:
            text = f"the struct {name} {what}: generated code has one class for both"
            yield Hit(text, fix, at=written.at(key), path=path)
        names.add(name)
