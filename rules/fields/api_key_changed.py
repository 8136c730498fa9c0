"""The API key of a message never changes.

## What it does
Reports a message of the same type and name whose API key is changed, added or removed, and a new
message that reuses the API key of a retired one (`"validVersions": "none"`). A retired key stays
reserved.

## Why it breaks
The API key is the first field of every request and identifies the API. Peers that use the old spec
mistake the message for another one, or close the connection.

## When it is fine
If no release has the message.

## Do instead
Keep the API key. Give a new API the next free key.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 901, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, restored, rule
from wirebook.specs.model import Message


@rule(Category.WIRE, "KIP-35")
def api_key_changed(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    if base.type != head.type:
        return
    if base.api_key != head.api_key:
        yield Hit(
            f"{head.name} has {_key(head)} instead of {_key(base)}: peers mistake it for another "
            "API",
            restored(base.written, "apiKey", base.api_key),
            frozenset(base.valid_versions),
            "apiKey",
        )
    elif reuses_api_key(base, head):
        yield Hit(
            f"{head.name} reuses API key {head.api_key} of {base.name}: peers of older releases "
            f"mistake it for {base.name}",
            f"keep the definition of {base.name}, and give {head.name} the next free key",
            key="apiKey",
        )


def reuses_api_key(base: Message, head: Message) -> bool:
    """Whether a new message has the API key of one that was retired."""
    return bool(head.valid_versions) and not base.valid_versions and base.name != head.name


def _key(message: Message) -> str:
    return "no API key" if message.api_key is None else f"API key {message.api_key}"
