"""A tag belongs to one field permanently.

## What it does
Reports a field that gets a tag which another field of the same struct has in base, or had in a
released version (in any release), whatever its type, and even if the struct or the fields around
it were renamed since.

## Why it breaks
Only the tag identifies a tagged field. A peer of an older release mistakes the new field for the
old one and reads its bytes as the old type: it fails, or continues with a wrong value. It rejects
the tag in versions in which its own field is not tagged.

## When it is fine
The same number in two different structs never collides. If a field only gets a new name, no byte
shows whether it is still the same field: accept that by a waiver.

## Do instead
Use the lowest tag that the struct has never used. The old tag stays reserved.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
+   { "name": "Weight", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-482")
def tag_reused(broken: Break) -> Hits:
    base = broken.base_field
    head = broken.head_field
    yield Hit(
        f"{broken.path} takes tag {head.tag}, which belongs to {base.name} ({base.type}): a "
        f"reader that knows tag {head.tag} as {base.name} misreads {head.name} ({head.type})",
        f"give {head.name} the next free tag, and keep {base.name} unchanged; if it is "
        f"{base.name} under a new name, accept that by a waiver",
        key="tag",
    )
