"""bad-default: a default that is not a value of the type."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import PRIMITIVES
from wirebook.specs.wire.defaults import default_value

_FORMS = {
    "bool": 'write "true" or "false"',
    "float64": 'write a number, such as "0.5"',
    "uuid": "write the uuid as 22 characters of URL-safe base64",
    "bytes": 'omit "default", or write "null" and "nullableVersions"',
    "records": 'omit "default", or write "null" and "nullableVersions"',
}


@rule(on=OneField, category=Category.SPEC, source="message format")
def bad_default(member: OneField) -> Iterator[Hit]:
    """A default is a value of its field's type.

    ## What it does
    Reads the `default` as strict readers do: numbers in decimal or `0x` hex and within the range of the type,
    `true` or `false`, a uuid as 22 characters of URL-safe base64; types of raw bytes accept only null.

    ## Why it breaks
    Strict readers reject the file. If another reader truncates the value to fit, peers disagree on what an
    absent field means.

    ## When it is fine
    Numbers and booleans may be quoted or not.

    ## Do instead
    Write a value that fits, or use a wider type while the field is new.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Flag", "type": "bool", "versions": "0+", "default": "true" }
    +   { "name": "Flag", "type": "bool", "versions": "0+", "default": "yes" }
      ] }
    ```
    """
    field = member.field
    if field.is_array or field.element not in PRIMITIVES:
        return
    if field.default == "null" and (field.nullable_versions or field.type == "string"):
        return
    try:
        default_value(field)
    except ValueError as error:
        yield Hit(
            f"the default of {member.path} {error}",
            _FORMS.get(field.type, f"write a whole number that fits {field.type}"),
            at=field.written.at("default"),
        )
