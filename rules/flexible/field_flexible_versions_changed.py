"""A field keeps its own `flexibleVersions` for released versions.

## What it does
Compares the versions in which the length of a field is compact, if the field declares its own
`flexibleVersions`.

## Why it breaks
The length before the field is two or four bytes on one side and a varint on the other.

## When it is fine
From a new version on, or if the length keeps its encoding.

## Do instead
Keep the range for released versions.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "ClientId", "type": "string", "versions": "0+" }
+   { "name": "ClientId", "type": "string", "versions": "0+", "flexibleVersions": "none" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, restored, rule


@rule(Category.WIRE, "KIP-482")
def field_flexible_versions_changed(broken: Break) -> Hits:
    back = restored(
        broken.base_field.written, "flexibleVersions", broken.base_field.flexible_versions
    )
    yield Hit(
        f"the length of {broken.path} has a different encoding in {broken.counted}: peers that "
        "use the other spec misread it and everything after it",
        f"{back}; change it from a new version on",
        key="flexibleVersions",
    )
