"""Fields that a version lacks: what readers of both sides take them for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from tests.prove.codec import Value
from tests.prove.shapes import (
    KINDS,
    Spec,
    absent_value,
    element,
    fields_inside,
    is_array,
    present,
    range_of,
    stable,
    valid,
)

Places = tuple[tuple[str, ...], tuple[str, ...]]


class AbsentFault(NamedTuple):
    """A field that some versions lack: two peers take it for different values there.

    `key` has the names that the first one has for it and around it, and the value of the second, `now` the
    names of the second.
    """

    key: tuple[tuple[str, ...], Value]
    now: tuple[str, ...]
    what: str
    versions: frozenset[int]
    lacking: frozenset[int]


def absent_faults(release: Spec, other: Spec) -> Iterator[AbsentFault]:
    """The fields whose default differs, of those that a version of both sides lacks."""
    common = frozenset(stable(release).meets(valid(other)).numbers)
    if common:
        sides = (_Side(release, release["fields"], common), _Side(other, other["fields"], common))
        yield from _absent(*sides, common, common, ((), ()))


class _Side(NamedTuple):
    """The fields of a struct on one side, and the versions that have the struct on the wire."""

    message: Spec
    fields: list[Spec]
    there: frozenset[int]


def _absent(
    before: _Side, after: _Side, alive: frozenset[int], common: frozenset[int], places: Places
) -> Iterator[AbsentFault]:
    """`alive` are the versions in which a reader has an object for the struct, sent or not."""
    for was, now in _same(before, after, common):
        first = frozenset(version for version in before.there if version in present(was))
        second = frozenset(version for version in after.there if version in present(now))
        lacking = alive - first - second
        here, there = (*places[0], was["name"]), (*places[1], now["name"])
        if _kind(was) != _kind(now):
            continue
        inside = [fields_inside(before.message, was), fields_inside(after.message, now)]
        nulls = [item.get("default") == "null" for item in (was, now)]
        values = [value_where_absent(item) for item in (was, now)]
        # What no version has nobody ever set.
        if lacking and first & second and values[0] != values[1]:
            what = f"{'.'.join(here)} is another where absent"
            yield AbsentFault((here, values[1]), there, what, lacking | (first & second), lacking)
        if inside[0] is not None and inside[1] is not None:
            objects = alive & first & second if is_array(was) or any(nulls) else alive
            sides = (_Side(before.message, inside[0], first), _Side(after.message, inside[1], second))
            yield from _absent(*sides, objects, common, (here, there))


def _same(before: _Side, after: _Side, common: frozenset[int]) -> Iterator[tuple[Spec, Spec]]:
    """The fields of a struct that are one on both sides: by name, then by tag, or by place in a version."""
    left = list(before.fields)
    partner: list[tuple[Spec, Spec]] = []

    def pair(was: Spec, now: Spec) -> None:
        left[:] = [other for other in left if other is not was]
        partner.append((was, now))

    def free(now: Spec) -> bool:
        return all(other is not now for _, other in partner)

    def apart(sides: tuple[Spec, Spec]) -> bool:
        both = present(sides[0]).meets(present(sides[1]))
        return not any(version in both for version in common)

    named = [(was, now) for now in after.fields for was in before.fields if was["name"] == now["name"]]
    # Of a name that stands twice, each is what it shares a version with.
    for was, now in sorted(named, key=apart):
        if _kind(was) == _kind(now) and free(now) and any(was is other for other in left):
            pair(was, now)

    def goes_on(was: Spec) -> bool:
        there = [present(now).meets(present(was)) for now in after.fields if now["name"] == was["name"]]
        return any(version in both for both in there for version in common)

    # Of the fields that have its place in some versions, one with the default of a field comes first; then
    # any of that default, where a field with a name of its own has the place.
    for step, version in product(("default", "displaced", "place"), sorted(common)):
        lines = [
            [f for f in fields if version in present(f) and version not in range_of(f, "taggedVersions")]
            for fields in (before.fields, after.fields)
        ]
        if len(lines[0]) == len(lines[1]):
            for was, now in zip(*lines, strict=True):
                value = value_where_absent(was)
                if step == "displaced" and not free(now):
                    others = [f for f in lines[1] if free(f) and value_where_absent(f) == value]
                    now = others[0] if others else now
                open_to = any(was is other for other in left) and free(now) and not goes_on(was)
                open_to = open_to and (step == "place" or value == value_where_absent(now))
                if open_to and _may_be_one((before.message, was), (after.message, now), version):
                    pair(was, now)
    for now in after.fields:
        tags = [was for was in left if "tag" in now and was.get("tag") == now["tag"]]
        if tags and free(now):
            pair(tags[0], now)
    yield from partner


def value_where_absent(item: Spec) -> Value:
    """What a reader takes a field for that a version lacks; a struct is an object, whose fields count."""
    if item.get("default") == "null":
        return None
    return () if is_array(item) or element(item) not in KINDS else absent_value(item, None)


def _kind(item: Spec) -> tuple[str, bool]:
    """What a field holds, and whether as an array."""
    return KINDS.get(element(item), "struct"), is_array(item)


def _may_be_one(was: tuple[Spec, Spec], now: tuple[Spec, Spec], version: int) -> bool:
    """Whether a field may be another in its place under a new name: a struct there may be one around it."""
    inside = [fields_inside(*side) for side in (was, now)]
    if None in inside:
        return _kind(was[1])[0] == _kind(now[1])[0]
    names = [{field["name"] for field in fields or ()} for fields in inside]
    return (
        element(was[1]) == element(now[1])
        or bool(names[0] & names[1])
        or _outline(*was, version) == _outline(*now, version)
    )


def _outline(message: Spec, item: Spec, version: int) -> object:
    """What a field holds in a version, without names."""
    inside = fields_inside(message, item)
    if inside is None:
        return _kind(item)
    there = [field for field in inside if version in present(field)]
    return is_array(item), [(field.get("tag"), _outline(message, field, version)) for field in there]
