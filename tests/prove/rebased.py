"""A patch applied to another spec than the one that it was written for.

Where the old side misreads a release, no byte shows the peers of that release what a patch changes behind
the misread place. The same patch on the release itself shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

from tests.prove.protocols import NUMBER
from tests.prove.shapes import KINDS, Names, Spec, fields_inside, is_array, present, range_of

Thing = TypeVar("Thing")
CARRIED = "0+"  # the versions of a field that the version carries


class ConflictError(Exception):
    """The patch changes what the other spec has in another form than the old side."""


class By(Enum):
    """What identifies the fields of a patch."""

    NUMBER = "the number that the case gives a field, or else its name"
    NAME = "its name"
    PLACE = "its place, if the patch adds or removes only one run of fields"


def rebased(release: Spec, old: Spec, new: Spec, version: int, by: By = By.NUMBER) -> Spec:
    """The release with what a patch from `old` to `new` changes in a version. Raises ConflictError.

    A field has the name of the new side: another name by itself leaves no byte.
    """
    keys = (NUMBER, "name", "tag") if by is By.NUMBER else ("name", "tag")
    fields = [_in_version(side, side["fields"], version, keys) for side in (release, old, new)]
    flexible = [version in range_of(side, "flexibleVersions") for side in (release, old, new)]
    one, other = (_structs_around(side) for side in fields[:2])
    if any(one[number].isdisjoint(other[number]) for number in one.keys() & other.keys()):
        # With a struct around it that the release lacks, a field is not in the same sequence.
        raise ConflictError
    kept = {key: value for key, value in new.items() if key != "commonStructs"}
    every = "0+" if _merged(*flexible) else "none"
    return {**kept, "type": release["type"], "flexibleVersions": every, "fields": _fields(by, *fields)}


def _in_version(
    message: Spec, fields: Iterable[Spec], version: int, keys: Sequence[str], *, is_optional: bool = False
) -> list[Spec]:
    """Fields with only what the bytes of a version depend on, and what identifies them.

    `is_optional` is whether they are in what may be left out: only there, a default is of any effect.
    """
    found = []
    for field in fields:
        kept = {key: field[key] for key in keys if key in field}
        found.append(kept)
        if version not in present(field):
            versions = present(field)
            lasts = "none" if versions.empty else f"{versions.low}-{versions.high}"
            kept |= {"type": "int8", "versions": lasts}
            continue
        kept |= {"type": field["type"], "versions": CARRIED}
        for key in ("taggedVersions", "nullableVersions"):
            if version in range_of(field, key):
                kept[key] = "0+"
        if "flexibleVersions" in field and version not in range_of(field, "flexibleVersions"):
            kept["flexibleVersions"] = "none"
        may_lack = is_optional or "taggedVersions" in kept
        if "default" in field and may_lack:
            kept["default"] = field["default"]
        inside = fields_inside(message, field)
        if inside is not None:
            kept["type"] = "[]Struct" if is_array(field) else "Struct"
            kept["fields"] = _in_version(message, inside, version, keys, is_optional=may_lack)
    return found


def _structs_around(fields: Iterable[Spec], above: Names = ()) -> dict[int, set[Names]]:
    """The structs around each numbered field that the version carries; a shared one has several."""
    found: dict[int, set[Names]] = {}
    for field in fields:
        if NUMBER in field and _is_carried(field):
            found.setdefault(field[NUMBER], set()).add(above)
        for number, around in _structs_around(field.get("fields", ()), (*above, str(_key(field)))).items():
            found.setdefault(number, set()).update(around)
    return found


def _key(field: Spec) -> Hashable:
    key: Hashable = field.get(NUMBER, field["name"])
    return key


def _merged(release: Thing, old: Thing, new: Thing) -> Thing:
    if new in (old, release):
        return release
    if release == old:
        return new
    raise ConflictError


def _fields(by: By, release: list[Spec], old: list[Spec], new: list[Spec]) -> list[Spec]:
    sides = [_keyed(side) for side in (release, old, new)]
    first, own, last = sides
    # For the bytes, a field in the place of a removed one of its type is that field, renamed.
    in_place = _in_place(own, last) if by is By.PLACE else None
    if by is By.PLACE and in_place is None:
        raise ConflictError
    renamed = {now: was for was, now in _replaced(own, last)} if in_place is None else in_place
    # What has left the version for the one in its place is another one.
    left = {key: ("left", key) for key in renamed.values() if key in last and not _is_carried(last[key])}
    last = sides[2] = {renamed.get(key, left.get(key, key)): field for key, field in last.items()}
    if len(last) < len(new):
        raise ConflictError
    for before, after in ((first, own), (own, last)):
        names = {field["name"] for field in before.values()}
        others = after.keys() - before.keys() - {*left.values()}
        if any(after[key]["name"] in names for key in others):
            # Another field under a name of the other side: the bytes do not say whether it is that field.
            raise ConflictError
    if any(last.get(key) != own[key] or _is_moved(key, own, last) for key in _similar(first, own)):
        # The patch changes or moves what may be a field of the release.
        raise ConflictError
    keys_of = {field["name"]: key for key, field in sides[1].items()}
    for key, field in sides[2].items():
        other = keys_of.get(field["name"], key)
        if (
            in_place is None
            and other != key
            and key not in left.values()
            and not all(at in sides[0] and _is_carried(sides[0][at]) for at in (key, other))
        ):
            # Two fields trade names, one of which the release does not carry.
            raise ConflictError
    _identify(*sides[:2])
    keys = {key: None for side in sides for key in side}
    merged = {key: _field(by, *(side.get(key) for side in sides)) for key in keys}
    order = _order(*([key for key, field in side.items() if _is_placed(field)] for side in sides))
    # What has no place may be in any.
    ordered = (merged[key] for key in dict.fromkeys((*order, *keys)))
    fields = [field for field in ordered if field is not None]
    for key in ("name", "tag"):
        if _repeated(fields, key) - _repeated(release, key) - _repeated(new, key):
            raise ConflictError
    return fields


def _keyed(fields: list[Spec]) -> Mapping[Hashable, Spec]:
    keyed = {_key(field): field for field in fields}
    if len(keyed) < len(fields):
        raise ConflictError
    return keyed


def _identify(release: Mapping[Hashable, Spec], old: Mapping[Hashable, Spec]) -> None:
    """Nothing but its place or its tag shows that a field with another name is the one of the release."""
    places = [[key for key, field in side.items() if _is_placed(field)] for side in (release, old)]
    for key in release.keys() & old.keys():
        one, other = release[key], old[key]
        if one["name"] == other["name"] or not (_is_carried(one) or _is_carried(other)):
            continue
        at = [side.index(key) if key in side else None for side in places]
        if at[0] != at[1] or (at[0] is None and one.get("tag") != other.get("tag")):
            raise ConflictError


def _replaced(
    before: Mapping[Hashable, Spec], after: Mapping[Hashable, Spec]
) -> Iterator[tuple[Hashable, Hashable]]:
    """The fields that are removed, each with the one of its type that takes its place."""
    sides = [[key for key, field in side.items() if _is_placed(field)] for side in (before, after)]
    for key, other in zip(*sides, strict=False):
        is_free = not (_is_carried_in(after, key) or _is_carried_in(before, other))
        if is_free and before[key]["type"] == after[other]["type"]:
            yield key, other


def _similar(release: Mapping[Hashable, Spec], old: Mapping[Hashable, Spec]) -> Iterator[Hashable]:
    """The placed fields of the old side that may be one of the release: of the type of one that it lacks."""
    lacking = {
        field["type"] for key, field in release.items() if _is_placed(field) and not _is_carried_in(old, key)
    }
    for key, field in old.items():
        if _is_placed(field) and field["type"] in lacking and not _is_carried_in(release, key):
            yield key


def _is_moved(key: Hashable, before: Mapping[Hashable, Spec], after: Mapping[Hashable, Spec]) -> bool:
    """Whether a placed field of both sides is before or after other ones of both sides than it was."""
    sides = [[other for other, field in side.items() if _is_placed(field)] for side in (before, after)]
    both = {*sides[0]} & {*sides[1]}
    one, other = ({*side[: side.index(key)]} & both for side in sides)
    return one != other


def _is_carried_in(fields: Mapping[Hashable, Spec], key: Hashable) -> bool:
    return key in fields and _is_carried(fields[key])


def _in_place(
    before: Mapping[Hashable, Spec], after: Mapping[Hashable, Spec]
) -> Mapping[Hashable, Hashable] | None:
    """The placed fields, each with the one that was in its place.

    None if the sides have a different number of places and differ in more than one run of fields that is
    added or removed.
    """
    sides = [[key for key, field in side.items() if _is_placed(field)] for side in (before, after)]
    types = [
        [KINDS.get(side[key]["type"], side[key]["type"]) for key in keys]
        for side, keys in zip((before, after), sides, strict=True)
    ]
    least = min(map(len, types))
    first = next((at for at in range(least) if types[0][at] != types[1][at]), least)
    rest = least - first
    if len(types[0]) == len(types[1]):
        return dict(zip(sides[1], sides[0], strict=True))
    if types[0][len(types[0]) - rest :] != types[1][len(types[1]) - rest :]:
        return None
    ends = (side[:first] + side[len(side) - rest :] for side in reversed(sides))
    return dict(zip(*ends, strict=True))


def _is_carried(field: Spec) -> bool:
    return bool(field["versions"] == CARRIED)


def _is_placed(field: Spec) -> bool:
    return _is_carried(field) and "taggedVersions" not in field


def _repeated(fields: list[Spec], key: str) -> set[Any]:
    counts = Counter(field[key] for field in fields if key in field)
    return {value for value, count in counts.items() if count > 1}


def _field(by: By, release: Spec | None, old: Spec | None, new: Spec | None) -> Spec | None:
    """What the release has of a field after the patch.

    What the patch does to a field that only the old side has is nothing to it, as long as both sides name it
    alike and peers of the release do not skip it: then the patch adds it.
    """
    if release is None and old is not None and not _is_placed(old):
        return new
    is_alike = old is not None and new is not None and (by is By.PLACE or old["name"] == new["name"])
    if release is None and is_alike:
        return None
    if release is not None and old is not None and new is None:
        # Another name is no other form of what is removed.
        return _merged(release, {**old, "name": release["name"]}, new)
    if release is None or old is None or new is None:
        return _merged(release, old, new)
    sides = release, old, new
    apart = [NUMBER, "name", "fields"] if all("fields" in side for side in sides) else [NUMBER, "name"]
    states = [{key: value for key, value in side.items() if key not in apart} for side in sides]
    field = {**_merged(*states), "name": new["name"]}
    if "fields" in apart:
        field["fields"] = _fields(by, *(side["fields"] for side in sides))
        if not field["fields"]:
            # No spec has a struct without fields.
            raise ConflictError
    return field


def _order(release: Sequence[Hashable], old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Hashable]:
    """The placed fields of the release without those that the patch removes, in the order that it gives them,
    and those that it adds after the same field as there.
    """
    removed = {*old} - {*new}
    kept = [key for key in release if key not in removed]
    lasting = {*kept} & {*old}
    order = iter(_merged(*(_only(lasting, side) for side in (release, old, new))))
    ordered = [next(order) if key in lasting else key for key in kept]
    shared = {*kept} & {*new}
    if shared != lasting and _only(shared, ordered) != _only(shared, new):
        # The patch adds a field that the release has, too, but in another place.
        raise ConflictError
    added = [key for key in new if key not in ordered and key not in old]
    own = [key for key in old if key not in new and key not in release]
    both = {*old} & {*new}
    if not {_before(key, old, both) for key in own}.isdisjoint(_before(key, new, both) for key in added):
        # What takes the place of a field that only the old side has may be that field.
        raise ConflictError
    for key in added:
        before = _before(key, new, {*ordered})
        ordered.insert(0 if before is None else ordered.index(before) + 1, key)
    return ordered


def _before(key: Hashable, side: Sequence[Hashable], keys: set[Hashable]) -> Hashable | None:
    """The last one of some fields before a field."""
    return next((other for other in reversed(side[: side.index(key)]) if other in keys), None)


def _only(keys: set[Hashable], side: Sequence[Hashable]) -> list[Hashable]:
    return [key for key in side if key in keys]
