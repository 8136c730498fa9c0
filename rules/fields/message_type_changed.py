"""A message keeps its type.

## What it does
Reports a message of the same name and API key whose `type` changes.

## Why it breaks
The type decides which side sends the message and what precedes it, a header or a key. Peers that
use the old spec misread these bytes.

## When it is fine
If no release has the message. Nothing precedes `data` and other messages that are stored: a change
from one of their types to another is a warning.

## Do instead
Keep the type, and add a new message with the next free API key.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "data", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.pairs import MessagePair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity


@rule(Category.WIRE, "Kafka's message format")
def message_type_changed(pair: MessagePair) -> Hits:
    if pair.old.type != pair.new.type:
        types = {pair.old.type, pair.new.type}
        peers = {*pair.old.profile.headers.types, "header"}
        stored = types.isdisjoint(peers | {"metadata"})
        hurt = "peers expect a different header"
        if stored:
            hurt = "generated code changes"
        elif types.isdisjoint(peers):
            hurt = "peers find a record of type metadata by its API key, which precedes it"
        yield Hit(
            f"{pair.new.name} is of type {pair.new.type} instead of {pair.old.type}: {hurt}",
            f'restore "type": "{pair.old.type}"',
            frozenset(pair.old.valid_versions),
            pair.new.written.at("type"),
            pair.old.written.at("type"),
            severity=Severity.WARNING if stored else None,
        )
