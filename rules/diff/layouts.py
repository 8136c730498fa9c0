"""Every change between two layouts of a message, breaking or not, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.rules.match import LayoutMatch, longest_run, match_layouts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Json

KINDS = (
    "became-flexible",
    "became-inflexible",
    "header-version",
    "field-added",
    "field-removed",
    "field-renamed",
    "field-moved",
    "type-changed",
    "became-nullable",
    "became-not-nullable",
    "became-tagged",
    "became-untagged",
    "tag-changed",
    "length-changed",
    "length-kept",
    "default-changed",
)
_WITH_LENGTH = ("STRING", "BYTES", "RECORDS", "ARRAY")


@dataclass(frozen=True, slots=True)
class Change:
    """A change: its `kind`, one of KINDS, and the two values: types, tags, defaults, positions or
    names.

    `path` is that of the field ("" for the message), in the newer layout if it exists there; for a
    renamed field it is the old path.
    """

    kind: str
    path: str
    old: Json = None
    new: Json = None


def layout_changes(old: Layout, new: Layout) -> list[Change]:
    """The differences between two layouts, in the order of the newer one; [] if there are none.

    A version that becomes flexible is one change, not one for each length that becomes compact.
    """
    changes: list[Change] = []
    if old.flexible != new.flexible:
        changes.append(Change("became-flexible" if new.flexible else "became-inflexible", ""))
    if old.header_version != new.header_version:
        changes.append(Change("header-version", "", old.header_version, new.header_version))
    matches = match_layouts(old, new)
    changes.extend(
        _fields(old.fields, new.fields, matches, same_lengths=old.flexible == new.flexible)
    )
    return changes


def _fields(
    old: tuple[LayoutField, ...],
    new: tuple[LayoutField, ...],
    matches: tuple[LayoutMatch, ...],
    same_lengths: bool,
) -> Iterator[Change]:
    moved = _moved(matches)
    for match in matches:
        before, after = match.old, match.new
        if before is None and after is not None:
            yield Change("field-added", after.path, None, _kind(after))
        elif before is not None and after is None:
            yield Change("field-removed", before.path, _kind(before), None)
        elif before is not None and after is not None:
            if after.name in moved:
                yield Change("field-moved", after.path, old.index(before) + 1, new.index(after) + 1)
            yield from _pair(before, after, same_lengths)
            yield from _fields(before.fields or (), after.fields or (), match.inner, same_lengths)


def _moved(matches: tuple[LayoutMatch, ...]) -> set[str]:
    """The fewest fields whose move explains the new order; tagged fields have no position in it."""
    placed = [
        (match.old, match.new)
        for match in matches
        if match.old is not None and match.new is not None
        if match.old.tag is None and match.new.tag is None
    ]
    stayed = longest_run([old.field.written.order for old, _ in placed])
    return {new.name for index, (_, new) in enumerate(placed) if index not in stayed}


def _pair(before: LayoutField, after: LayoutField, same_lengths: bool) -> Iterator[Change]:
    path = after.path
    if before.name != after.name:
        yield Change("field-renamed", before.path, before.name, after.name)
    structs = before.fields is not None and after.fields is not None
    same_type = before.spec_type == after.spec_type or (
        structs and (before.element is None) == (after.element is None)
    )
    if not same_type:
        yield Change("type-changed", path, before.spec_type, after.spec_type)
    else:
        yield from _length(path, _not_null(before.type), _not_null(after.type), same_lengths)
    if before.nullable != after.nullable:
        yield Change("became-nullable" if after.nullable else "became-not-nullable", path)
    if before.tag is None and after.tag is not None:
        yield Change("became-tagged", path, None, after.tag)
    elif before.tag is not None and after.tag is None:
        yield Change("became-untagged", path, before.tag, None)
    elif before.tag != after.tag:
        yield Change("tag-changed", path, before.tag, after.tag)
    if same_type and before.default != after.default:
        yield Change("default-changed", path, before.default, after.default)


def _kind(field: LayoutField) -> str:
    return field.spec_type if field.tag is None else f"{field.spec_type}, tag {field.tag}"


def _length(path: str, before: str, after: str, same_lengths: bool) -> Iterator[Change]:
    """The change of a length, unless the message becoming flexible implies it."""
    if same_lengths and before != after:
        yield Change("length-changed", path, before, after)
    elif not same_lengths and before == after and after in _WITH_LENGTH:
        yield Change("length-kept", path, before, after)


def _not_null(wire_type: str) -> str:
    return wire_type.replace("NULLABLE_", "")
