"""The tag of a field never changes.

## What it does
Reports a field whose tag changes. Two fields that swap their tags are two findings.

## Why it breaks
Only the tag identifies the field. Readers that use the old spec skip it as an unknown field, or
mistake it for another field that had the tag. New readers lose what old writers send under the old
tag.

## When it is fine
If no released version has the field.

## Do instead
Keep the tag. Tags need not follow the order of the fields.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Zone", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 1 }
+   { "name": "Zone", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-482")
def tag_changed(broken: Break) -> Hits:
    yield Hit(
        f"{broken.path} has tag {broken.head_field.tag} instead of {broken.base_field.tag}: peers "
        "that use the old spec do not find it",
        f'restore "tag": {broken.base_field.tag}',
        key="tag",
    )
