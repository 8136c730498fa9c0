"""A tagged field has a tag and open-ended tagged versions, and one encoding in all of them.

## What it does
Reports a `tag` without `taggedVersions` and the reverse; `taggedVersions` that end, or that
`versions` does not contain; a field that is nullable in only some of its tagged versions; and a
tagged map key, or tagged batches of a log.

## Why it breaks
Strict readers reject the file. Without both keys the field is tagged in no version, or has no
number. A reader that knows the tag from one version rejects it in a version without it, and reads a
null by the encoding that it knows. An entry without its key cannot be looked up, and batches are
copied from the log to a fixed place.

## When it is fine
`"taggedVersions": "none"` is the same as omitting it. A field may be untagged in lower versions,
and nullable in others there.

## Do instead
Write the lowest tag that the struct has never used, and `taggedVersions` that are open-ended,
within `versions` and `nullableVersions`. To end a field, stop sending it: its default takes no
bytes.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
+   { "name": "Region", "type": "string", "versions": "1+", "tag": 0 }
  ] }
```
"""

from collections.abc import Iterator
from itertools import count

from wirebook.rules.parts import OneField
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.versions import counted


@rule(Category.SPEC, "KIP-482", keys=("tag", "taggedVersions"))
def bad_tagged_field(member: OneField) -> Hits:
    if member.field.tag is not None or member.field.tagged_versions:
        for subject, key, what, fix in _faults(member):
            yield Hit(f"{member.path} {what}", fix, key=key, discriminator=subject)


def _faults(member: OneField) -> Iterator[tuple[str, str, str, str]]:
    """What is wrong: a word for it, the key, what to say of the field, and what to write."""
    field = member.field
    tagged = member.field.tagged_versions
    present = member.field.present
    if not tagged:
        lowest = max(present.lowest, member.message.flexible_versions.lowest)
        yield (
            "no taggedVersions",
            "tag",
            f'has tag {field.tag} but no "taggedVersions": it is not tagged in any version',
            f'write "taggedVersions": "{lowest}+", or delete the tag',
        )
    if field.tag is None:
        used = {other.tag for other in member.fields}
        free = next(number for number in count() if number not in used)
        yield (
            "no tag",
            "taggedVersions",
            'has "taggedVersions" but no "tag": there is no number to identify it',
            f'write "tag": {free}, if no release has used it',
        )
    if tagged and not tagged.open:
        yield (
            "closed",
            "taggedVersions",
            f"is tagged only in versions {tagged}: tagged versions must be open-ended",
            f'write "taggedVersions": "{tagged.lowest}+"',
        )
    if outside := tagged - present:
        lowest = min(present.lowest, tagged.lowest)
        yield (
            "outside",
            "taggedVersions",
            f"is tagged in {counted(outside)}, but exists only in {field.versions}",
            f'write "versions": "{lowest}+" and tagged versions within it',
        )
    never = tagged - field.nullable_versions
    if never and field.nullable_versions & tagged:
        yield (
            "nullable",
            "nullableVersions",
            f"is nullable in some of its tagged versions, but not in {never}",
            f'write "nullableVersions": "{tagged}", or omit it',
        )
    if field.map_key:
        yield (
            "map key",
            "mapKey",
            "is a map key and tagged: an entry may lack its key",
            "leave it untagged, or use another field as the key",
        )
    if field.element == "records":
        yield (
            "records",
            "taggedVersions",
            f"is of type {field.type} and tagged: records have a fixed place",
            "put it at a fixed place, from a new version on",
        )
