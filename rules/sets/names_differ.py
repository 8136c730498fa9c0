"""The request and the response of an API are named after it.

## What it does
Reports a request whose name does not end in `Request`, a response whose name does not end in
`Response`, and a request and response with the same API key whose names differ otherwise.

## Why it breaks
The key links the two, but people, generated code and pages use the name: the two look like
different APIs.

## When it is fine
Messages of other types may have any name.

## Do instead
Name them `FooRequest` and `FooResponse`.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "Foo", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import STRUCT_NAME
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HALVES


@rule(Category.SET, "message format")
def names_differ(protocol: Protocol) -> Hits:
    requests: dict[int | None, list[Message]] = {}
    for message in protocol:
        if message.type == "request":
            requests.setdefault(message.api_key, []).append(message)
    for message in protocol:
        name, key = message.name, message.api_key
        if message.type not in HALVES or not STRUCT_NAME.fullmatch(name):
            continue
        ending = message.type.capitalize()
        answers = message.type == "response" and key is not None
        partners = requests.get(key, []) if answers else []
        names = [other.api for other in partners if other.name.endswith("Request")]
        if not name.endswith(ending) or name == ending:
            text = f"{name} is a {message.type}, but its name does not end in {ending}"
            fix = f"rename it to {names[0] if names else name}{ending}"
        elif names and message.api not in names:
            text = (
                f"{name} has API key {key}, the key of {partners[0].name}: the names do not match"
            )
            fix = f"rename it to {names[0]}{ending}, or correct the API key"
        else:
            continue
        yield Hit(text, fix, key="name", of=message)
