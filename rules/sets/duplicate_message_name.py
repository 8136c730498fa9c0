"""The name of a message is unique.

## What it does
Compares the names of all messages, ignoring case.

## Why it breaks
The generated classes, files and pages of the two messages collide. On some systems, so do the files
`FooRequest.json` and `fooRequest.json`.

## When it is fine
Never.

## Do instead
Rename the newer one: names are not on the wire.

## Example
```diff
@@ data.json @@
  { "type": "data", "name": "Foo", "validVersions": "0-2", "flexibleVersions": "1+",
    "fields": [] }
@@ other.json @@
+ { "type": "header", "name": "Foo", "validVersions": "0-2", "flexibleVersions": "1+",
+   "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message, Protocol


@rule(Category.SET, "message format")
def duplicate_message_name(protocol: Protocol) -> Hits:
    first_of: dict[str, Message] = {}
    for message in protocol:
        first = first_of.setdefault(message.name.casefold(), message)
        if first is not message and message.name:
            types = f" of type {message.type}"
            if first.type != message.type:
                types = f", of type {first.type} and {message.type}"
            yield Hit(
                f"{message.name} is the name of two messages{types}",
                "rename the newer one",
                key="name",
                of=message,
            )
