"""A spec is JSON that all readers read alike.

## What it does
Reports a key that an object has twice, and text after the closing brace.

## Why it breaks
Readers disagree on both. Most keep the last of two keys, others the first. Those that stop after
the first value never see what a merge left over, or fields that an extra brace cut off.

## When it is fine
Comments and blank lines may follow. What base has is reported again once the file changes.

## Do instead
Delete all but the intended key. Delete the text, or move the brace to its place.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "versions": "1+" }
  ] }
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind

_FIXES = {ProblemKind.DUPLICATE_KEY: "delete the one that is not intended"}


@rule(Category.SPEC, "RFC 8259; KAFKA-12800")
def bad_json(message: Message) -> Hits:
    yield from reported(message, _FIXES)
    trailing = {ProblemKind.TRAILING_TEXT: "delete it, or move the closing brace after it"}
    yield from reported(message, trailing, Severity.ERROR)
