"""An API key identifies one message of its type.

## What it does
Compares the API keys of messages of the same type. Keys of requests and responses are unique
throughout; those of other messages within a folder, because their readers know where they are
stored. Of two messages with one key, the one that base does not have is reported; of two APIs, the
request.

## Why it breaks
Only the key identifies the bytes: a server reads one message as the other.

## When it is fine
A request and its response share their key. Messages that are stored in different places may share
one.

## Do instead
Use the next free key.

## Example
```diff
@@ BarRequest.json @@
  { "apiKey": 900, "type": "request", "name": "BarRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
@@ FooRequest.json @@
+ { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+   "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HALVES


@rule(Category.SET, "message format", per="api")
def duplicate_api_key(protocol: Protocol) -> Hits:
    first_of: dict[tuple[str, str, int], Message] = {}
    keyed = [(message, message.api_key) for message in protocol if message.api_key is not None]
    for message, key in keyed:
        folder = "" if message.type in HALVES else message.path.rpartition("/")[0]
        first = first_of.setdefault((message.type, folder, key), message)
        if first is not message:
            free = 1 + max(other for each, other in keyed if each.type == message.type)
            yield Hit(
                f"{message.name} has API key {key}, which {first.name} has: readers cannot "
                "distinguish them",
                f"use the next free API key, {free}",
                key="apiKey",
                of=message,
            )
