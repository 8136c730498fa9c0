"""Header versions are those of the header specs.

## What it does
Looks up the header that `headerVersions` gives each valid version in the spec of that header.

## Why it breaks
Nobody can encode or decode such a message with its header.

## When it is fine
If no spec describes the header, or only some of the files are checked.

## Do instead
Correct the number, or add the version to the spec of the header.

## Example
```diff
@@ FooRequest.json @@
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
+   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "3" }, "fields": [] }
@@ RequestHeader.json @@
  { "type": "header", "name": "RequestHeader", "validVersions": "1-2", "flexibleVersions": "2+",
    "fields": [{ "name": "RequestApiKey", "type": "int16", "versions": "0+" },
               { "name": "RequestApiVersion", "type": "int16", "versions": "0+" },
               { "name": "CorrelationId", "type": "int32", "versions": "0+" },
               { "name": "ClientId", "type": "string", "versions": "1+",
                 "nullableVersions": "1+" }] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Protocol


@rule(Category.SET, "message format")
def unknown_header(protocol: Protocol) -> Hits:
    headers = {each.name: each for each in protocol if each.type == "header" and not unusable(each)}
    for message in protocol:
        header = headers.get(f"{message.type.capitalize()}Header")
        if header is None or not message.header_versions or unusable(message):
            continue
        for number in sorted(message.headers - frozenset(header.valid_versions)):
            yield Hit(
                f"the header of {message.name} does not exist: {header.name} has no version "
                f"{number}, only {header.valid_versions}",
                f"write a version that {header.name} has, or add version {number} to it",
                key="headerVersions",
                of=message,
                discriminator=str(number),
            )
