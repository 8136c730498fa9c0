"""A version range is "none", "3", "0-4" or "5+".

## What it does
Reports a range in any other form, one that ends before it begins or exceeds 32767, and a message
whose `validVersions` are open-ended.

## Why it breaks
Everything else depends on version ranges: without them, the message has no schema.

## When it is fine
Spaces around a range are allowed. A field, a struct and the flexible versions may be open-ended.

## Do instead
Write one version, two versions with a hyphen between them, or one with a plus sign for "and later".

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "all",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(Category.SPEC, "message format")
def bad_version_range(message: Message) -> Hits:
    if message.valid_versions.open:
        yield Hit(
            f"{message.name} has the versions {message.valid_versions}, without a highest one",
            f'end the range at the highest version, as in "{message.valid_versions.lowest}-9"',
            at=message.written.at("validVersions"),
            discriminator="validVersions",
        )
    yield from reported(message, ProblemKind.BAD_VERSION_RANGE, 'write "none", "3", "0-4" or "5+"')
