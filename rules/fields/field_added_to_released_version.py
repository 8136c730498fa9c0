"""A new untagged field begins with a new version.

## What it does
Reports a field that only head has, in the versions of base in which it is untagged. The fields
that follow it are not reported separately.

## Why it breaks
Old writers do not send the field, and old readers do not skip it: each side misreads the bytes of
all fields that follow.

## When it is fine
From a new version on, anywhere in the struct. A new *tagged* field may be added even to released
flexible versions, because readers skip unknown tags.

## Do instead
Write `"versions": "N+"`, where N is a new highest version in `validVersions`, or make the field
tagged.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
+   { "name": "Count", "type": "int32", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-35")
def field_added_to_released_version(broken: Break) -> Hits:
    top = broken.head_message.valid_versions.highest
    following = top if top > broken.base_message.valid_versions.highest else top + 1
    yield Hit(
        f"{broken.path} ({broken.head_field.type}) is added to {broken.counted}: peers that use "
        "the old spec neither send nor skip it",
        f'write "versions": "{following}+" and add version {following}, or make it a tagged field',
        key="versions",
    )
