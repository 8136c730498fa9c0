"""No object has the same key twice.

## What it does
Reports a key that is repeated in one object of the text.

## Why it breaks
JSON readers disagree on what a repeated key means: most silently keep the last one, others the
first, and some reject the file.

## When it is fine
Never, not even with the same value: somebody who edits one of them expects the edit to take effect.

## Do instead
Delete all but the intended one.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "versions": "1+" }
  ] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "RFC 8259")
def duplicate_key(message: Message) -> Hits:
    yield from reported(message, ProblemKind.DUPLICATE_KEY, "delete the one that is not intended")
