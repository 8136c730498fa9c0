"""A value has the JSON type of its key.

## What it does
Reports a string where a number or a boolean belongs (`"tag": "0"`), a number where a version range
belongs, and, as an error, any value that cannot be interpreted.

## Why it breaks
Some readers accept `"0"` as 0 and `"false"` as false; other readers of the same files stop, or
treat every non-empty string as true.

## When it is fine
The format allows a string, a number, true or false as `default`.

## Do instead
Write numbers, true and false without quotes, and version ranges with them.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
+   { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": "0" }
  ] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "message format")
def wrong_type(message: Message) -> Hits:
    yield from reported(message, ProblemKind.WRONG_TYPE, "write a value of the type of its key")
