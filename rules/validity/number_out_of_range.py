"""A number fits its type on the wire.

## What it does
Reports an `apiKey` or a version of the history outside 0 to 32767, and a `tag` outside 0 to
2147483647.

## Why it breaks
API keys and versions travel as INT16, tags as an unsigned varint that readers keep in 31 bits: a
larger number cannot be sent, and a negative one has another meaning.

## When it is fine
Never.

## Do instead
Use the next free number.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 40000, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "KIP-482")
def number_out_of_range(message: Message) -> Hits:
    yield from reported(message, ProblemKind.NUMBER_OUT_OF_RANGE, "use the next free number")
