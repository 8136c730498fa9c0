"""default-on-array-or-struct: a default on an array or a struct."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct


@rule(on=OneField, category=Category.SPEC, source="message format")
def default_on_array_or_struct(member: OneField) -> Iterator[Hit]:
    """An array or a struct has no default but null.

    ## What it does
    Reports any `default` but `"null"` on an array or a struct.

    ## Why it breaks
    An absent array is read as empty, and an absent struct with the defaults of its fields. The format cannot
    express anything else, and strict readers reject the file.

    ## When it is fine
    `"null"`, if the field is nullable. JSON null and an empty string mean that no default is given.

    ## Do instead
    Omit the key. The fields of a struct have their own defaults.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Ids", "type": "[]int32", "versions": "0+" }
    +   { "name": "Ids", "type": "[]int32", "versions": "0+", "default": "[]" }
      ] }
    ```
    """
    field = member.field
    if not field.is_array and not names_struct(field):
        return
    if field.is_struct and member.message.fields_of(field) is None:
        # The type is unknown, which unknown-struct reports.
        return
    if field.default is not None and field.default not in ("", "null"):
        what = "an array" if field.is_array else "a struct"
        yield Hit(
            f"{member.path} has a default, but {what} can only have null",
            'omit "default"',
            at=field.written.at("default"),
        )
