"""The nullability of a field never changes in a released version.

## What it does
Compares `nullableVersions` of a field on both sides, in every version that both have.

## Why it breaks
If a field becomes nullable, readers that use the old spec reject a null ("non-nullable field was
serialized as null"). If it is no longer nullable, old writers still send nulls, which new readers
reject. A nullable struct has one more byte, so everything after it is misread.

## When it is fine
With a new version of the message, if the field is untagged. A tagged field must be nullable in all
of its tagged versions or in none.

## Do instead
Start the range at a new version: `"nullableVersions": "5+"`, with `validVersions` up to 5.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "1+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, restored, rule


@rule(Category.WIRE, "KIP-482; KAFKA-18646")
def nullability_changed(broken: Break) -> Hits:
    now = broken.head.carried
    becomes = "is no longer nullable"
    hurt = "readers that use the new spec reject the nulls of old writers"
    if now is not None and now.nullable:
        becomes = "becomes nullable"
        hurt = "readers that use the old spec reject a null"
    if broken.head_field.is_struct and not broken.head_field.is_array:
        hurt = "only one side has the byte that marks null, so both misread everything after it"
    back = restored(
        broken.base_field.written, "nullableVersions", broken.base_field.nullable_versions
    )
    yield Hit(
        f"{broken.path} {becomes} in {broken.counted}: {hurt}",
        f"{back}; change it from a new version on",
        key="nullableVersions",
    )
