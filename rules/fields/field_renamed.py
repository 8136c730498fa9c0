"""A renamed field must still be the same field.

## What it does
Reports a new field that has the type and the place of a removed one; `tag-reused` reports a new
name for a tag.

## Why it breaks
A rename changes generated code, and breaks no peer: names are not on the wire. But a different
field of the same type makes peers read the bytes of the old field as the new one.

## When it is fine
If it is a rename, and the code that uses the field changes with it. A name that differs only in
case, or that no release has, is not reported.

## Do instead
If the meaning changes, end the range of the old field, and add a new one with its own version or
tag.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Remark", "type": "string", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.parts import FieldPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def field_renamed(pair: FieldPair) -> Hits:
    base = pair.base
    head = pair.head
    if base.tag == head.tag is not None or base.name.casefold() == head.name.casefold():
        return
    tag = "" if head.tag is None else f" (tag {head.tag})"
    yield Hit(
        f"{pair.struct.path_of(base)} is renamed to {head.name}{tag}: generated code changes; if "
        "it is a different field, peers misread its bytes",
        "make sure that it is a rename; a different field needs its own version or tag",
        pair.both,
        "name",
        discriminator=base.name,
    )
