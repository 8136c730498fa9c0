"""Either all messages state their header versions, or none.

## What it does
Reports the request or the response of an API that has no `headerVersions`, if those of all other
APIs have it.

## Why it breaks
Readers that require the key reject the file. Others take the header from the flexible versions,
which nobody has decided for this message.

## When it is fine
While the key is introduced step by step: nothing is reported as long as several APIs lack it.

## Do instead
Add the key: `"headerVersions": { "0+": "2" }` for a request that is flexible from the beginning.

## Example
```diff
@@ FooRequest.json @@
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0",
    "flexibleVersions": "0+", "headerVersions": { "0+": "2" }, "fields": [] }
@@ BarRequest.json @@
+ { "apiKey": 901, "type": "request", "name": "BarRequest", "validVersions": "0",
+   "flexibleVersions": "0+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Protocol
from wirebook.specs.profile import HALVES


@rule(Category.POLICY, "KIP-1313", Severity.WARNING)
def header_versions_missing(protocol: Protocol) -> Hits:
    having = [each for each in protocol if each.type in HALVES and each.valid_versions]
    lacking = [each for each in having if each.header_versions is None]
    if len(lacking) == len(having) or len({each.api_key for each in lacking}) > 1:
        return
    for message in lacking:
        yield Hit(
            f'{message.name} has no "headerVersions", which all other APIs have',
            'add "headerVersions", with the header of each version',
            key="name",
            of=message,
        )
