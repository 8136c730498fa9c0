"""unknown-type: a type that the format does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.validity.words import names_struct, one_of
from wirebook.specs.model import PRIMITIVES


@rule(on=OneField, category=Category.SPEC, source="message format")
def unknown_type(item: OneField) -> Iterator[Hit]:
    """A type is a primitive, a struct, or an array of either.

    ## What it does
    Reports a `type` that is no primitive of the format and cannot be the name of a struct either, which
    begins with a capital letter; arrays of arrays too.

    ## Why it breaks
    No reader knows how many bytes the field has, so nothing after it can be read.

    ## When it is fine
    Never. The format has no `boolean`, no `double` and no arrays of arrays.

    ## Do instead
    Take a type of the format, or a struct that holds the inner array.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Flag", "type": "bool", "versions": "0+" }
    +   { "name": "Flag", "type": "boolean", "versions": "0+" }
      ] }
    ```
    """
    field = item.field
    if field.element in PRIMITIVES or names_struct(field) or item.message.struct(field.element):
        return
    nested = field.element.startswith("[]")
    what = "an array of arrays" if nested else "neither a primitive type nor the name of a struct"
    yield Hit(
        f'{item.path} is of type "{field.type}", which is {what}: no reader knows its bytes',
        "put the inner array into a struct" if nested else one_of(field.element, PRIMITIVES),
        at=field.written.at("type"),
    )
