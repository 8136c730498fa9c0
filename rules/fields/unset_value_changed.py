"""A writer that does not set a field sends its default.

## What it does
Compares the defaults of a field that every version carries, untagged.

## Why it breaks
No message is misread, because the value is always sent. But writers that do not set the field send
another value than before, and may mean the old one.

## When it is fine
If writers are meant to send the new value. `default-changed` reports fields that messages may leave
out.

## Do instead
Keep the default, and set the other value where you need it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Limit", "type": "int32", "versions": "0+", "default": "-1" }
+   { "name": "Limit", "type": "int32", "versions": "0+", "default": "0" }
  ] }
```
"""

import json

from wirebook.rules.compat import is_same
from wirebook.rules.parts import FieldPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, restored, rule
from wirebook.specs.defaults import default_value
from wirebook.specs.model import Json


@rule(
    Category.SOURCE,
    "Kafka's message format",
    Severity.INFO,
    follows=("default-changed",),
    keys=("default",),
)
def unset_value_changed(pair: FieldPair) -> Hits:
    base = pair.base
    head = pair.head
    if base.type != head.type or pair.struct.versions - pair.both:
        return
    if any(at in base.tagged_versions or at in head.tagged_versions for at in pair.both):
        return
    try:
        before = default_value(base)
        after = default_value(head)
    except ValueError:
        return
    if not is_same(before, after):
        yield Hit(
            f"the default of {pair.path} is {shown(after)} instead of {shown(before)}: writers "
            "that do not set it send a different value",
            f"{restored(base.written, 'default', base.default)}, unless writers are meant to send "
            "the new value",
            pair.both,
            "default",
        )


def shown(value: Json) -> str:
    """A default as a sentence names it."""
    return json.dumps(value, ensure_ascii=False)
