"""A new name for a message changes generated code.

## What it does
Reports a message of the same type and API key with another name. Without an API key it is the same
message if one name begins with the other and the fields are equal; it has the releases of its
former names.

## Why it breaks
At most the API key is on the wire. But the name is used in generated classes, in links to
documentation, and in quotas, access lists and metrics.

## When it is fine
If all of those change with it.

## Do instead
Keep the name, or announce the new one in the release notes.

## Example
```diff
- { "type": "data", "name": "Foo", "validVersions": "0-1", "flexibleVersions": "1+",
-   "fields": [] }
+ { "type": "data", "name": "FooData", "validVersions": "0-2", "flexibleVersions": "1+",
+   "fields": [] }
```
"""

from wirebook.rules.fields.api_key_changed import reuses_api_key
from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING)
def message_renamed(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    if base.name != head.name and base.type == head.type and not reuses_api_key(base, head):
        yield Hit(
            f"{base.name} is renamed to {head.name}: generated code and names in tools change",
            "keep the name, or announce the new one in the release notes",
            discriminator=f"{base.name} {head.name}",
        )
