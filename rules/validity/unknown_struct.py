"""unknown-struct: the struct of a field is not defined."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField, fields_by_type
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct, one_of, primitive_meant
from wirebook.specs.versions import VersionSet, counted

_FEW = 100  # how many structs are compared with an unknown name


@rule(on=OneField, category=Category.SPEC, source="message format")
def unknown_struct(member: OneField) -> Iterator[Hit]:
    """The struct of a field is defined.

    ## What it does
    Reports a type that is neither in `commonStructs` nor defined in place by `fields` of the field. A struct
    that another field defines in place is not available here, nor is one of `commonStructs` in versions that
    it does not cover.

    ## Why it breaks
    No reader knows the bytes of the field, so nothing after it can be read.

    ## When it is fine
    Never.

    ## Do instead
    Give the field its `fields`, or define the struct in `commonStructs`.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Items", "type": "[]int32", "versions": "0+" }
    +   { "name": "Items", "type": "[]Item", "versions": "0+" }
      ] }
    ```
    """
    field, message = member.field, member.message
    if not names_struct(field):
        return
    if message.struct(field.element) is not None:
        lacking = _lacking(member)
        users = fields_by_type(message)[field.element]
        if lacking and next(other.path for other in users if _lacking(other)) == member.path:
            yield Hit(
                f"{member.path} is of type {field.type} in {counted(lacking)} too, where "
                f"{field.element} does not exist: no reader knows its bytes",
                f"widen the versions of {field.element}, or narrow those of {member.path}",
                at=field.written.at("versions"),
                change=f"type: {field.type}, versions: {lacking}",
            )
        return
    if field.fields is not None or field.element in member.within:
        return
    lacking_fields = (
        other.path
        for other in fields_by_type(message)[field.element]
        if other.field.fields is None and field.element not in other.within
    )
    if next(lacking_fields) != member.path:
        return
    common = [struct.name for struct in message.common_structs]
    elsewhere = [
        other.path for other in fields_by_type(message)[field.element] if other.field.fields is not None
    ]
    primitive = primitive_meant(field)
    if elsewhere:
        why = f"which only {elsewhere[0]} defines"
        fix = f"move {field.element} to commonStructs"
    elif primitive:
        why = "which is not defined anywhere"
        fix = f'write "{primitive}", or define the struct'
    else:
        why = "which is not defined anywhere"
        fix = "define the struct"
        if common:
            near = one_of(field.element, common) if len(common) <= _FEW else "name one of commonStructs"
            fix += f", or {near}"
    yield Hit(
        f"{member.path} is of type {field.type}, {why}: no reader knows its bytes",
        fix,
        at=field.written.at("type"),
        change=f"type: {field.type}",
    )


def _lacking(member: OneField) -> VersionSet:
    """The versions of a field in which its common struct does not exist."""
    struct = member.message.struct(member.field.element)
    if struct is None or not struct.versions & member.message.valid_versions:
        # A struct that exists in no version is reported by field-in-no-version.
        return VersionSet.NONE
    return (member.versions & member.field.present) - struct.versions
