"""The struct of a field is defined.

## What it does
Reports a type that is neither in `commonStructs` nor defined in place by `fields` of the field. A
struct that another field defines in place is not available here, nor is one of `commonStructs` in
versions that it does not cover.

## Why it breaks
No reader knows the bytes of the field, so nothing after it can be read.

## When it is fine
Never.

## Do instead
Give the field its `fields`, or define the struct in `commonStructs`.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Items", "type": "[]int32", "versions": "0+" }
+   { "name": "Items", "type": "[]Item", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.pairs import OneField, walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.rules.validity.words import names_struct, one_of, primitive_meant
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet, counted

_FEW = 100  # how many structs are compared with an unknown name


@rule(Category.SPEC, "message format")
def unknown_struct(message: Message) -> Hits:
    if unusable(message):
        return
    members = list(walk_fields(message))
    defining = {
        each.field.element: each.path for each in reversed(members) if each.field.fields is not None
    }
    reported: set[str] = set()
    for member in members:
        field, name = member.field, member.field.element
        if not names_struct(field) or name in reported:
            continue
        at, kind = field.written.at, f"{member.path} is of type {field.type}"
        if message.struct(name) is not None:
            if lacking := _lacking(member):
                reported.add(name)
                yield Hit(
                    f"{kind} in {counted(lacking)} too, where {name} does not exist: no reader "
                    "knows its "
                    "bytes",
                    f"widen the versions of {name}, or narrow those of {member.path}",
                    at=at("versions"),
                    change=f"type: {field.type}, versions: {lacking}",
                    path=member.path,
                )
        elif field.fields is None and name not in member.within:
            reported.add(name)
            elsewhere = defining.get(name)
            why = (
                f"which only {elsewhere} defines" if elsewhere else "which is not defined anywhere"
            )
            yield Hit(
                f"{kind}, {why}: no reader knows its bytes",
                f"move {name} to commonStructs" if elsewhere else _instead(message, field),
                at=at("type"),
                change=f"type: {field.type}",
                path=member.path,
            )


def _instead(message: Message, field: Field) -> str:
    """What to write instead of an unknown struct."""
    if primitive := primitive_meant(field):
        return f'write "{primitive}", or define the struct'
    common = [struct.name for struct in message.common_structs]
    if not common:
        return "define the struct"
    near = one_of(field.element, common) if len(common) <= _FEW else "name one of commonStructs"
    return f"define the struct, or {near}"


def _lacking(member: OneField) -> VersionSet:
    """The versions of a field in which its common struct does not exist."""
    struct = member.message.struct(member.field.element)
    if struct is None or not struct.versions & member.message.valid_versions:
        # A struct that exists in no version is reported by field-in-no-version.
        return VersionSet.NONE
    return (member.versions & member.field.present) - struct.versions
