"""A spec has all required keys.

## What it does
Reports a message without `name`, `type`, `validVersions` or `flexibleVersions`, or without `apiKey`
if its type needs one; a field without `name`, `type` or `versions`; a struct without `name` or
`versions`.

## Why it breaks
Strict readers reject the file. Other readers assume a value: without `flexibleVersions`, some treat
no version as flexible, others all of them.

## When it is fine
A tagged field may omit `versions`, unless its type is a struct: it exists in its `taggedVersions`.
`flexibleVersions` may be omitted if `validVersions` is none, or if other specs of base omit it,
because older tools do not know the key. `headerVersions` is optional.

## Do instead
Write the key. A new message is flexible from the first version on: `"flexibleVersions": "0+"`.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "none",
    "fields": [] }
```
"""

from wirebook.rules.parts import walk_fields
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind

KEYED = ("request", "response", "metadata", "coordinator-key", "coordinator-value")


@rule(Category.SPEC, "message format")
def missing_key(message: Message) -> Hits:
    yield from reported(message, {ProblemKind.MISSING_KEY: "write the key"})
    written = message.written.keys
    if message.type in KEYED and "apiKey" not in written:
        yield Hit(
            f'{message.name} has no "apiKey", which identifies a {message.type}',
            "give it the next free API key",
            discriminator="apiKey",
        )
    if message.valid_versions and "flexibleVersions" not in written:
        yield Hit(
            f'{message.name} has no "flexibleVersions", which the format requires',
            'write "flexibleVersions": "0+" for a new message, "none" for one that was never '
            "flexible",
            discriminator="flexibleVersions",
        )
    for member in walk_fields(message):
        field = member.field
        if field.fields and "versions" not in field.written.keys and field.tagged_versions:
            yield member.hit(
                f'{member.path} is a struct and has no "versions": strict readers reject it',
                f'write "versions": "{field.tagged_versions}" beside the tagged versions',
            )
