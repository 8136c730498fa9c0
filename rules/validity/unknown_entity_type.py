"""An entity type is one that the protocol defines.

## What it does
Reports an `entityType` that is not among those of the profile of the protocol. A profile without
`[entity_types]` allows any.

## Why it breaks
Strict readers reject the file. The bytes are the same.

## When it is fine
If the old side or the newest release uses it: the tools of that repository accept it.

## Do instead
Write one of the defined types, or omit the key.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Owner", "type": "string", "versions": "0+", "entityType": "groupId" }
+   { "name": "Owner", "type": "string", "versions": "0+", "entityType": "group" }
  ] }
```
"""

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import one_of


@rule(Category.SPEC, "message format")
def unknown_entity_type(member: OneField) -> Hits:
    kind, allowed = member.field.entity_type, member.message.profile.entity_types
    if kind is not None and allowed is not None and kind not in allowed:
        yield Hit(
            f'{member.path} has entity type "{kind}", which the protocol does not define',
            f"{one_of(kind, list(allowed))}, or omit the key",
            at=member.field.written.at("entityType"),
            discriminator=kind,
        )
