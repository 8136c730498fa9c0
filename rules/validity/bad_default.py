"""A default is a value that its field can have in every version.

## What it does
Reads the `default` as strict readers do: numbers in decimal or `0x` hex and within the range of the
type, `true` or `false`, a uuid as 22 characters of URL-safe base64; arrays, structs and raw bytes
accept only null. The default `"null"` needs `nullableVersions` that contain all versions of the
field.

## Why it breaks
Strict readers reject the file. If another reader truncates the value to fit, peers disagree on what
an absent field means. A field that is null by default cannot be written in a version that does not
allow null, unless the sender sets it.

## When it is fine
Numbers and booleans may be quoted or not, strings are quoted. JSON null and an empty string mean
that no default is given.

## Do instead
Write a value that fits, or use a wider type while the field is new. Omit the key of an array or a
struct: an absent array is empty, and an absent struct has the defaults of its fields.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Flag", "type": "bool", "versions": "0+", "default": "true" }
+   { "name": "Flag", "type": "bool", "versions": "0+", "default": "yes" }
  ] }
```
"""

from wirebook.rules.parts import OneField
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.words import names_struct
from wirebook.specs.defaults import default_value
from wirebook.specs.model import PRIMITIVES
from wirebook.specs.versions import counted

_FORMS = {
    "bool": 'write "true" or "false"',
    "float64": 'write a number, such as "0.5"',
    "string": "write it in quotes",
    "uuid": "write the uuid as 22 characters of URL-safe base64",
    "bytes": 'omit "default", or write "null" and "nullableVersions"',
    "records": 'omit "default", or write "null" and "nullableVersions"',
}


@rule(Category.SPEC, "message format; KIP-482", keys=("default",))
def bad_default(member: OneField) -> Hits:
    field = member.field
    path = member.path
    is_whole = field.is_array or names_struct(field)
    is_null = field.default == "null"
    missing = field.present - field.nullable_versions
    if is_null and (is_whole or field.type in ("string", "bytes")) and missing:
        yield Hit(
            f"{path} is null by default, but not nullable in {counted(missing)}: if it is not "
            "set, it cannot be written in them",
            "use another default; if no release has the field, you may write "
            f'"nullableVersions": "{field.present}" instead',
            key="default",
            discriminator="null",
        )
    if is_null and (field.nullable_versions or is_whole or field.type == "string"):
        return
    if not is_whole and field.element in PRIMITIVES:
        fix = _FORMS.get(field.type, f"write a whole number that fits {field.type}")
        try:
            default_value(field)
        except ValueError as error:
            yield Hit(f"the default of {path} {error}", fix, key="default")
    # An unknown type is reported by unknown-type.
    is_known = member.message.knows_type(field)
    if is_whole and is_known and field.default not in (None, "", "null"):
        what = "an array" if field.is_array else "a struct"
        yield Hit(
            f"{path} has a default, but {what} can only have null", 'omit "default"', key="default"
        )
