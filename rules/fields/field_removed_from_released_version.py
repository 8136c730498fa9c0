"""A field stays in every released version that has it.

## What it does
Reports a field that only base has, in the versions of both specs in which it is untagged.

## Why it breaks
Old peers still send and expect the bytes of the field, so everything after it is misread.

## When it is fine
If every version that had the field is removed as well. No reader misreads a tagged field that it
does not know: `definition-deleted` reports its removal.

## Do instead
Keep the definition and end its range: `"versions": "0-4"`, where 5 is a new version.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Count", "type": "int32", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-35; KAFKA-18967")
def field_removed_from_released_version(broken: Break) -> Hits:
    yield Hit(
        f"{broken.path} ({broken.base_field.type}) is removed from {broken.counted}: peers that "
        "use the other spec send and expect its bytes, and misread everything after it",
        "keep the field, and end its range below a new version",
    )
