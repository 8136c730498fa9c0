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

from wirebook.rules.parts import walk_fields
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Message

_PLACEHOLDER = re.compile(r"\W*(TODO|TBD|FIXME)\b", re.ASCII)


@rule(Category.SPEC, "message format", Severity.WARNING)
def unwritten_text(message: Message) -> Hits:
    about_fields = "describe what the field means, its unit, and who sets it"
    texts = [(message.purpose, message.written, "", "describe what the message is for")]
    for member in walk_fields(message):
        texts.append((member.field.about, member.field.written, member.path, about_fields))
    for text, written, path, fix in texts:
        if placeholder := _PLACEHOLDER.match(text):
            yield Hit(
                f"the description of {path or message.name} is still to be written: it begins with "
                f'"{placeholder[1]}"',
                fix,
                at=written.at("about"),
                path=path,
            )
