"""Every request has a response, and every response a request.

## What it does
Looks for requests and responses that have no partner with the same API key.

## Why it breaks
A client that sends the request cannot read the response.

## When it is fine
If only some of the files are checked, the partner may be among the others. This is therefore a
warning, and it is not reported if there are no responses, or no requests, at all.

## Do instead
Write the other spec, with the same API key and the same valid versions.

## Example
```diff
@@ BarRequest.json @@
+ { "apiKey": 901, "type": "request", "name": "BarRequest", "validVersions": "0-2",
+   "flexibleVersions": "1+", "fields": [] }
@@ FooResponse.json @@
+ { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
+   "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Protocol
from wirebook.specs.profile import HALVES


@rule(Category.SET, "message format", Severity.WARNING)
def missing_partner(protocol: Protocol) -> Hits:
    keys = {kind: {each.api_key for each in protocol if each.type == kind} for kind in HALVES}
    for message in protocol if all(keys.values()) else ():
        if message.type not in HALVES or message.api_key is None:
            continue
        other = "response" if message.type == "request" else "request"
        if message.api_key not in keys[other]:
            yield Hit(
                f"{message.name} has no {other}: no {other} has API key {message.api_key}",
                f"write the {other}, with the same API key and valid versions",
                key="name",
                of=message,
            )
