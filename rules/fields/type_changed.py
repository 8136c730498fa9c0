"""A field keeps its type in every released version.

## What it does
Compares the types, array or not, and whether elements are structs. The name of a type counts only
if the format does not define the type.

## Why it breaks
Types differ in length or encoding: a peer that uses the other spec reads everything after the field
from the wrong place. If only the sign differs, it reads the upper half of the unsigned range as
negative numbers, or the reverse.

## When it is fine
In an unreleased version, or if only the meaning of the same bytes and values changes. In
non-flexible versions, an array of numbers has the same bytes as an array of structs with one such
number.

## Do instead
End the range of the old field and add a new one, from a new version on.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Count", "type": "int32", "versions": "0+" }
+   { "name": "Count", "type": "int64", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, restored, rule


@rule(Category.WIRE, "KIP-35; KIP-482")
def type_changed(broken: Break) -> Hits:
    base = broken.base_field
    head = broken.head_field
    back = restored(base.written, "type", base.type)
    if (base.has_default, base.default) != (head.has_default, head.default):
        back += f", and {restored(base.written, 'default', base.default)}"
    yield Hit(
        f"{broken.path} is {head.type} instead of {base.type}: peers that use the other spec "
        f"{broken.damage}",
        f"{back}; to use {head.type}, end the range of the field, and add a new one in a new "
        "version",
        key="type",
    )
