"""Names are in CamelCase.

## What it does
Reports a message or struct whose name is not a capital letter followed by letters and digits, and a
field whose name is not a letter followed by letters and digits.

## Why it breaks
Nothing breaks on the wire, which has no names. But pages, tools and generated code split names
at capital letters, and write them as each language does. Strict readers reject a name such as
`order_id`.

## When it is fine
A field name may begin with a lowercase letter.

## Do instead
Write `OrderId`.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "foo-request", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

import re

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import bad_names
from wirebook.specs.model import Message


@rule(Category.SPEC, "message format")
def bad_name(message: Message) -> Hits:
    for what, name, written, path in bad_names(message):
        words = re.findall(r"[A-Za-z0-9]+", name.rpartition(".")[2], re.ASCII)
        camel = "".join(word[0].upper() + word[1:] for word in words)
        fix = "use only letters and digits, beginning with a capital letter"
        yield Hit(
            f'the {what} name "{name}" is not in CamelCase, which the format requires: letters and '
            f"digits, the first {'a letter' if what == 'field' else 'a capital'}",
            f'write "{camel}"' if camel[:1].isalpha() else fix,
            at=written.at("name"),
            path=path,
        )
