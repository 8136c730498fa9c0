"""type-changed: the type of a field, or of an array's elements, changes."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair, VersionNumbers
from wirebook.rules.pairs.match import bytes_of
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Field, Message


def bytes_alike(old: Field, new: Field) -> bool:
    """Whether two types have the same bytes, even if generated code differs (type-reinterpreted)."""
    if old.is_array != new.is_array or old.is_struct or new.is_struct:
        return False
    return bytes_of(old.element) == bytes_of(new.element)


def types_alike(old: str, new: str) -> bool:
    """Whether two types, including arrays, have the same bytes, judged by their names."""
    return old.startswith("[]") == new.startswith("[]") and (
        bytes_of(old.removeprefix("[]")) == bytes_of(new.removeprefix("[]"))
    )


def retyped(pair: FieldPair) -> VersionNumbers:
    """The versions in which the types of the two sides have different bytes. Struct names do not count."""
    old, new = pair.old, pair.new
    if old.is_array != new.is_array:
        return pair.both
    before, after = pair.messages.old, pair.messages.new
    if old.is_struct and new.is_struct:
        return pair.both if renames_unknown(pair) else frozenset()
    if bytes_alike(old, new):
        return frozenset()
    if not old.is_array:
        return pair.both
    return frozenset(
        version
        for version in pair.both
        if version in after.flexible_versions
        or lone_type(before, old, version) != lone_type(after, new, version)
    )


def renames_unknown(pair: FieldPair) -> bool:
    """Whether two types that are not primitives have different names, and one is no struct that is defined.

    The programs that know such a type take its bytes from its name.
    """
    old, new = pair.old, pair.new
    return old.element != new.element and not (
        pair.messages.old.knows_type(old) and pair.messages.new.knows_type(new)
    )


def lone_type(message: Message, item: Field, version: int) -> tuple[str, bool]:
    """The type that represents the bytes of a field's elements, and whether they may be null.

    For a struct with one field in a version, these are those of that field.
    """
    inner = list(_in_line(message, item, version, frozenset()))
    if len(inner) != 1:
        return bytes_of(item.element), False
    array = "[]" if inner[0].is_array else ""
    return array + bytes_of(inner[0].element), version in inner[0].nullable_versions


def _in_line(message: Message, item: Field, version: int, within: frozenset[str]) -> Iterator[Field]:
    """The fields of a struct in a non-flexible version, where a nested struct is replaced by its fields."""
    for field in message.fields_of(item) or () if item.element not in within else ():
        if version not in field.present:
            continue
        if field.is_struct and not field.is_array and version not in field.nullable_versions:
            yield from _in_line(message, field, version, within | {item.element})
        else:
            yield field


def certain(pair: FieldPair) -> bool:
    """Whether no layout is needed to see that a retyped field has other bytes.

    A field of the top level that keeps its name has neither lost its place to another one nor a struct around
    it. Structs without bytes of their own may be put around a field under its name.
    """
    old, new = pair.old, pair.new
    return not pair.struct.path and old.name == new.name and not (old.is_struct or new.is_struct)


@rule(on=FieldPair, category=Category.WIRE, source="KIP-35; KIP-482")
def type_changed(pair: FieldPair) -> Iterator[Hit]:
    """A field keeps its type in every released version.

    ## What it does
    Compares the types, array or not, and whether elements are structs. The names of structs do not count,
    but those of types that the format does not define do.

    ## Why it breaks
    Types differ in length or encoding. A peer that uses the other spec reads too few or too many bytes, and
    reads everything after the field from the wrong place.

    ## When it is fine
    In an unreleased version. `type-reinterpreted` reports types with the same bytes (`bytes` and
    `records`, signed and unsigned integers of one size). In non-flexible versions, an array of numbers has
    the same bytes as an array of structs with one such number.

    ## Do instead
    End the range of the old field and add a new one, from a new version on.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Count", "type": "int32", "versions": "0+" }
    +   { "name": "Count", "type": "int64", "versions": "0+" }
      ] }
    ```
    """
    old, new, changed = pair.old, pair.new, retyped(pair)
    # A version keeps its bytes if a struct is put around a field, or taken away, under the field's name.
    if changed and not certain(pair):
        changed -= pair.messages.alike(changed, old=old, new=new)
    if not changed:
        return
    back = restored(old.written, "type", old.type)
    yield Hit(
        f"{pair.path} is {new.type} instead of {old.type}: peers that use the other spec misread it and "
        "everything after it",
        f"{back}; to use {new.type}, end the range of the field, and add a new one in a new version",
        changed,
        new.written.at("type"),
        old.written.at("type"),
    )
