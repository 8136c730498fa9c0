"""A new name for a struct changes generated code.

## What it does
Reports a field whose struct, or the struct of whose elements, has a different name in head. It is a
note, reported once for each struct of a message.

## Why it breaks
Struct names are not on the wire, but generated classes use them. The compiler finds all code that
uses the class, and no value is misread.

## When it is fine
If all code that uses the class changes with it.

## Do instead
Keep the name if code outside the repository uses the class.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Items", "type": "[]Item", "versions": "0+", "fields": [
+   { "name": "Items", "type": "[]Entry", "versions": "0+", "fields": [
      { "name": "Key", "type": "int32", "versions": "0+" }
    ] }
  ] }
```
"""

from wirebook.rules.parts import FieldPair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.SOURCE, "Kafka's message format", Severity.INFO, per="struct")
def struct_renamed(pair: FieldPair) -> Hits:
    base = pair.base
    head = pair.head
    are_defined = pair.messages.base.knows_type(base) and pair.messages.head.knows_type(head)
    if base.is_struct_like(head) and base.element != head.element and are_defined:
        yield Hit(
            f"the struct of {pair.path} is renamed from {base.element} to {head.element}: the "
            "generated class is renamed",
            "keep the name if code outside the repository uses the class",
            pair.both,
            "type",
            discriminator=f"{base.element} {head.element}",
        )
