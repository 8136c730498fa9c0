"""Ranges begin within the versions of their message.

## What it does
Reports a field, or a struct of `commonStructs`, whose `versions` are none, above the highest valid
version, or without one of the enclosing struct; `deprecatedVersions` that go above the highest
valid version; `nullableVersions` that begin above it; and `flexibleVersions` of a field that begin
before those of its message.

## Why it breaks
The field is never on the wire, or never null, and versions that do not exist are announced to end.
Most often `validVersions` was not raised, or the range is mistyped. Strict readers reject a field
that is compact in versions in which its message is not flexible.

## When it is fine
Below the lowest valid version: what concerns versions that are now removed may stay, so that its
tag and place stay recorded. An open range that begins at a valid version may go on above the
highest one. A field may be flexible in fewer versions, or never.

## Do instead
Raise `validVersions`, or write a range that begins within it. Omit `flexibleVersions` of a field.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "2+" }
+   { "name": "Note", "type": "string", "versions": "3+" }
  ] }
```
"""

from wirebook.rules.pairs import OneField, walk_fields
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(Category.SPEC, "message format; KIP-482; KIP-896", follows=("highest-version-lowered",))
def versions_outside(message: Message) -> Hits:
    yield from _deprecated(message)
    if message.valid_versions and not unusable(message):
        yield from _structs(message)
    for member in walk_fields(message):
        yield from _field(member)


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


def _structs(message: Message) -> Hits:
    valid = message.valid_versions
    for struct in message.common_structs:
        versions = struct.versions
        # Others may have the versions of a struct that several specs import.
        if not struct.path and not versions & valid and not _withdrawn(versions, valid):
            yield Hit(
                f"the struct {struct.name} is in versions {versions}, none of which "
                f"{message.name} has ({valid})",
                f"raise validVersions, or write a range within {valid}",
                at=struct.written.at("versions"),
                path=struct.name,
            )


def _field(member: OneField) -> Hits:
    field, message, valid = member.field, member.message, member.message.valid_versions
    present, nullable = field.present, field.nullable_versions
    own, whole = field.flexible_versions, message.flexible_versions
    lives = present & member.versions
    faults: list[tuple[str, str, str, str]] = []
    is_read = field.versions is not None and not unusable(message)
    if member.versions and not lives and is_read and not _withdrawn(present, valid):
        around = "its struct" if present & valid else message.name
        faults.append(
            (
                "",
                "versions",
                f"is in versions {present}, none of which {around} has ({member.versions}): it is "
                "never on the wire",
                f"write a range within {member.versions}, or raise validVersions",
            )
        )
    # The versions of a shared struct are those of each message: what lies outside has no effect.
    if nullable and lives and nullable.lowest > valid.highest and not member.is_imported:
        faults.append(
            (
                "nullable",
                "nullableVersions",
                f"is nullable in {counted(nullable)}, but the highest valid version is "
                f"{valid.highest}: it is never null",
                f'write "nullableVersions" within {lives}, or raise validVersions',
            )
        )
    if own and (not whole or own.lowest < whole.lowest) and not member.is_imported:
        faults.append(
            (
                "flexible",
                "flexibleVersions",
                f"is flexible in versions {own}, its message only in {whole}",
                'omit "flexibleVersions" from the field',
            )
        )
    for what, key, sentence, fix in faults:
        yield Hit(
            f"{member.path} {sentence}",
            fix,
            at=field.written.at(key),
            path=member.path,
            discriminator=what,
        )


def _withdrawn(versions: Versions, valid: Versions) -> bool:
    return bool(versions) and versions.highest < valid.lowest
