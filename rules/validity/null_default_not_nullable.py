"""null-default-not-nullable: the default is null where null is not allowed."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct
from wirebook.specs.versions import counted


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def null_default_not_nullable(member: OneField) -> Iterator[Hit]:
    """A field that is null by default is nullable in all of its versions.

    ## What it does
    Compares `"default": "null"` with `nullableVersions`, which must contain all of the field's `versions`.

    ## Why it breaks
    A field that is not set is null, and cannot be written in versions that do not allow null: every sender of
    those must remember to set it. Strict readers reject the file.

    ## When it is fine
    A type whose default is always null is exempt. JSON null, without quotes, means that there is no default.

    ## Do instead
    Widen `nullableVersions` before the first release, or use another default.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Ids", "type": "[]int32", "versions": "0+" }
    +   { "name": "Ids", "type": "[]int32", "versions": "0+", "default": "null" }
      ] }
    ```
    """
    field = member.field
    if field.default != "null" or not (
        field.is_array or names_struct(field) or field.type in ("string", "bytes")
    ):
        return
    missing = field.present - field.nullable_versions
    if missing:
        yield Hit(
            f"{member.path} is null by default, but not nullable in {counted(missing)}: if it is "
            "not set, it cannot be written in them",
            "use another default; if no release has the field, you may write "
            f'"nullableVersions": "{field.present}" instead',
            at=field.written.at("default"),
        )
