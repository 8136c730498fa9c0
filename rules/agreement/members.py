"""Which field of a struct is which in a version, for a release, the old side and the new side together.

Declarations match for all versions at once, and on two sides. A patch by itself needs three sides in one
version, and decides struct by struct:

1. A field keeps its name, unless the version gives the name up or two structs have exchanged theirs.
2. A field whose name the other side lacks is the one in its place, if the types are the same: at the same
   index, or else after the same field of both sides. It is the one under its tag, if it has one.
3. A field in the place of one that the release lacks, or has in another form, counts as that one, whatever
   its type: both are equally new to peers of the release. One that the release has in another form may also
   move, if it keeps its type.
4. A field that the old side lacks is back if it has the name and the type that the release has.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from wirebook.rules.agreement.edits import Matching
from wirebook.rules.match import bytes_of
from wirebook.specs.model import Field, Message
from wirebook.specs.wire.layout import Layout, LayoutField


class Member(NamedTuple):
    """A field of a struct; `carried` is None if only other versions have it."""

    message: Message
    field: Field
    carried: LayoutField | None

    @property
    def is_placed(self) -> bool:
        """Whether the version carries the field, and not under a tag."""
        return self.carried is not None and self.carried.tag is None

    @property
    def tag(self) -> int | None:
        """The tag of the field in the version, None if it has none there."""
        return None if self.carried is None else self.carried.tag

    @property
    def has_fields(self) -> bool:
        """Whether the version carries structs in it."""
        return self.carried is not None and self.carried.fields is not None

    @property
    def type(self) -> str:
        """Its type without the name of a struct."""
        return self.field.type.removesuffix(self.field.element) if self.has_fields else self.field.type

    def inside(self) -> "Members":
        """The fields of its struct."""
        carried = None if self.carried is None else self.carried.fields
        return _members(self.message, self.message.fields_of(self.field) or (), carried or ())

    def is_typed_as(self, other: "Member") -> bool:
        """Whether both have the same bytes: structs have if their fields have."""
        return bytes_of(self.type) == bytes_of(other.type)


# The fields of a struct by name; those that the version carries come first, in the order of the wire.
Members = Mapping[str, Member]

# What identifies a field of a struct: the first of the three sides that has it, and its name there.
Key = tuple[int, str]
Keyed = Mapping[Key, Member]


def top_members(layout: Layout) -> Members:
    """The fields of a message in the version of a layout."""
    return _members(layout.message, layout.message.fields, layout.fields)


def _members(message: Message, declared: Sequence[Field], carried: Sequence[LayoutField]) -> Members:
    members = {each.name: Member(message, each.field, each) for each in carried}
    for field in declared:
        members.setdefault(field.name, Member(message, field, None))
    return members


def keyed(
    accepted: Matching, patch: Matching, release: Members, old: Members, new: Members
) -> tuple[Keyed, Keyed, Keyed]:
    """The fields of a struct on the three sides, release, old and new one, by what identifies them.

    `accepted` is the matching of the release with the old side, `patch` that of the old and the new side.
    """
    back = {name for name in release.keys() & new.keys() - old.keys() if release[name].is_typed_as(new[name])}
    former = _Pairing(accepted, release, old, by_tag=True).paired()
    # What the new side has beside a field that comes back is another one.
    former = {name: was for name, was in former.items() if was not in back or name not in new}
    old_keys = {name: (0, former[name]) if name in former else (1, name) for name in old}
    changed = {name for name, was in former.items() if not _is_in_form(old[name], release[was])}
    replaceable = changed | (old.keys() - former.keys())
    pairing = _Pairing(patch, old, new, replaceable, changed, back)
    before = None if back else pairing.in_place(release)
    if before is None:
        before = pairing.paired()
    new_keys = {name: (0, name) if name in back else (2, name) for name in new}
    taken = {*new_keys.values()}
    new_keys |= {name: key for name, was in before.items() if (key := old_keys[was]) not in taken}
    return (
        {(0, name): member for name, member in release.items()},
        {old_keys[name]: member for name, member in old.items()},
        {new_keys[name]: member for name, member in new.items()},
    )


def _is_in_form(old: Member, release: Member) -> bool:
    """Whether the version carries a field of the release in its type, and under its tag if it has one."""
    is_carried = old.carried is not None and release.carried is not None
    return is_carried and (old.type, old.tag) == (release.type, release.tag)


class _Pairing:
    """Pairs the fields of a struct on two sides.

    Fields of the first side that are `replaceable` may be replaced in their place by those of any type, and
    those of them that are `changed` elsewhere by those of their type; `others` of the second side are in no
    place of the first one. `by_tag` is whether a tag counts more than a name, as between a release and the
    old side.
    """

    def __init__(
        self,
        matching: Matching,
        first: Members,
        second: Members,
        replaceable: Set[str] = frozenset(),
        changed: Set[str] = frozenset(),
        others: Set[str] = frozenset(),
        *,
        by_tag: bool = False,
    ) -> None:
        self.matching = matching
        self.first = first
        self.second = second
        self.replaceable = replaceable
        self.changed = changed
        self.others = others
        self.by_tag = by_tag
        self.order = tuple(
            [name for name, each in side.items() if each.is_placed] for side in (first, second)
        )
        self.partners: dict[str, str] = {}
        self.used: set[str] = set()

    def in_place(self, release: Members) -> dict[str, str] | None:
        """The names of the second side with those in their places, if all have the types that they had there.

        None if the types differ, or if a field of the release has its name at another place.
        """
        before, after = self.order
        pairs = [*zip(after, before, strict=False)]
        moved = {name for name, was in pairs if name != was and name in self.first}
        if (
            len(before) != len(after)
            or not all(self.second[name].is_typed_as(self.first[was]) for name, was in pairs)
            or not moved.isdisjoint(release)
        ):
            return None
        placed = {*before, *after}
        named = {name: name for name in self.second if name in self.first and name not in placed}
        return named | dict(pairs)

    def paired(self) -> dict[str, str]:
        """The names of the second side with those of the same fields on the first side."""
        common = [name for name in self.second if name in self.first]
        for name in common:
            if self._keeps_name(name):
                self._pair(name, name)
        self._pair_by_index()
        self._pair_in_gaps(self._is_alike)
        self._pair_in_gaps(lambda _, was: was in self.replaceable)
        self._pair_moved()
        self._pair_by_tag()
        for name in common:
            if self._is_free(name, name):
                self._pair(name, name)
        return self.partners

    def _pair_by_index(self) -> None:
        before, after = self.order
        for name, was in zip(after, before, strict=False):
            if self._is_free(name, was) and self._is_alike(name, was) and self._share_names(name, was):
                self._pair(name, was)

    def _pair_moved(self) -> None:
        """Pairs the free fields of the second side with those of their type that were changed before."""
        before, after = self.order
        changed = [was for was in before if was in self.changed]
        for name in after:
            alike = (was for was in changed if self._is_free(name, was) and self._is_alike(name, was))
            candidate = next(alike, None)
            if candidate is not None:
                self._pair(name, candidate)

    def _pair_by_tag(self) -> None:
        tags = {each.tag: was for was, each in self.first.items() if each.tag is not None}
        for name, member in self.second.items():
            was = None if member.tag is None else tags.get(member.tag)
            if was is not None and self._is_free(name, was) and self._is_alike(name, was):
                self._pair(name, was)

    def _pair(self, name: str, was: str) -> None:
        self.partners[name] = was
        self.used.add(was)

    def _is_free(self, name: str, was: str) -> bool:
        return name not in self.partners and name not in self.others and was not in self.used

    def _keeps_name(self, name: str) -> bool:
        """Whether a field of this name is one field on both sides, whatever is in its place."""
        before, after = self.first[name], self.second[name]
        if before.carried is not None and after.carried is None:
            return False
        if self.by_tag and None not in (before.tag, after.tag) and before.tag != after.tag:
            return False
        return self._share_names(name, name)

    def _share_names(self, name: str, was: str) -> bool:
        """Whether two fields, if both are structs, have a field of one name in them, or one of them none."""
        names, others = self.second[name].inside().keys(), self.first[was].inside().keys()
        return not names or not others or not names.isdisjoint(others)

    def _is_alike(self, name: str, was: str) -> bool:
        before, after = self.first[was], self.second[name]
        return after.is_typed_as(before) or self.matching.is_one(before.field, after.field)

    def _pair_in_gaps(self, is_one: Callable[[str, str], bool]) -> None:
        """Pairs the free fields that are after the same field, in their order, as far as they may be one."""
        before, after = self.order
        gaps: dict[str | None, list[str]] = {}
        last: str | None = None
        for was in before:
            if was not in self.used:
                gaps.setdefault(last, []).append(was)
            else:
                last = was
        last = None
        for name in after:
            own = self.partners.get(name)
            if own is not None:
                last = own
            elif name not in self.others:
                gap = gaps.get(last, [])
                at = next((at for at, was in enumerate(gap) if is_one(name, was)), None)
                if at is not None:
                    self._pair(name, gap[at])
                    del gap[: at + 1]
