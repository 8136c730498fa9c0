"""Untagged fields keep their order in every released version.

## What it does
Compares, version by version, the order of the untagged fields that both sides have, and reports the
fewest fields that explain the difference.

## Why it breaks
Untagged fields have no number on the wire: only their order identifies them. Two fields of the same
type swap their values without an error.

## When it is fine
Tagged fields may be declared anywhere: the wire orders them by tag. Fields that share no version
have no order between them.

## Do instead
Put the field back, and add new fields for new versions where they belong.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Id", "type": "int32", "versions": "0+" },
-   { "name": "More", "type": "int8", "versions": "0+" }
+   { "name": "More", "type": "int8", "versions": "0+" },
+   { "name": "Id", "type": "int32", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-35")
def field_moved(broken: Break) -> Hits:
    yield Hit(
        f"{broken.path} is at a different place in {broken.counted}: peers that use the old spec "
        "mistake its bytes for those of another field",
        f"put {broken.head_field.name} back where it was",
    )
