"""API keys are assigned without gaps.

## What it does
Lists the keys between the lowest and the highest that no request has.

## Why it breaks
Nothing breaks. A missing key was skipped by mistake, or belongs to an API whose spec was deleted
but which old clients still request: such a key must never be assigned again.

## When it is fine
If more keys are missing than present, the check assumes that it sees only some of the files, and
reports nothing.

## Do instead
Give a new API the lowest key that no API ever had. When an API is removed, keep its spec with
`"validVersions": "none"`, so that its key stays reserved.

## Example
```diff
@@ BarRequest.json @@
+ { "apiKey": 901, "type": "request", "name": "BarRequest", "validVersions": "0-2",
+   "flexibleVersions": "1+", "fields": [] }
@@ BazRequest.json @@
+ { "apiKey": 903, "type": "request", "name": "BazRequest", "validVersions": "0-2",
+   "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Protocol
from wirebook.specs.versions import VersionSet


@rule(Category.SET, "message format", Severity.INFO)
def api_key_hole(protocol: Protocol) -> Hits:
    requests = [message for message in protocol if message.type == "request"]
    keys = {message.api_key for message in requests if message.api_key is not None}
    holes = VersionSet.of(set(range(min(keys, default=0), max(keys, default=0))) - keys)
    if 0 < len(holes) < len(keys):
        yield Hit(
            f"no request has API key {holes}",
            f"give the next new API the key {holes.ranges[0].lowest}, if no API ever had it",
        )
