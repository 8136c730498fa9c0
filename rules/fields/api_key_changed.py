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

from wirebook.rules.pairs import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message


@rule(Category.WIRE, "KIP-35")
def api_key_changed(pair: MessagePair) -> Hits:
    old, new = pair.old, pair.new
    if old.type != new.type:
        return
    if old.api_key != new.api_key:
        yield Hit(
            f"{new.name} has {_key(new)} instead of {_key(old)}: peers mistake it for another API",
            f"restore API key {old.api_key}" if old.api_key is not None else 'delete "apiKey"',
            frozenset(old.valid_versions),
            "apiKey",
        )
    elif reuses_api_key(old, new):
        yield Hit(
            f"{new.name} reuses API key {new.api_key} of {old.name}: peers of older releases "
            f"mistake it for {old.name}",
            f"keep the definition of {old.name}, and give {new.name} the next free key",
            key="apiKey",
        )


def reuses_api_key(old: Message, new: Message) -> bool:
    """Whether a new message has the API key of one that was retired."""
    return bool(new.valid_versions) and not old.valid_versions and old.name != new.name


def _key(message: Message) -> str:
    return "no API key" if message.api_key is None else f"API key {message.api_key}"
