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

from wirebook.rules.parts import apis
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import STRUCT_NAME
from wirebook.specs.model import Protocol
from wirebook.specs.profile import HALVES


@rule(Category.SET, "message format")
def names_differ(protocol: Protocol) -> Hits:
    requests = {api.response.name: api.request for api in apis(protocol)}
    for message in protocol:
        name = message.name
        partner = requests.get(message.name)
        if message.type not in HALVES or not STRUCT_NAME.fullmatch(name):
            continue
        ending = message.type.capitalize()
        stem = message.api
        if partner is not None and partner.name.endswith("Request"):
            stem = partner.api
        if not name.endswith(ending) or name == ending:
            text = f"{name} is a {message.type}, but its name does not end in {ending}"
            fix = f"rename it to {stem}{ending}"
        elif partner is not None and message.api != stem:
            key = message.api_key
            text = f"{name} has API key {key}, the key of {partner.name}: the names do not match"
            fix = f"rename it to {stem}{ending}, or correct the API key"
        else:
            continue
        yield Hit(text, fix, key="name", of=message)
