"""A value is one that its key can have.

## What it does
Reports a string where a number or a boolean belongs (`"tag": "0"`), a number where a version range
belongs, an empty name or type, an `apiKey` or a version outside 0 to 32767, a `tag` outside 0 to
2147483647, a `type` of a message that the format does not define, a range that is not `none`, `3`,
`0-4` or `5+`, or that ends before it begins, `validVersions` that are open-ended,
`flexibleVersions` that end, and a number or a name that `values` or `flags` list twice.

## Why it breaks
Without its versions a message has no schema, and without a name or a type a field has no member or
no encoding. API keys and versions travel as INT16, tags as an unsigned varint that readers keep in
31 bits. Some readers accept `"0"` as 0 and `"false"` as false; others stop, or treat every
non-empty string as true. Once a message is flexible, all later versions are: a non-flexible one
would have no place for existing tagged fields.

## When it is fine
A `default` may be a string, a number, true or false. Spaces around a range are allowed. Quotes
around a number or a boolean are a warning.

## Do instead
Write numbers, true and false without quotes, and version ranges with them. Use the next free
number. A message of any other kind is `data`.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
+   { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": "0" }
  ] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import reported
from wirebook.specs.keys import nearest
from wirebook.specs.model import MESSAGE_TYPES, Message
from wirebook.specs.problems import ProblemKind
from wirebook.specs.profile import HALVES

_FIXES = {
    ProblemKind.EMPTY_VALUE: "write a value",
    ProblemKind.WRONG_TYPE: "write a value of the type of its key",
    ProblemKind.NUMBER_OUT_OF_RANGE: "use the next free number",
    ProblemKind.BAD_VERSION_RANGE: 'write "none", "3", "0-4" or "5+"',
    ProblemKind.REPEATED_VALUE: "give each number one name in a version",
}


@rule(Category.SPEC, "message format; KIP-482")
def bad_value(message: Message) -> Hits:
    valid = message.valid_versions
    flexible = message.flexible_versions
    if valid.open:
        yield Hit(
            f"{message.name} has the versions {valid}, without a highest one",
            f'end the range at the highest version, as in "{valid.lowest}-9"',
            key="validVersions",
            discriminator="validVersions",
        )
    if flexible and not flexible.open:
        yield Hit(
            f"{message.name} is flexible only in versions {flexible}, and not in later ones",
            f'write "flexibleVersions": "{flexible.lowest}+"',
            key="flexibleVersions",
            discriminator="flexibleVersions",
        )
    if message.type and message.type not in MESSAGE_TYPES:
        # The other types of the format are those of one family.
        allowed = MESSAGE_TYPES if message.profile.family else (*HALVES, "header", "data")
        near = nearest(message.type, MESSAGE_TYPES)
        yield Hit(
            f'{message.name} is of type "{message.type}", which the format does not define',
            f'write "{near}"' if near else f"write one of {', '.join(allowed)}",
            key="type",
            discriminator="type",
        )
    yield from reported(message, _FIXES)
