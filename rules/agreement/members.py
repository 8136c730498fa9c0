"""Which field of a struct is which in a version, for a release, the old side and the new side together.

Declarations match for all versions at once, and on two sides. A patch by itself needs three sides in one
version, and decides struct by struct. A field of the release is the one of its name on the old side, or else
the one of its type in its place or with its tag, unless the name returns on the new side. In the same way, a
field of the old side is one of the new side. But it may also be the one in its place or with its tag that has
another name or type: bytes do not say which, so that there are two answers (`By`). What the new side has
besides is the field of its name in the release, which returns, or a new one.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
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


class By(Enum):
    """What makes a field of the old side and one of the new side the same field."""

    NAMES = "the name, or else the type and the place or the tag"
    PLACES = "the place or the tag, or else the name"


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
    former = _former(release, old, By.NAMES)
    # What returns is not on the old side under another name.
    former = {name: was for name, was in former.items() if was in old or was not in new}
    old_keys = {name: (0, former[name]) if name in former else (1, name) for name in old}
    new_keys = {name: old_keys[was] for name, was in _former(old, new, by).items()}
    taken = {*new_keys.values()}
    for name in new.keys() - new_keys.keys():
        is_back = name in release and (0, name) not in taken
        new_keys[name] = (0 if is_back else 2, name)
    return (
        {(0, name): member for name, member in release.items()},
        {old_keys[name]: member for name, member in old.items()},
        {new_keys[name]: member for name, member in new.items()},
    )


def _former(before: Members, after: Members, by: By) -> Mapping[str, str]:
    """The names of the fields of one side that the side before has, each with its name there."""
    tags = {each.tag: name for name, each in before.items() if each.tag is not None}
    in_place = [
        *zip(_placed(after), _placed(before), strict=False),
        *((name, tags[each.tag]) for name, each in after.items() if each.tag in tags),
    ]
    named = [(name, name) for name in after if name in before]
    if by is By.NAMES:
        alike = [(name, was) for name, was in in_place if after[name].is_typed_as(before[was])]
        pairs = [*named, *alike]
    else:
        pairs = [*in_place, *named]
    former: dict[str, str] = {}
    used: set[str] = set()
    for name, was in pairs:
        if name not in former and was not in used:
            former[name] = was
            used.add(was)
    return former


def _placed(members: Members) -> list[str]:
    """The names of the fields with a place, in the order of the wire."""
    return [name for name, each in members.items() if each.is_placed]
