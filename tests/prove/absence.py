"""Fields that neither of two sides carries in a version: what their readers take them for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tests.prove.codec import Value
from tests.prove.shapes import (
    KINDS,
    WIDTHS,
    Names,
    Place,
    Shape,
    Slot,
    Spec,
    absent_value,
    element,
    fields_inside,
    is_array,
    layout,
    lives,
    present,
    range_of,
    shape,
)


class Absent(NamedTuple):
    """A field that two sides read as different values, where it is; `unsure` where those may be
    equal."""

    names: Place
    unsure: str = ""


class _Sequence:
    """A message or a struct that the wire sets off: its items, the fields that the version lacks by
    name, and the sequences inside it by place.
    """

    def __init__(self, message: Spec, version: int, fields: Sequence[Spec], items: Shape) -> None:
        self.message = message
        self.version = version
        self.items = items
        self.absent: dict[Names, list[Spec]] = {}
        self.inside: dict[Place, _Sequence] = {}
        self.at = 0
        self._walk(fields, ())

    def _walk(self, fields: Sequence[Spec], above: Names) -> None:
        carried = {field["name"] for field in fields if self.version in present(field)}
        tagged = []
        for field in fields:
            name = (*above, field["name"])
            inside = fields_inside(self.message, field)
            if self.version not in present(field):
                if field["name"] not in carried and lives(self.message, field, self.version):
                    self._lack(field, name)
            elif self.version in range_of(field, "taggedVersions"):
                tagged.append(field)
            elif (
                inside is None
                or is_array(field)
                or self.version in range_of(field, "nullableVersions")
            ):
                self._hold((self.at,), self.items[self.at], inside)
                self.at += 1
            else:
                self._walk(inside, name)
        if self.version in range_of(self.message, "flexibleVersions"):
            for field in tagged:
                slot = self.items[self.at].tagged[int(field["tag"])]
                self._hold(
                    (self.at, f"tag {field['tag']}"), slot, fields_inside(self.message, field)
                )
            self.at += 1

    def _hold(self, place: Place, slot: Slot, inside: list[Spec] | None) -> None:
        if inside is not None:
            assert slot.inside is not None
            self.inside[place] = _Sequence(self.message, self.version, inside, slot.inside)

    def _lack(self, field: Spec, name: Names) -> None:
        """A struct that is not there is one of fields that are not there either."""
        self.absent.setdefault(name, []).append(field)
        if _value(field) == () and not is_array(field):
            for inner in fields_inside(self.message, field) or ():
                if lives(self.message, inner, self.version):
                    self._lack(inner, (*name, inner["name"]))


def absent_fields(
    one: Spec, other: Spec, version: int, shaped: Callable[[Spec, int], Shape] = shape
) -> Iterator[Absent]:
    """The fields that a version of both sides lacks, and that they read as different values.

    `shaped` is where their shapes are from.
    """
    sides = [
        _Sequence(message, version, message["fields"], shaped(message, version))
        for message in (one, other)
    ]
    yield from _absent(sides[0], sides[1], ())


def _absent(one: _Sequence, other: _Sequence, above: Place) -> Iterator[Absent]:
    for name, fields in one.absent.items():
        if name in other.absent:
            yield from _read(fields, other.absent[name], (*above, *name))
    for index, (was, now) in enumerate(zip(one.items, other.items, strict=False)):
        if layout(was) != layout(now):
            return
        pairs: dict[Place, tuple[Slot, Slot, bool]] = {(index,): (was, now, False)}
        for tag in was.tagged.keys() & now.tagged.keys():
            pairs[index, f"tag {tag}"] = was.tagged[tag], now.tagged[tag], True
        for place, (first, second, tagged) in pairs.items():
            below = one.inside.get(place), other.inside.get(place)
            if (
                below[0]
                and below[1]
                and layout(first, tagged=tagged) == layout(second, tagged=tagged)
            ):
                yield from _absent(below[0], below[1], (*above, *place))


def _read(first: list[Spec], second: list[Spec], here: Place) -> Iterator[Absent]:
    """The fields of one name that neither side carries: what they are read as."""
    kinds = [{_kind(field) for field in fields} for fields in (first, second)]
    values = [[_value(field) for field in fields] for fields in (first, second)]
    twice = any(len(set(map(repr, side))) > 1 for side in (*kinds, *values))
    # Values of two kinds are not compared.
    if twice or (kinds[0] == kinds[1] and values[0][0] != values[1][0]):
        yield Absent(here, "two fields of one name that a version lacks" if twice else "")


def _value(field: Spec) -> Value:
    """What a reader takes a field for that a version lacks; a struct is an object, whose fields
    count."""
    if field.get("default") == "null":
        return None
    return () if is_array(field) or element(field) not in KINDS else absent_value(field, None)


def _kind(field: Spec) -> tuple[str, bool]:
    """What the values of a field are, and whether it is an array: of two types, only numbers can be
    equal."""
    kind = KINDS.get(element(field), "struct")
    return "number" if kind in WIDTHS or kind == "float" else kind, is_array(field)
