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

from collections.abc import Iterator

from wirebook.rules.parts import OneField, walk_fields
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(Category.SPEC, "message format; KIP-482; KIP-896", follows=("highest-version-lowered",))
def versions_outside(message: Message) -> Hits:
    valid = message.valid_versions
    is_read = bool(valid) and not unusable(message)
    # Others may have the versions of a struct that several specs import.
    structs = [each for each in message.common_structs if not each.path]
    nodes = [(message.written, message.deprecated_versions, message.name, "")]
    nodes += [
        (each.written, each.deprecated_versions, f"the struct {each.name}", each.name)
        for each in structs
    ]
    for written, deprecated, name, path in nodes if valid else ():
        outside = deprecated & Versions(valid.highest + 1, MAX_VERSION)
        if outside and not (deprecated.open and deprecated & valid):
            yield Hit(
                f"{name} deprecates {counted(outside)}, but the highest valid version is "
                f"{valid.highest}",
                f'write "deprecatedVersions" within {valid}',
                at=written.at("deprecatedVersions"),
                path=path,
                discriminator="deprecated",
            )
    for struct in structs if is_read else ():
        if not struct.versions & valid and not _withdrawn(struct.versions, valid):
            yield Hit(
                f"the struct {struct.name} is in versions {struct.versions}, none of which "
                f"{message.name} has ({valid})",
                f"raise validVersions, or write a range within {valid}",
                at=struct.written.at("versions"),
                path=struct.name,
            )
    for member in walk_fields(message):
        for subject, key, what, fix in _faults(member, is_read):
            yield member.hit(f"{member.path} {what}", fix, key, subject)


def _faults(member: OneField, is_read: bool) -> Iterator[tuple[str, str, str, str]]:
    """What is wrong: a word for it, the key, what to say of the field, and what to write."""
    field = member.field
    valid = member.message.valid_versions
    around = member.versions
    present = field.present
    nullable = field.nullable_versions
    own = field.flexible_versions
    whole = member.message.flexible_versions
    lives = present & around
    is_written = is_read and field.versions is not None
    if is_written and around and not lives and not _withdrawn(present, valid):
        owner = "its struct" if present & valid else member.message.name
        what = f"is in versions {present}, none of which {owner} has ({around})"
        yield (
            "",
            "versions",
            f"{what}: it is never on the wire",
            f"write a range within {around}, or raise validVersions",
        )
    # The versions of a shared struct are those of each message: what lies outside has no effect.
    if nullable and lives and nullable.lowest > valid.highest and not member.is_imported:
        yield (
            "nullable",
            "nullableVersions",
            (
                f"is nullable in {counted(nullable)}, but the highest valid version is "
                f"{valid.highest}: it is never null"
            ),
            f'write "nullableVersions" within {lives}, or raise validVersions',
        )
    if own and (not whole or own.lowest < whole.lowest) and not member.is_imported:
        yield (
            "flexible",
            "flexibleVersions",
            f"is flexible in versions {own}, its message only in {whole}",
            'omit "flexibleVersions" from the field',
        )


def _withdrawn(versions: Versions, valid: Versions) -> bool:
    """Whether all of some versions are below the valid ones: they were valid once."""
    return bool(versions) and versions.highest < valid.lowest
