"""Every change between two layouts of a message, breaking or not: as data, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specs.layout import Layout, LayoutField
from specs.model import Json

_WORDS = {
    "became-flexible": "becomes flexible: compact lengths, and a tagged section after every struct",
    "became-inflexible": "is no longer flexible",
    "header-version": "goes with header version {new} instead of {old}",
    "field-added": "{path} ({new}) is added",
    "field-removed": "{path} ({old}) is gone",
    "field-renamed": "{path} is now called {new}",
    "field-moved": "{path} moves from place {old} to place {new}",
    "type-changed": "{path} changes its type from {old} to {new}",
    "became-nullable": "{path} may be null",
    "became-not-nullable": "{path} may no longer be null",
    "became-tagged": "{path} becomes a tagged field, tag {new}",
    "became-untagged": "{path} is no longer tagged (it was tag {old})",
    "tag-changed": "the tag of {path} changes from {old} to {new}",
    "default-changed": "the default of {path} changes from {old} to {new}",
}
KINDS = tuple(_WORDS)


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `path` is the field's ("" for the message), in the newer layout where it is there.

    `kind` is one of KINDS; `old` and `new` are the two values: types, tags, defaults, places or names.
    """

    kind: str
    path: str
    old: Json = None
    new: Json = None

    def words(self) -> str:
        """The change as the rest of a sentence about a version; plain text, not escaped."""
        return _WORDS[self.kind].format(path=self.path, old=_shown(self.old), new=_shown(self.new))


def layout_changes(old: Layout, new: Layout) -> list[Change]:
    """What differs between two layouts, in the order of the newer one; [] where nothing does.

    That a version turns flexible is one change, not one for each length that becomes compact.
    """
    changes: list[Change] = []
    if old.flexible != new.flexible:
        changes.append(Change("became-flexible" if new.flexible else "became-inflexible", ""))
    if old.header_version != new.header_version:
        changes.append(Change("header-version", "", old.header_version, new.header_version))
    changes.extend(_fields(old.fields, new.fields))
    return changes


def match_fields(
    old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]
) -> list[tuple[LayoutField | None, LayoutField | None]]:
    """Pair the fields of one struct: by name, then by tag, then renamed ones by their place and type.

    Pairs stand in the order of `new`; a field that is gone stands where it was.
    """
    left = {field.name: field for field in old}
    pairs: dict[str, LayoutField] = {field.name: left.pop(field.name) for field in new if field.name in left}
    for field in new:
        if field.name not in pairs:
            other = _renamed(field, new, left, old)
            if other is not None:
                pairs[field.name] = left.pop(other.name)
    result: list[tuple[LayoutField | None, LayoutField | None]] = [
        (pairs.get(field.name), field) for field in new
    ]
    for field in left.values():
        result.insert(min(old.index(field), len(result)), (field, None))
    return result


def _renamed(
    field: LayoutField,
    new: tuple[LayoutField, ...],
    left: dict[str, LayoutField],
    old: tuple[LayoutField, ...],
) -> LayoutField | None:
    for other in left.values():
        same_type = (other.spec_type == field.spec_type) or (
            other.fields is not None and field.fields is not None and (other.element == field.element)
        )
        same_place = old.index(other) == new.index(field) if field.tag is None else other.tag == field.tag
        if same_type and same_place and (field.tag is None) == (other.tag is None):
            return other
    return None


def _fields(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]) -> Iterator[Change]:
    pairs = match_fields(old, new)
    stayed_old = [before for before in old if before.tag is None and _partner(pairs, before) is not None]
    stayed_new = [
        after for before, after in pairs if before and after and before.tag is None and after.tag is None
    ]
    stayed_old = [before for before in stayed_old if _partner(pairs, before) in stayed_new]
    moved = _moved(stayed_old, stayed_new, pairs)
    for before, after in pairs:
        if before is None and after is not None:
            tag = "" if after.tag is None else f", tag {after.tag}"
            yield Change("field-added", after.path, None, after.spec_type + tag)
        elif before is not None and after is None:
            yield Change("field-removed", before.path, before.spec_type, None)
        elif before is not None and after is not None:
            if after in moved:
                yield Change("field-moved", after.path, old.index(before) + 1, new.index(after) + 1)
            yield from _pair(before, after)


def _partner(
    pairs: list[tuple[LayoutField | None, LayoutField | None]], before: LayoutField
) -> LayoutField | None:
    return next((after for other, after in pairs if other is before), None)


def _moved(
    stayed_old: list[LayoutField],
    stayed_new: list[LayoutField],
    pairs: list[tuple[LayoutField | None, LayoutField | None]],
) -> list[LayoutField]:
    """The fewest fields whose move explains the new order: all but a longest run that kept its order."""
    places = {id(field): place for place, field in enumerate(stayed_old)}
    order = [
        (places[id(before)], after) for before, after in pairs if after in stayed_new and before is not None
    ]
    best: list[list[tuple[int, LayoutField]]] = []
    for place, field in order:
        longest = max((run for run in best if run[-1][0] < place), key=len, default=[])
        best.append([*longest, (place, field)])
    kept = max(best, key=len, default=[])
    return [field for _, field in order if all(field is not other for _, other in kept)]


def _pair(before: LayoutField, after: LayoutField) -> Iterator[Change]:
    path = after.path
    if before.name != after.name:
        yield Change("field-renamed", before.path, before.name, after.name)
    structs = before.fields is not None and after.fields is not None
    same_type = before.spec_type == after.spec_type or (
        structs and (before.element is None) == (after.element is None)
    )
    if not same_type:
        yield Change("type-changed", path, before.spec_type, after.spec_type)
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
    if before.fields is not None and after.fields is not None:
        yield from _fields(before.fields, after.fields)


def _shown(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value == "":
        return "the empty text"
    return str(value)
