"""A description describes the message or the field.

## What it does
Reports an `about` that begins with `TODO`, `TBD` or `FIXME`, such as the one that `wirebook new`
writes.

## Why it breaks
Nothing breaks on the wire. But readers of the released reference learn nothing about the message,
and the unit or the special values of a field become whatever the first implementation does.

## When it is fine
While a message is being drafted. Check all specs before a release: `wirebook check --all --fail-on
warning`.

## Do instead
Describe what the message is for, or what the field means, its unit, and who sets it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Id", "type": "int32", "versions": "0+", "about": "The number of the order." }
+   { "name": "Id", "type": "int32", "versions": "0+", "about": "TODO: what the field means." }
  ] }
```
"""

import re

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Message, SourceNode

_PLACEHOLDER = re.compile(r"\W*(TODO|TBD|FIXME)\b", re.ASCII)


@rule(Category.SPEC, "message format", Severity.WARNING)
def unwritten_text(message: Message) -> Hits:
    written = message.written
    yield from _unwritten(
        message.purpose, message.name, written, "", "describe what the message is for"
    )
    advice = "describe what the field means, its unit, and who sets it"
    for member in walk_fields(message):
        yield from _unwritten(
            member.field.about, member.path, member.field.written, member.path, advice
        )


def _unwritten(text: str, name: str, written: SourceNode, path: str, fix: str) -> Hits:
    placeholder = _PLACEHOLDER.match(text)
    if placeholder is not None:
        yield Hit(
            f'the description of {name} is still to be written: it begins with "{placeholder[1]}"',
            fix,
            at=written.at("about"),
            path=path,
        )
