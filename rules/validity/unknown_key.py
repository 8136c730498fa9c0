"""Every key is one that the format defines.

## What it does
Reports keys of a message, field, struct or history entry that the format does not define, and
suggests the key that a misspelled one resembles.

## Why it breaks
Strict readers reject the file. Other readers ignore the key and what it was meant to declare:
`nullableVersion` makes nothing nullable.

## When it is fine
A key that base had is not reported. Keys that begin with `x-` are free for other tools, unless the
protocol is of a family whose strict readers refuse them.

## Do instead
Correct the spelling, or write a `//` comment. `wirebook explain format` lists what the format
cannot describe, with what to write instead: byte order, fixed sizes, conditions, unions, and more.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "nullableVersion": "0+" }
  ] }
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "message format")
def unknown_key(message: Message) -> Hits:
    fix = 'correct the spelling, delete the key, or prefix it with "x-"'
    if message.profile.family:
        fix = "correct the spelling, or delete the key"
    for hit in reported(message, {ProblemKind.UNKNOWN_KEY: fix}, Severity.ERROR):
        # A key that resembles no other may be meant for something that the format does not have.
        other = "" if hit.meant else " (what no key states: wirebook explain format)"
        yield hit._replace(fix=f"{fix}{other}")
