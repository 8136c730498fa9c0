"""An entity type matches the type of its field.

## What it does
Compares `entityType` with `type`, by the `[entity_types]` of the protocol's profile. An array of
the expected type is accepted too.

## Why it breaks
Strict readers reject the file: one of the two is wrong. If it is the type, the wrong bytes are
about to be released.

## When it is fine
Without an entity type, or with `unknown`.

## Do instead
Correct the one that is wrong.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Group", "type": "string", "versions": "0+", "entityType": "groupId" }
+   { "name": "Group", "type": "int32", "versions": "0+", "entityType": "groupId" }
  ] }
```
"""

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import PRIMITIVES


@rule(Category.SPEC, "message format")
def entity_type_mismatch(member: OneField) -> Hits:
    field = member.field
    expected = (member.message.profile.entity_types or {}).get(field.entity_type or "")
    is_defined = field.element in PRIMITIVES or (
        names_struct(field) and member.message.fields_of(field) is not None
    )
    if expected and is_defined and field.element != expected:
        yield Hit(
            f"{member.path} is of type {field.type}, but entity type {field.entity_type} is "
            f"{_an(expected)}",
            f'make it {_an(expected)}, or omit "entityType"',
            at=field.written.at("entityType"),
        )


def _an(kind: str) -> str:
    return f"an {kind}" if kind.startswith("int") else f"a {kind}"
