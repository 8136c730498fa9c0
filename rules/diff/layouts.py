"""Every change between two layouts of a message, breaking or not: as data, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.specs.model import Json
from wirebook.specs.wire.layout import Layout, LayoutField

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
    "length-changed": "the length of {path} is now written as in {new}, no longer as in {old}",
    "length-kept": "the length of {path} is still written as in {new}",
    "default-changed": "the default of {path} changes from {old} to {new}",
}
KINDS = tuple(_WORDS)
_WITH_LENGTH = ("STRING", "BYTES", "RECORDS", "ARRAY")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: its `kind`, one of KINDS, and the two values: types, tags, defaults, places or names.

    `path` is the field's ("" for the message), in the newer layout where it is there; that of a renamed
    field is the one it had.
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
    # In one spec a field of another name is another field, whatever stood in its place.
    context = _Context(renames=old.message != new.message, same_lengths=old.flexible == new.flexible)
    changes.extend(_fields(old.fields, new.fields, context))
    return changes


def match_fields(
    old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], *, renames: bool = True
) -> list[tuple[LayoutField | None, LayoutField | None]]:
    """Pair the fields of one struct: by name, then (with `renames`) by tag or place and alike types.

    Pairs stand in the order of `new`; a field that is gone stands where it was.
    """
    by_name = {field.name: field for field in old}
    pairs = {field.name: by_name[field.name] for field in new if field.name in by_name}
    if renames:
        anchors = {field.name for field in new if field.tag is None and field.name in pairs}
        anchors -= {field.name for field in old if field.tag is not None}
        before, named = _places(old, anchors), set(pairs)
        for where, field in _places(new, anchors).items():
            other = before.get(where)
            if other is not None and not {field.name, other.name} & named and _alike(other, field):
                pairs[field.name] = other
    result: list[tuple[LayoutField | None, LayoutField | None]] = [
        (pairs.get(field.name), field) for field in new
    ]
    stayed = {field.name for field in pairs.values()}
    for place, gone in enumerate(old):
        if gone.name not in stayed:
            result.insert(min(place, len(result)), (gone, None))
    return result


Place = tuple[str, int]


def _places(fields: tuple[LayoutField, ...], anchors: set[str]) -> dict[Place, LayoutField]:
    """The fields by their tag, or by how far they stand behind one of `anchors`."""
    found: dict[Place, LayoutField] = {}
    anchor, steps = "", 0
    for field in fields:
        if field.tag is not None:
            found["tag", field.tag] = field
        elif field.name in anchors:
            anchor, steps = f"after {field.name}", 0
        else:
            steps += 1
            found[anchor, steps] = field
    return found


def _alike(one: LayoutField, other: LayoutField) -> bool:
    """Whether one may be the other under a new name.

    Values of one type may; structs where their own name, most of their fields, or their shape is the same.
    """
    if one.fields is None or other.fields is None:
        same = _bytes_alike(one.spec_type) == _bytes_alike(other.spec_type)
        return one.fields is None and other.fields is None and same
    if (one.element is None) != (other.element is None):
        return False
    names = {field.name for field in one.fields} & {field.name for field in other.fields}
    return (
        one.struct == other.struct
        or 2 * len(names) > max(len(one.fields), len(other.fields))
        or (len(one.fields) == len(other.fields) and all(map(_alike, one.fields, other.fields)))
    )


def _bytes_alike(spec_type: str) -> str:
    return "bytes" if spec_type == "records" else spec_type


@dataclass(frozen=True, slots=True)
class _Context:
    """What holds at every depth of one comparison."""

    renames: bool
    same_lengths: bool


def _fields(
    old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], context: _Context
) -> Iterator[Change]:
    pairs = match_fields(old, new, renames=context.renames)
    moved = _moved(old, pairs)
    for before, after in pairs:
        if before is None and after is not None:
            yield Change("field-added", after.path, None, _kind(after))
        elif before is not None and after is None:
            yield Change("field-removed", before.path, _kind(before), None)
        elif before is not None and after is not None:
            if after.name in moved:
                yield Change("field-moved", after.path, old.index(before) + 1, new.index(after) + 1)
            yield from _pair(before, after, context)


def _moved(
    old: tuple[LayoutField, ...], pairs: list[tuple[LayoutField | None, LayoutField | None]]
) -> set[str]:
    """The fewest fields whose move explains the new order: all but a longest run that kept its order."""
    places = {field.name: place for place, field in enumerate(old)}
    stayed = [
        (places[before.name], after.name)
        for before, after in pairs
        if before is not None and after is not None and before.tag is None and after.tag is None
    ]
    best: list[list[tuple[int, str]]] = []
    for place, name in stayed:
        longest = max((run for run in best if run[-1][0] < place), key=len, default=[])
        best.append([*longest, (place, name)])
    kept = max(best, key=len, default=[])
    return {name for _, name in stayed} - {name for _, name in kept}


def _pair(before: LayoutField, after: LayoutField, context: _Context) -> Iterator[Change]:
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
        yield from _length(path, _not_null(before.type), _not_null(after.type), context)
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
        yield from _fields(before.fields, after.fields, context)


def _kind(field: LayoutField) -> str:
    return field.spec_type if field.tag is None else f"{field.spec_type}, tag {field.tag}"


def _length(path: str, before: str, after: str, context: _Context) -> Iterator[Change]:
    """What is said of a length: only that which the message's turning flexible does not say already."""
    if context.same_lengths and before != after:
        yield Change("length-changed", path, before, after)
    elif not context.same_lengths and before == after and after in _WITH_LENGTH:
        yield Change("length-kept", path, before, after)


def _not_null(wire_type: str) -> str:
    return wire_type.replace("NULLABLE_", "")


def _shown(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "no elements"
    if isinstance(value, dict):
        return "the defaults of its fields"
    if value == "":
        return "the empty text"
    return str(value)
