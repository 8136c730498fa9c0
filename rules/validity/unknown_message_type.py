"""The type of a message is one that the format or the profile defines.

## What it does
Reports a `type` of a message that neither the format nor `message_types` of the profile defines.

## Why it breaks
Strict readers reject the file, and the header of the message is unknown.

## When it is fine
Never.

## Do instead
Write one of these types: `request`, `response`, `header`, `data`, or one of the profile. A message
of any other kind is `data`, or of a type that you add to `message_types` of the profile, which the
same commit may do.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "requst", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import nearest
from wirebook.specs.model import MESSAGE_TYPES, Message
from wirebook.specs.profile import HALVES


@rule(Category.SPEC, "message format")
def unknown_message_type(message: Message) -> Hits:
    profile = message.profile
    allowed = (*MESSAGE_TYPES, *profile.message_types)
    if not message.type or message.type in allowed:
        return
    # The other types of the format are those of one family.
    listed = allowed if profile.family else (*HALVES, "header", "data", *profile.message_types)
    near = nearest(message.type, allowed)
    fix = f"write one of {', '.join(listed)}, or add it to message_types of the profile"
    yield Hit(
        f'{message.name} is of type "{message.type}", which the format does not define',
        f'write "{near}"' if near else fix,
        key="type",
    )
