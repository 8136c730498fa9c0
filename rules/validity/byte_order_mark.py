r"""A spec does not begin with a byte-order mark.

## What it does
Reports the bytes EF BB BF at the beginning of the file.

## Why it breaks
JSON does not allow it. Some readers skip it, others stop at the first character with an error that
shows nothing wrong.

## When it is fine
Never: a spec is always UTF-8.

## Do instead
Save the file as UTF-8 without a byte-order mark.

## Example
```diff
- {
+ \ufeff{
    "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "RFC 8259", Severity.WARNING)
def byte_order_mark(message: Message) -> Hits:
    yield from reported(
        message, ProblemKind.BYTE_ORDER_MARK, "save the file as UTF-8 without a byte-order mark"
    )
