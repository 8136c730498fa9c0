"""An entity type is one that the protocol defines for the type of its field.

## What it does
Reports an `entityType` that is not among the `[entity_types]` of the profile of the protocol, or
that the profile defines for another type. An array of the type is accepted, too. A profile without
`[entity_types]` allows any.

## Why it breaks
Strict readers reject the file. If the type is wrong, the wrong bytes are about to be released.

## When it is fine
Without an entity type, or with `unknown`. If base or the newest release uses the name, the tools of
that repository accept it.

## Do instead
Correct the one that is wrong, or omit the key.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Group", "type": "string", "versions": "0+", "entityType": "groupId" }
+   { "name": "Group", "type": "int32", "versions": "0+", "entityType": "groupId" }
  ] }
```
"""

from wirebook.rules.parts import OneField
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import one_of


@rule(Category.SPEC, "message format", keys=("entityType",))
def bad_entity_type(member: OneField) -> Hits:
    field = member.field
    allowed = member.message.profile.entity_types
    if field.entity_type is None or allowed is None:
        return
    if field.entity_type not in allowed:
        yield Hit(
            f'{member.path} has entity type "{field.entity_type}", which the protocol does not '
            "define",
            f"{one_of(field.entity_type, list(allowed))}, or omit the key",
            key="entityType",
            discriminator=field.entity_type,
        )
        return
    expected = allowed[field.entity_type]
    if expected and field.element != expected and member.message.knows_type(field):
        expected = f"{'an' if expected.startswith('int') else 'a'} {expected}"
        yield Hit(
            f"{member.path} is of type {field.type}, but entity type {field.entity_type} is "
            f"{expected}",
            f'make it {expected}, or omit "entityType"',
            key="entityType",
        )
