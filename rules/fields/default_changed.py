"""A field keeps its default.

## What it does
Compares the values that an absent field is read as. `0`, `"0"` and `"0x0"` are equal. A JSON null
means that no default is given; the string `"null"` means null.

## Why it breaks
A tagged field that equals its default is not sent, so the two sides read an absent one as different
values. An untagged field is absent in the versions below its range, where peers disagree about its
value.

## When it is fine
If no release has the field, or if it is untagged and in every version that can hold it: its default
is then never read, and `unset-value-changed` reports what writers send.

## Do instead
Keep the default, and set the other value explicitly where you need it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Limit", "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": 0,
-     "default": "-1" }
+     "default": "0" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.fields.unset_value_changed import shown
from wirebook.rules.rule import Category, Hit, Hits, restored, rule
from wirebook.specs.defaults import known_default


@rule(Category.WIRE, "KIP-482", follows=("bad-default",))
def default_changed(broken: Break) -> Hits:
    base = broken.base_field
    versions = broken.base_field.versions
    before = shown(known_default(base))
    after = shown(known_default(broken.head_field))
    hurt = "peers disagree on what an absent field means"
    if versions is not None and not any(version in versions for version in broken.versions):
        hurt = f"readers of {broken.counted}, which lack it, use a different value than before"
    yield Hit(
        f"the default of {broken.path} is {after} instead of {before}: {hurt}",
        restored(base.written, "default", base.default),
        key="default",
    )
