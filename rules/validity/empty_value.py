"""A name or a type is not empty.

## What it does
Reports `""` as the name or the type of a message, struct or field.

## Why it breaks
The generated class or field would have no name, or the field no encoding.

## When it is fine
Never.

## Do instead
Write the name or the type.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "", "versions": "0+" }
  ] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "message format")
def empty_value(message: Message) -> Hits:
    yield from reported(message, ProblemKind.EMPTY_VALUE, "write a value")
