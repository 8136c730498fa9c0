"""A tagged field has a tag and open-ended tagged versions, and one encoding in all of them.

## What it does
Reports a `tag` without `taggedVersions` and the reverse; `taggedVersions` that end, or that
`versions` does not contain; a field that is nullable in only some of its tagged versions; and a
tagged map key, or tagged batches of a log.

## Why it breaks
Strict readers reject the file. Without both keys the field is tagged in no version, or has no
number. A reader that knows the tag from one version rejects it in a version without it, and reads a
null by the encoding that it knows. An entry without its key cannot be looked up, and batches have a
fixed place, to which they are copied from the log.

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

from itertools import count

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import counted


@rule(Category.SPEC, "KIP-482")
def bad_tagged_field(member: OneField) -> Hits:
    field, tagged = member.field, member.field.tagged_versions
    if field.tag is None and not tagged:
        return
    used = {other.tag for other in member.fields}
    free = next(number for number in count() if number not in used)
    lowest = max(field.present.lowest, member.message.flexible_versions.lowest)
    outside, never = tagged - field.present, tagged - field.nullable_versions
    for subject, is_wrong, key, what, fix in (
        (
            "no taggedVersions",
            not tagged,
            "tag",
            f'has tag {field.tag} but no "taggedVersions": it is not tagged in any version',
            f'write "taggedVersions": "{lowest}+", or delete the tag',
        ),
        (
            "no tag",
            field.tag is None,
            "taggedVersions",
            'has "taggedVersions" but no "tag": there is no number to identify it',
            f'write "tag": {free}, if no release has used it',
        ),
        (
            "closed",
            bool(tagged) and not tagged.open,
            "taggedVersions",
            f"is tagged only in versions {tagged}: tagged versions must be open-ended",
            f'write "taggedVersions": "{tagged.lowest}+"',
        ),
        (
            "outside",
            bool(outside),
            "taggedVersions",
            f"is tagged in {counted(outside)}, but exists only in {field.versions}",
            f'write "versions": "{min(field.present.lowest, tagged.lowest)}+" and tagged '
            "versions within it",
        ),
        (
            "nullable",
            bool(field.nullable_versions & tagged and never),
            "nullableVersions",
            f"is nullable in some of its tagged versions, but not in {never}",
            f'write "nullableVersions": "{tagged}", or omit it',
        ),
        (
            "map key",
            field.map_key,
            "mapKey",
            "is a map key and tagged: an entry may lack its key",
            "leave it untagged, or use another field as the key",
        ),
        (
            "records",
            field.element == "records",
            "taggedVersions",
            f"is of type {field.type} and tagged: records have a fixed place",
            "put it at a fixed place, from a new version on",
        ),
    ):
        if is_wrong:
            at = field.written.at(key)
            yield Hit(f"{member.path} {what}", fix, at=at, discriminator=subject)
