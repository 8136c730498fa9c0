"""Which field of a struct is which in a version, for a release, the old side and the new side together.

Declarations match for all versions at once, and on two sides. A patch by itself needs three sides in one
version, and decides struct by struct:

1. A field keeps its name, unless the version no longer carries it, or the old side carries it under another
   tag than the release. A name is not kept if it has passed on to the field of another place, while the types
   of both places are as they were, or if two structs have exchanged their names.
2. What is left on both sides is one field if it has the same type and either the same index, counted from the
   beginning or from the end, or the same tag. What a patch then puts at the index of a field replaces that,
   and is the field with another type.
3. A field that the old side lacks is back if it has the name and the type that the release has.

This is what names say of a patch. Places may say something else: each field of the new side is the one that
was in its place, whatever its name. And so is each field of the old side, if that has as many places as the
release: first those without a name of the release, and where names have been passed on, all. What has the
type and the index of a field of the release that the old side lacks is that field.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import NamedTuple

from wirebook.rules.match import bytes_of
from wirebook.specs.model import Field, Message
from wirebook.specs.wire.layout import Layout, LayoutField


class Member(NamedTuple):
    """A field of a struct; `carried` is None if only other versions have it.

    `is_in_tag` is whether the struct is in a tagged field.
    """

    message: Message
    field: Field
    carried: LayoutField | None
    is_in_tag: bool

    @property
    def is_placed(self) -> bool:
        """Whether the version carries the field, and not under a tag."""
        return self.carried is not None and self.carried.tag is None

    @property
    def tag(self) -> int | None:
        """The tag of the field in the version, None if it has none there."""
        return None if self.carried is None else self.carried.tag

    @property
    def is_optional(self) -> bool:
        """Whether writers may leave the field out, by itself or with a struct around it."""
        return self.is_in_tag or self.tag is not None

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
        declared = self.message.fields_of(self.field) or ()
        return _members(self.message, declared, carried or (), is_in_tag=self.is_optional)

    def is_typed_as(self, other: "Member") -> bool:
        """Whether both have the same bytes: structs have if their fields have."""
        return bytes_of(self.type) == bytes_of(other.type)

    def shares_names_with(self, other: "Member") -> bool:
        """Whether both, if they are structs with fields, have a field of one name."""
        names, others = self.inside().keys(), other.inside().keys()
        return not names or not others or not names.isdisjoint(others)


class By(Enum):
    """What identifies the fields of a struct on three sides."""

    NAMES = "their names"
    NEW_PLACES = "their names on the release and the old side, their places on the old and the new side"
    PLACES = "their places"


# The fields of a struct by name; those that the version carries come first, in the order of the wire.
Members = Mapping[str, Member]

# What identifies a field of a struct: the first of the three sides that has it, and its name there.
Key = tuple[int, str]
Keyed = Mapping[Key, Member]


def top_members(layout: Layout) -> Members:
    """The fields of a message in the version of a layout."""
    return _members(layout.message, layout.message.fields, layout.fields, is_in_tag=False)


def _members(
    message: Message, declared: Sequence[Field], carried: Sequence[LayoutField], *, is_in_tag: bool
) -> Members:
    members = {each.name: Member(message, each.field, each, is_in_tag) for each in carried}
    for field in declared:
        members.setdefault(field.name, Member(message, field, None, is_in_tag))
    return members


def keyed(release: Members, old: Members, new: Members, by: By) -> tuple[Keyed, Keyed, Keyed]:
    """The fields of a struct on the three sides, release, old and new one, by what identifies them."""
    back = {name for name in release.keys() & new.keys() if _is_back(release[name], old.get(name), new[name])}
    is_as_long = len(_placed(release)) == len(_placed(old))
    names = () if by is By.PLACES and is_as_long else _kept(release, old, by_tag=True)
    former = _paired(release, old, names, by_index=by is not By.NAMES and is_as_long)
    # What the new side has beside a field that comes back is another one.
    former = {name: was for name, was in former.items() if was not in back or name not in new}
    old_keys = {name: (0, former[name]) if name in former else (1, name) for name in old}
    before = _paired(old, new, _kept(old, new, by_tag=False) if by is By.NAMES else (), by_index=True)
    new_keys = {name: (0, name) if name in back else (2, name) for name in new}
    taken = {(0, name) for name in back}
    new_keys |= {
        name: key for name, was in before.items() if name not in back and (key := old_keys[was]) not in taken
    }
    if by is not By.NAMES:
        sent = {old_keys[name] for name, each in old.items() if each.carried is not None}
        lacking = {(0, name) for name in release} - sent - {*new_keys.values()}
        for name, was in zip(_placed(new), _placed(release), strict=False):
            if new_keys[name] == (2, name) and (0, was) in lacking and new[name].is_typed_as(release[was]):
                new_keys[name] = (0, was)
    return (
        {(0, name): member for name, member in release.items()},
        {old_keys[name]: member for name, member in old.items()},
        {new_keys[name]: member for name, member in new.items()},
    )


def _is_back(release: Member, old: Member | None, new: Member) -> bool:
    """Whether the new side has a field of the release that the old side lacks, in the version or at all."""
    is_lacking = old is None or (old.carried is None and None not in (release.carried, new.carried))
    return is_lacking and release.is_typed_as(new)


def _kept(first: Members, second: Members, *, by_tag: bool) -> list[tuple[str, str]]:
    """The names that stand for one field on both sides, as pairs for `_paired`.

    `by_tag` is whether a tag counts more than a name.
    """
    before, after = _placed(first), _placed(second)
    follower, leader = dict(zip(before, after, strict=False)), dict(zip(after, before, strict=False))

    def is_passed_on(name: str) -> bool:
        """Whether the type of the name changes, and neither that of its place before nor of that after."""
        now, was = follower.get(name), leader.get(name)
        if now is None or was is None or now in first or was in second:
            return False
        is_left = first[name].is_typed_as(second[now]) and first[was].is_typed_as(second[name])
        return is_left and not first[name].is_typed_as(second[name])

    common = [name for name in second if name in first]
    structs = [name for name in common if first[name].has_fields and second[name].has_fields]

    def is_exchanged(name: str) -> bool:
        """Whether the fields of the struct of the name are those of another struct that has its name, too."""
        return (
            name in structs
            and not second[name].shares_names_with(first[name])
            and any(second[other].shares_names_with(first[name]) for other in structs)
        )

    return [
        (name, name)
        for name in common
        if _keeps_name(first[name], second[name], by_tag=by_tag)
        and not is_passed_on(name)
        and not is_exchanged(name)
    ]


def _placed(members: Members) -> list[str]:
    """The names of the fields with a place, in the order of the wire."""
    return [name for name, each in members.items() if each.is_placed]


def types_in_place(members: Members) -> list[str]:
    """The types of the fields with a place, in the order of the wire."""
    return [bytes_of(members[name].type) for name in _placed(members)]


def _paired(
    first: Members, second: Members, kept: Iterable[tuple[str, str]], *, by_index: bool
) -> Mapping[str, str]:
    """The names of the second side with those of the same fields on the first side.

    Beside those that are `kept`, these are the ones of the same type with the same index or the same tag,
    then those of the same name, and then, if `by_index`, those with the same index.
    """
    before, after = _placed(first), _placed(second)
    tags = {each.tag: was for was, each in first.items() if each.tag is not None}
    tagged = ((name, tags[each.tag]) for name, each in second.items() if each.tag in tags)
    in_place = [*zip(after, before, strict=False)]
    from_end = zip(reversed(after), reversed(before), strict=False)
    near = chain(in_place, from_end, tagged)
    alike = [(name, was) for name, was in near if second[name].is_typed_as(first[was])]
    # Of structs, all of one type, those come first that have fields in common.
    alike.sort(key=lambda pair: not second[pair[0]].shares_names_with(first[pair[1]]))
    named = ((name, name) for name in second if name in first)
    partners = dict(kept)
    used = {*partners.values()}
    for name, was in chain(alike, named, in_place if by_index else ()):
        if name not in partners and was not in used:
            partners[name] = was
            used.add(was)
    return partners


def _keeps_name(before: Member, after: Member, *, by_tag: bool) -> bool:
    """Whether a field of one name is one field on both sides: not given up in the version, nor retagged."""
    if before.carried is not None and after.carried is None:
        return False
    return not by_tag or None in (before.tag, after.tag) or before.tag == after.tag
