"""Ranges begin within the versions of their message.

## What it does
Reports `deprecatedVersions`, of a message or of a struct in `commonStructs`, that go above the
highest valid version; `nullableVersions` that begin above it; and `flexibleVersions` of a field
that begin before those of its message.

## Why it breaks
The field is never null, and versions that do not exist are announced to end. Most often
`validVersions` was not raised, or the range is mistyped. Only this field would be compact in
versions in which its message is not flexible: strict readers reject the file.

## When it is fine
Below the lowest valid version: what concerns versions that are now removed may stay. An open range
that begins at a valid version may go on above the highest one. A field may be flexible in fewer
versions, or never.

## Do instead
Raise `validVersions`, or write a range that begins within it. Omit `flexibleVersions` of a field.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "2+" }
+   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "3+" }
  ] }
```
"""

from wirebook.rules.pairs import OneField, walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Message
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(Category.SPEC, "message format; KIP-482; KIP-896", follows=("highest-version-lowered",))
def versions_outside(message: Message) -> Hits:
    yield from _deprecated(message)
    for member in walk_fields(message):
        # The versions of a shared struct are those of each message: what lies outside has no
        # effect.
        if not member.is_imported:
            yield from _of_field(member, message)


def _deprecated(message: Message) -> Hits:
    valid = message.valid_versions
    if not valid or valid.open:
        return
    above = Versions(valid.highest + 1, MAX_VERSION)
    nodes = [(message.written, message.deprecated_versions, message.name, "")]
    for struct in message.common_structs:
        if not struct.path:
            name = f"the struct {struct.name}"
            nodes.append((struct.written, struct.deprecated_versions, name, struct.name))
    for written, deprecated, name, path in nodes:
        outside = deprecated & above
        if outside and not (deprecated.open and deprecated & valid):
            yield Hit(
                f"{name} deprecates {counted(outside)}, but the highest valid version is "
                f"{valid.highest}",
                f'write "deprecatedVersions" within {valid}',
                at=written.at("deprecatedVersions"),
                path=path,
                discriminator="deprecated",
            )


def _of_field(member: OneField, message: Message) -> Hits:
    field, valid = member.field, message.valid_versions
    nullable, own, whole = (
        field.nullable_versions,
        field.flexible_versions,
        message.flexible_versions,
    )
    # A field that no version has is reported by field-in-no-version.
    lives = field.present & member.versions
    if nullable and lives and nullable.lowest > valid.highest:
        yield Hit(
            f"{member.path} is nullable in {counted(nullable)}, but the highest valid version "
            f"is {valid.highest}: it is never null",
            f'write "nullableVersions" within {lives}, or raise validVersions',
            at=field.written.at("nullableVersions"),
            path=member.path,
            discriminator="nullable",
        )
    if own and (not whole or own.lowest < whole.lowest):
        yield Hit(
            f"{member.path} is flexible in versions {own}, its message only in {whole}",
            'omit "flexibleVersions" from the field',
            at=field.written.at("flexibleVersions"),
            path=member.path,
            discriminator="flexible",
        )
