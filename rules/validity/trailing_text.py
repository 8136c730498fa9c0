"""No text follows the end of a spec.

## What it does
Reports text after the closing brace of the message, other than comments and blank lines.

## Why it breaks
The text is left over from a merge, or contains fields that an extra brace cut off. Readers that
stop after the first value never see it.

## When it is fine
A comment may follow.

## Do instead
Delete the text, or move the brace to its place.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
    { "name": "Note", "type": "string", "versions": "0+" }
  ] }
+ ] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "KAFKA-12800")
def trailing_text(message: Message) -> Hits:
    yield from reported(
        message,
        ProblemKind.TRAILING_TEXT,
        "delete it, or move the closing brace after it",
        Severity.ERROR,
    )
