"""Keys appear only where they have a meaning.

## What it does
Reports `listeners` and `latestVersionUnstable` on a message that is not a request, and
`headerVersions` on one whose type has no header, or that has no valid version. On a field, reports
`flexibleVersions` if the type is neither string nor bytes, `zeroCopy` if it is not bytes,
`nullableVersions` on a number, a boolean or a uuid, `fields` under a primitive, and `mapKey` if the
field is not in a struct.

## Why it breaks
Strict readers reject the file: the key has no effect there, although it looks as if it did. A
number has no bytes that mean null, and the fields of a primitive are not on the wire.

## When it is fine
`"latestVersionUnstable": false` and `"zeroCopy": false` have no effect anywhere. What the request
declares also applies to its response. An array of numbers may be null; its elements may not.

## Do instead
Move the key to the request, or delete it. Reserve a number for "none", and make it the default.

## Example
```diff
  { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1+", "listeners": ["gateway"], "fields": [] }
```
"""

from wirebook.rules.pairs import OneField, walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import MESSAGE_TYPES, NULLABLE_PRIMITIVES, PRIMITIVES, Message


@rule(Category.SPEC, "message format")
def misplaced_key(message: Message) -> Hits:
    yield from _of_message(message)
    for member in walk_fields(message):
        yield from _of_field(member)


def _of_message(message: Message) -> Hits:
    if message.type != "request" and message.type in MESSAGE_TYPES:
        for key, is_set in (
            ("listeners", bool(message.listeners)),
            ("latestVersionUnstable", message.latest_version_unstable),
        ):
            if is_set:
                yield Hit(
                    f'{message.name} has "{key}", but is of type {message.type}; only requests '
                    "have it",
                    f'move "{key}" to the request, or delete it',
                    at=message.written.at(key),
                    discriminator=key,
                )
    profile = message.profile
    if message.header_versions is not None and message.type in (
        *MESSAGE_TYPES,
        *profile.message_types,
    ):
        has_header = message.type in profile.headers.types
        if not has_header or not message.valid_versions:
            why = (
                "has no valid version"
                if has_header
                else f"is of type {message.type}, which has no header"
            )
            yield Hit(
                f'{message.name} has "headerVersions", but {why}',
                'delete "headerVersions"',
                at=message.written.at("headerVersions"),
                discriminator="headerVersions",
            )


def _of_field(member: OneField) -> Hits:
    field, kind = member.field, member.field.type
    is_primitive = field.element in PRIMITIVES
    is_defined = is_primitive or names_struct(field)
    can_be_null = kind not in PRIMITIVES or kind in NULLABLE_PRIMITIVES
    struct = f"{'[]' * field.is_array}{field.name}"
    for key, is_misplaced, what, fix in (
        (
            "mapKey",
            field.map_key and not member.within and field.tag is None,
            f'has "mapKey", but {member.message.name} itself is not an element of an array',
            'delete "mapKey"',
        ),
        (
            "flexibleVersions",
            field.flexible_versions is not None and is_defined and kind not in ("string", "bytes"),
            f'is of type {kind} and has "flexibleVersions", which is for string or bytes',
            'delete "flexibleVersions"',
        ),
        (
            "zeroCopy",
            field.zero_copy and is_defined and kind != "bytes",
            f'is of type {kind} and has "zeroCopy", which is for bytes',
            'delete "zeroCopy"',
        ),
        (
            "nullableVersions",
            bool(field.nullable_versions) and not can_be_null,
            f"is nullable, but {kind} has no bytes that mean null",
            'delete "nullableVersions"; reserve a value for none, and make it the default',
        ),
        (
            "fields",
            bool(field.fields) and is_primitive,
            f"is of type {kind} and has fields, which only a struct can have",
            f'delete them, or use a struct: "type": "{struct}"',
        ),
    ):
        if is_misplaced:
            at = field.written.at(key)
            yield Hit(f"{member.path} {what}", fix, at=at, path=member.path, discriminator=key)
