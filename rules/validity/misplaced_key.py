"""Keys appear only where they have a meaning.

## What it does
Reports `listeners` and `latestVersionUnstable` on a message that is not a request, and
`headerVersions` on one that has no header or no valid version. On a field, reports
`flexibleVersions` if the type is neither string nor bytes, `zeroCopy` if it is not bytes,
`nullableVersions` on a number, a boolean or a uuid, `fields` under a primitive, and `mapKey` if the
field is not in a struct.

## Why it breaks
Strict readers reject the file: the key has no effect there, although it looks as if it did. A
number has no bytes that mean null, and the fields of a primitive are not on the wire.

## When it is fine
`"latestVersionUnstable": false` and `"zeroCopy": false` have no effect anywhere. What a request
declares also applies to its response. An array of numbers may be null.

## Do instead
Move the key to the request, or delete it. Reserve a number for "none", and make it the default.

## Example
```diff
  { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1+", "listeners": ["gateway"], "fields": [] }
```
"""

from collections.abc import Iterator

from wirebook.rules.parts import OneField, walk_fields
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import MESSAGE_TYPES, NULLABLE_PRIMITIVES, PRIMITIVES, Message
from wirebook.specs.profile import HALVES

Fault = tuple[str, str, str]  # the key, what to say of it, and what to do instead


@rule(Category.SPEC, "message format")
def misplaced_key(message: Message) -> Hits:
    for key, what, fix in _of_message(message):
        yield Hit(f'{message.name} has "{key}", but {what}', fix, key=key, discriminator=key)
    for member in walk_fields(message):
        for key, what, fix in _of_field(member):
            yield member.hit(f"{member.path} {what}", fix, key, key)


def _of_message(message: Message) -> Iterator[Fault]:
    """The keys that messages of this type cannot have."""
    kind = message.type
    if kind not in MESSAGE_TYPES:
        return
    if kind != "request":
        what = f"is of type {kind}; only requests have it"
        if message.listeners:
            yield "listeners", what, 'move "listeners" to the request, or delete it'
        if message.latest_version_unstable:
            yield (
                "latestVersionUnstable",
                what,
                'move "latestVersionUnstable" to the request, or delete it',
            )
    if message.header_versions is not None and (kind not in HALVES or not message.valid_versions):
        what = "has no valid version"
        if kind not in HALVES:
            what = f"is of type {kind}, which has no header"
        yield "headerVersions", what, 'delete "headerVersions"'


def _of_field(member: OneField) -> Iterator[Fault]:
    """The keys that fields of this type, or in this place, cannot have."""
    field = member.field
    kind = member.field.type
    is_primitive = field.element in PRIMITIVES
    is_defined = is_primitive or names_struct(field)
    if field.map_key and not member.within and field.tag is None:
        yield (
            "mapKey",
            f'has "mapKey", but {member.message.name} itself is not an element of an array',
            'delete "mapKey"',
        )
    if field.flexible_versions is not None and is_defined and kind not in ("string", "bytes"):
        yield (
            "flexibleVersions",
            f'is of type {kind} and has "flexibleVersions", which is for string or bytes',
            'delete "flexibleVersions"',
        )
    if field.zero_copy and is_defined and kind != "bytes":
        yield (
            "zeroCopy",
            f'is of type {kind} and has "zeroCopy", which is for bytes',
            'delete "zeroCopy"',
        )
    if field.nullable_versions and kind in PRIMITIVES and kind not in NULLABLE_PRIMITIVES:
        yield (
            "nullableVersions",
            f"is nullable, but {kind} has no bytes that mean null",
            'delete "nullableVersions"; reserve a value for none, and make it the default',
        )
    if field.fields and is_primitive:
        struct = f"{'[]' * field.is_array}{field.name}"
        yield (
            "fields",
            f"is of type {kind} and has fields, which only a struct can have",
            f'delete them, or use a struct: "type": "{struct}"',
        )
