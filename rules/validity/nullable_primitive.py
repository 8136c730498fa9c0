"""nullable-primitive: a primitive that cannot be null is nullable."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import NULLABLE_PRIMITIVES, PRIMITIVES


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def nullable_primitive(member: OneField) -> Iterator[Hit]:
    """Numbers, truth values and UUIDs are never null.

    ## What it does
    Reports `nullableVersions` on a number, a boolean or a uuid.

    ## Why it breaks
    Their encoding has no representation of null: no writer can send it and no reader can detect it.

    ## When it is fine
    An array of these may be null; its elements may not.

    ## Do instead
    Reserve a value for "none", such as -1 or the zero uuid, and make it the default.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Id", "type": "int32", "versions": "0+" }
    +   { "name": "Id", "type": "int32", "versions": "0+", "nullableVersions": "0+" }
      ] }
    ```
    """
    field = member.field
    if field.nullable_versions and field.type in PRIMITIVES and field.type not in NULLABLE_PRIMITIVES:
        yield Hit(
            f"{member.path} is nullable, but {field.type} has no bytes that mean null",
            'delete "nullableVersions"; reserve a value for none, and make it the default',
            at=field.written.at("nullableVersions"),
        )
