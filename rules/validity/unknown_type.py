"""A type is a primitive, a struct that the message defines, or an array of either.

## What it does
Reports a `type` that is neither a primitive of the format nor the name of a struct, an array of
arrays, an array of a type that cannot be an element, and a struct that is neither in
`commonStructs` nor defined in place by `fields` of the field. A struct that another field defines
in place is not available, nor is one of `commonStructs` in versions that it does not cover.

## Why it breaks
No reader knows the bytes of the field, so nothing after it can be read. Strict readers reject the
file.

## When it is fine
Never. The format has no `boolean`, no `double` and no arrays of arrays.

## Do instead
Use a type of the format, or define the struct. `wirebook explain format` lists what the format
cannot describe, with what to write instead: enumerations, unions, maps, arrays of a fixed size,
varints, and other types.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Flag", "type": "bool", "versions": "0+" }
+   { "name": "Flag", "type": "boolean", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.parts import OneField, walk_fields
from wirebook.rules.rule import Category, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.rules.validity.words import (
    names_struct,
    primitive_meant,
)
from wirebook.specs.keys import nearest
from wirebook.specs.model import PRIMITIVES, Message
from wirebook.specs.versions import counted


@rule(Category.SPEC, "message format")
def unknown_type(message: Message) -> Hits:
    if unusable(message):
        return
    members = list(walk_fields(message))
    defining = {
        each.field.element: each.path for each in reversed(members) if each.field.fields is not None
    }
    reported: set[str] = set()
    for member in members:
        name = member.field.element
        kind = member.field.type
        fault = None if name in reported else _fault(member, defining.get(name, ""))
        if fault is None:
            continue
        key, what, fix, change = fault
        if names_struct(member.field):
            reported.add(name)
        yield member.hit(
            f"{member.path} is of type {what}: no reader knows its bytes", fix, key
        )._replace(change=f"type: {kind}{change}")


def _fault(member: OneField, defining: str) -> tuple[str, str, str, str] | None:
    """What is wrong with a type, if anything: the key, what it is, what to do instead, and the
    change besides the type; `defining` is the field that defines the struct."""
    field = member.field
    name = member.field.element
    struct = member.message.structs.get(name)
    if struct is not None:
        lacking = (member.versions & field.present) - struct.versions
        # A struct that exists in no version is reported by versions-outside.
        if (
            not lacking
            or not names_struct(field)
            or not struct.versions & member.message.valid_versions
        ):
            return None
        return (
            "versions",
            f"{field.type} in {counted(lacking)} too, where {name} does not exist",
            f"widen the versions of {name}, or narrow those of {member.path}",
            f", versions: {lacking}",
        )
    if not names_struct(field):
        what, fix = _no_struct(member)
        return ("type", f'"{field.type}", which is {what}', fix, "") if what else None
    if field.fields is not None or name in member.within:
        return None
    if defining:
        what = f"only {defining} defines"
        fix = f"move {name} to commonStructs"
    else:
        what = "is not defined anywhere"
        fix = _instead(member)
    return "type", f"{field.type}, which {what}", fix, ""


def _no_struct(member: OneField) -> tuple[str, str]:
    """What is wrong with a type that is no struct, and what to write instead; "" if it is known."""
    field = member.field
    has_records = bool(member.message.profile.family)
    if field.type == "[]records":
        return "an array of records", "put the records into a struct, and write an array of it"
    if field.element in PRIMITIVES:
        return "", ""
    if field.element.startswith("[]"):
        return "an array of arrays", "put the inner array into a struct"
    listed = ", ".join(kind for kind in PRIMITIVES if kind != "records" or has_records)
    fix = f"write one of {listed} (what to write instead of others: wirebook explain format)"
    if primitive := primitive_meant(field) or nearest(field.element, PRIMITIVES):
        fix = f'write "{primitive}"'
    return "neither a primitive type nor the name of a struct", fix


def _instead(member: OneField) -> str:
    """What to write instead of an unknown struct."""
    common = [struct.name for struct in member.message.common_structs]
    near = primitive_meant(member.field) or nearest(member.field.element, common)
    return f'write "{near}", or define the struct' if near else "define the struct"
