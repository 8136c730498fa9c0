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

from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.profile import HALVES


@rule(Category.WIRE, "Kafka's message format")
def message_type_changed(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    if base.type == head.type:
        return
    hurt = "peers expect a different header or key before it"
    severity = None
    if {base.type, head.type}.isdisjoint((*HALVES, "header", "metadata")):
        hurt = "generated code changes"
        severity = Severity.WARNING
    yield Hit(
        f"{head.name} is of type {head.type} instead of {base.type}: {hurt}",
        f'restore "type": "{base.type}"',
        frozenset(base.valid_versions),
        "type",
        severity=severity,
    )
