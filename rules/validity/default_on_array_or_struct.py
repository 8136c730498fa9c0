"""default-on-array-or-struct: a default on an array or a struct."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct


@rule(on=OneField, category=Category.SPEC, source="message format")
def default_on_array_or_struct(item: OneField) -> Iterator[Hit]:
    """An array or a struct has no default but null.

    ## What it does
    Reports any `default` but `"null"` on an array or a struct.

    ## Why it breaks
    An absent array reads as empty, an absent struct as one of defaults: the format cannot say anything else,
    and the generator refuses the file.

    ## When it is fine
    `"null"`, where the field is nullable, and JSON null or an empty text, which say nothing.

    ## Do instead
    Leave the key out. The fields of a struct have defaults of their own.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Ids", "type": "[]int32", "versions": "0+" }
    +   { "name": "Ids", "type": "[]int32", "versions": "0+", "default": "[]" }
      ] }
    ```
    """
    field = item.field
    if not field.is_array and not names_struct(field):
        return
    if field.is_struct and item.message.fields_of(field) is None:
        # What the type is, is not known: unknown-struct reports it.
        return
    if field.default is not None and field.default not in ("", "null"):
        what = "an array" if field.is_array else "a struct"
        yield Hit(
            f"{item.path} has a default, but {what} has none but null",
            'leave "default" out',
            at=field.written.at("default"),
        )
