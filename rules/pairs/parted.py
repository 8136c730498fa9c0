"""Which structs correspond in some versions only, because fields are split, joined or trade names."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wirebook.rules.pairs.kinds import MessagePair, VersionNumbers
from wirebook.rules.pairs.match import Definition, FieldMatch, FieldMatcher
from wirebook.specs.model import Field
from wirebook.specs.versions import Versions


class Parted(NamedTuple):
    """Two fields with structs, and the versions in which they correspond to each other."""

    old: Field
    new: Field
    versions: VersionNumbers


def parted(
    messages: MessagePair,
    matches: Sequence[FieldMatch],
    old: Definition,
    new: Definition,
    versions: VersionNumbers,
) -> Iterator[Parted]:
    """The fields with structs that only single versions show to correspond, although `matches` does not pair
    them.

    In such a version, both have the same name, or the same place or tag with the same bytes.
    """
    left = _left(matches, versions)
    alone = [frozenset[int]().union(*side.values()) for side in left]
    eras: dict[int, list[int]] = {}
    for version in sorted(alone[0] & alone[1]):
        eras.setdefault(messages.era(version), []).append(version)
    found: dict[tuple[int, int], Parted] = {}
    for era in eras.values():
        matcher = FieldMatcher(messages.old, messages.new, Versions(era[0], era[0]))
        for before, after in matcher.match(old, new):
            if before is None or after is None or before.is_array is not after.is_array:
                continue
            key = before.written.order, after.written.order
            there = left[0].get(key[0], frozenset()) & left[1].get(key[1], frozenset()) & frozenset(era)
            if before.name != after.name:
                there = messages.alike(there, old=before, new=after)
            if there:
                known = found.get(key, Parted(before, after, frozenset()))
                found[key] = known._replace(versions=known.versions | there)
    yield from found.values()


def _left(
    matches: Sequence[FieldMatch], versions: VersionNumbers
) -> tuple[dict[int, VersionNumbers], dict[int, VersionNumbers]]:
    """The fields with structs of each side, with the versions in which they have no partner."""
    left: tuple[dict[int, VersionNumbers], dict[int, VersionNumbers]] = ({}, {})
    for match in matches:
        old, new = match
        others: tuple[Field | None, Field | None] = (None, None)
        if old is not None and new is not None and old.is_struct_like(new):
            if old.present == new.present:
                continue
            others = new, old
        for side, (item, other) in enumerate(zip(match, others, strict=True)):
            if item is not None and item.is_struct:
                left[side][item.written.order] = frozenset(
                    version
                    for version in versions
                    if version in item.present and (other is None or version not in other.present)
                )
    return left
