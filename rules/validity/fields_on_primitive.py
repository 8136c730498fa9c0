"""fields-on-primitive: fields under a primitive type."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import PRIMITIVES


@rule(on=OneField, category=Category.SPEC, source="message format")
def fields_on_primitive(member: OneField) -> Iterator[Hit]:
    """Only a struct has fields.

    ## What it does
    Reports `fields` under a field of a primitive type, or of an array of one.

    ## Why it breaks
    The fields are not on the wire. Either they or the type is a mistake, and readers of the spec disagree
    on which.

    ## When it is fine
    Never.

    ## Do instead
    Use a struct as the type, or delete the fields.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Ids", "type": "[]Entry", "versions": "0+", "fields": [
    +   { "name": "Ids", "type": "[]int32", "versions": "0+", "fields": [
          { "name": "Key", "type": "int32", "versions": "0+" }
        ] }
      ] }
    ```
    """
    field = member.field
    if field.fields and field.element in PRIMITIVES:
        yield Hit(
            f"{member.path} is of type {field.type} and has fields, which only a struct can have",
            f'delete them, or use a struct: "type": "{"[]" * field.is_array}{field.name}"',
            at=field.written.at("fields"),
        )
