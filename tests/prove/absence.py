"""Fields that neither of two sides carries in a version: what their readers take them for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.prove.codec import Value
from tests.prove.shapes import (
    KINDS,
    Shape,
    Slot,
    Spec,
    absent_value,
    element,
    fields_inside,
    is_array,
    present,
    range_of,
    shape,
)

Names = tuple[str, ...]


class Absent(NamedTuple):
    """A field that two sides read as different values, by its names; `unsure` where those may be equal."""

    names: Names
    unsure: str = ""


class _Side(NamedTuple):
    """The fields of a struct, and whether a version carries it."""

    message: Spec
    version: int
    fields: Sequence[Spec]
    carried: bool

    def carries(self, field: Spec) -> bool:
        return self.carried and self.version in present(field)

    def inside(self, field: Spec) -> _Side | None:
        """The struct of a field."""
        fields = fields_inside(self.message, field)
        return None if fields is None else self._replace(fields=fields, carried=self.carries(field))


def absent_fields(one: Spec, other: Spec, version: int) -> Iterator[Absent]:
    """The fields that a version of both sides lacks, and that they read as different values."""
    sides = [_Side(message, version, message["fields"], True) for message in (one, other)]
    yield from _absent(sides[0], sides[1], ())


def _absent(one: _Side, other: _Side, above: Names) -> Iterator[Absent]:
    names = [{field["name"] for field in side.fields} for side in (one, other)]
    for name in sorted(names[0] & names[1]):
        here = (*above, name)
        first, second = ([field for field in side.fields if field["name"] == name] for side in (one, other))
        carried = [[f for f in fields if side.carries(f)] for side, fields in ((one, first), (other, second))]
        if carried[0] and carried[1]:
            yield from _below(one.inside(carried[0][0]), other.inside(carried[1][0]), here)
        elif not carried[0] and not carried[1]:
            yield from _read(one, other, first, second, here)
    for was, now in _renamed(one, other, names[0] & names[1]):
        yield from _below(one.inside(was), other.inside(now), (*above, was["name"]))


def _below(one: _Side | None, other: _Side | None, above: Names) -> Iterator[Absent]:
    if one is not None and other is not None:
        yield from _absent(one, other, above)


def _read(
    one: _Side, other: _Side, first: list[Spec], second: list[Spec], here: Names
) -> Iterator[Absent]:
    """The fields of one name that neither side carries: what they are read as."""
    values = [[_value(field) for field in fields] for fields in (first, second)]
    same = [value in values[1] for value in values[0]] + [value in values[0] for value in values[1]]
    if not all(same):
        kinds = {(_kind(field)) for field in (*first, *second)}
        twice = len(first) > 1 or len(second) > 1
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (*values[0], *values[1]))
        if twice and any(same):
            yield Absent(here, "two fields of one name that a version lacks")
        elif len(kinds) > 1 and not numbers:
            yield Absent(here, "values of two types that a version lacks")
        else:
            yield Absent(here)
    elif all(value == () for value in values[0]) and not is_array(first[0]):
        yield from _below(one.inside(first[0]), other.inside(second[0]), here)


def _value(field: Spec) -> Value:
    """What a reader takes a field for that a version lacks; a struct is an object, whose fields count."""
    if field.get("default") == "null":
        return None
    return () if is_array(field) or element(field) not in KINDS else absent_value(field, None)


def _kind(field: Spec) -> tuple[str, bool]:
    return KINDS.get(element(field), "struct"), is_array(field)


def _renamed(one: _Side, other: _Side, known: set[str]) -> Iterator[tuple[Spec, Spec]]:
    """The structs with names of their own that have the same place and the same items in the version."""
    places: list[dict[object, Spec]] = []
    for side in (one, other):
        places.append({})
        index = 0
        for field in side.fields:
            if side.carries(field):
                tagged = side.version in range_of(field, "taggedVersions")
                index += not tagged
                places[-1][f"tag {field['tag']}" if tagged else index] = field
    for place, was in places[0].items():
        now = places[1].get(place)
        if now is None or was["name"] in known or now["name"] in known or _kind(was) != _kind(now):
            continue
        inside = [side.inside(field) for side, field in ((one, was), (other, now))]
        if inside[0] is not None and inside[1] is not None and _items(inside[0]) == _items(inside[1]):
            yield was, now


def _items(side: _Side) -> Shape:
    """What a struct has on the wire; which other fields and tags it knows is not there."""
    whole = {**side.message, "fields": side.fields}
    return _plain(shape(whole, side.version))


def _plain(items: Shape) -> Shape:
    return tuple(_plain_slot(slot) for slot in items)


def _plain_slot(slot: Slot) -> Slot:
    return slot._replace(
        inside=None if slot.inside is None else _plain(slot.inside),
        tagged={tag: _plain_slot(item) for tag, item in slot.tagged.items()},
        refused=frozenset(),
        names=frozenset(),
        nothing=None,
    )
