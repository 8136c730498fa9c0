"""A field stays tagged, or untagged, in every released version.

## What it does
Compares `taggedVersions` of a field on both sides, in the versions in which both have the field.

## Why it breaks
An untagged field has a fixed place; a tagged one is in the section at the end of its struct. Peers
that use the other spec read the bytes of another field instead, and misread the rest of the
message.

## When it is fine
From a new version on, a field may become tagged: this is how optional fields are migrated. It may
also get a new name and a new tag if another field takes its place with the same bytes.

## Do instead
Start `taggedVersions` at a new version, and keep the field untagged below it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "taggedVersions": "1+", "tag": 0 }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, restored, rule


@rule(Category.WIRE, "KIP-482")
def tagging_changed(broken: Break) -> Hits:
    now = broken.head.carried
    becomes = "is no longer" if now is not None and now.tag is None else "becomes"
    back = restored(broken.base_field.written, "taggedVersions", broken.base_field.tagged_versions)
    yield Hit(
        f"{broken.path} {becomes} tagged in {broken.counted}: peers that use the other spec "
        f"{broken.damage}",
        f"{back}; change it from a new version on",
        key="taggedVersions",
    )
