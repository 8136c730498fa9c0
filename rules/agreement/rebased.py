"""A patch by itself: the form that a release would have with what the patch changes, and nothing else.

The fields of the release, of the old side and of the new side are merged in the version, struct by struct and
property by property: whether the version carries a field, its type, its null, its tag, its default and its
place. If the release and the old side are alike in one, the result has that of the new side, because the
patch changes it. If they differ, the result keeps that of the release: the old side has broken it before, and
the new side breaks it again. So

- a field that only the old side has does not exist for the release, whatever the patch makes of it, unless it
  has a tag: peers of the release skip that, and what takes its place is new to them;
- a field that the old side lacks may return in the form of the release;
- a field that the old side has in another form is free to change in that, and may be removed; but if it kept
  its name and the kind of its values, a third width breaks the release again: accepting one other width does
  not accept any;
- two fields that the release and the old side have in one order must keep it.

The result is a spec of one version: the relation compares it with the release like any other.

A field of the old side may be the one of its name on the new side, or the one in its place: bytes do not say
which, so that there is a merge for each (`members.By`). A patch breaks the release if both results do: what
one of them explains as a change of what is broken anyway breaks nothing. But where peers of the release
misread the new side in another place than the old one, places say nothing of what is broken anyway, and
names decide.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

from wirebook.rules.agreement.edits import Aspect
from wirebook.rules.agreement.forms import Forms, WireForm
from wirebook.rules.agreement.members import (
    By,
    Key,
    Keyed,
    Member,
    Members,
    keyed,
    top_members,
)
from wirebook.rules.agreement.relation import (
    Kind,
    disagreements,
    value_kind,
)
from wirebook.specs.model import Field, Json
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import Layout, Layouts


class Rebased(NamedTuple):
    """What a patch does to a release: whether it breaks it, and what it edits of it."""

    is_broken: bool
    edited: frozenset[Aspect]


def rebased(release: Layout, old: Layout, new: Layout, *, is_in_place: bool = True) -> Rebased:
    """A patch made to a release, in a version of which release, old and new side have these layouts.

    `is_in_place` is whether peers of the release misread the new side where they misread the old one.
    """
    merge = partial(_Merge, Forms(release.message).form(release), release, old, new)
    by_names, in_place = merge(By.NAMES), merge(By.PLACES)
    edited = by_names.edited & in_place.edited or by_names.edited
    is_broken = by_names.is_broken and (in_place.is_broken or not is_in_place)
    return Rebased(is_broken, frozenset(edited))


class _Properties(NamedTuple):
    """What the bytes of a field depend on in a version; `type` has no name of a struct."""

    type: str
    is_compact: bool
    tag: int | None
    nullable: bool
    has_default: bool
    default: Json

    def is_framed_as(self, other: "_Properties") -> bool:
        """Whether it is in the same place with the same type: a null or a default may differ."""
        return self[:3] == other[:3]


class _Merge:
    """Merges three layouts of a version.

    `is_broken` is whether the release, which has a form, disagrees with the result; `edited` is what of it is
    edited.
    """

    def __init__(self, form: WireForm, release: Layout, old: Layout, new: Layout, by: By) -> None:
        self.version = Versions(release.version, release.version)
        self.by = by
        self.edited: set[Aspect] = set()
        # The default of a field that no bytes carry, and a header, are never hidden.
        self.is_broken = any(
            not each.is_unsent and each.kind is not Kind.HEADER
            for each in disagreements(form, self._form(release, old, new))
        )

    def _form(self, release: Layout, old: Layout, new: Layout) -> WireForm:
        """The form of the release with what the patch changes."""
        self.is_flexible = _merged(release.flexible, old.flexible, new.flexible)
        if self.is_flexible != release.flexible:
            self.edited.add((None, Kind.FLEXIBLE))
        message = new.message._replace(
            type=release.message.type,
            fields=tuple(self._struct(top_members(release), top_members(old), top_members(new), 0)),
            common_structs=(),
            flexible_versions=self.version if self.is_flexible else Versions.NONE,
        )
        return Forms(message).form(Layouts(message, opaque=True).at(release.version))

    def _struct(self, release: Members, old: Members, new: Members, depth: int) -> Iterator[Field]:
        sides = keyed(release, old, new, self.by)
        fields: dict[Key, Field] = {}
        for key in dict.fromkeys(chain(*sides)):
            field = self._field(sides[0].get(key), sides[1].get(key), sides[2].get(key), depth)
            if field is not None:
                # A name that the old side has already, and the release elsewhere, is not of the patch.
                is_former = key in sides[0] and key in sides[1] and sides[1][key].field.name == field.name
                name = key[1] if is_former and field.name in release else field.name
                fields[key] = field._replace(name=name)
        tags = self._tags(fields)
        for key in dict.fromkeys((*self._order(fields, sides), *fields)):
            field = fields[key]
            if not field.tagged_versions or field.versions != self.version or tags.get(field.tag) == key:
                yield field

    def _tags(self, fields: Mapping[Key, Field]) -> Mapping[int | None, Key]:
        """The first field that has each tag."""
        tags: dict[int | None, Key] = {}
        if self.is_flexible:
            for key, field in fields.items():
                if field.versions == self.version:
                    tags.setdefault(field.tag, key)
        return tags

    def _order(self, fields: Mapping[Key, Field], sides: Sequence[Keyed]) -> Sequence[Key]:
        """The fields with a place: those of the release, and what the patch adds after the same ones.

        The order is that of the new side if it exchanges two fields which release and old side have in one
        order.
        """
        release, old, new = ([key for key, each in side.items() if each.is_placed] for side in sides)
        placed = {
            key
            for key, field in fields.items()
            if field.versions == self.version and not field.tagged_versions
        }
        ordered = [key for key in release if key in placed]
        lasting = {*ordered} & {*old} & {*new}
        places = [{key: at for at, key in enumerate(side)} for side in (release, old)]
        in_new_order = [key for key in new if key in lasting]
        exchanged = [
            pair for pair in pairwise(in_new_order) if all(side[pair[0]] > side[pair[1]] for side in places)
        ]
        if exchanged:
            self.edited |= {(id(sides[2][key].field), Kind.LENGTH) for pair in exchanged for key in pair}
            order = iter(in_new_order)
            ordered = [next(order) if key in lasting else key for key in ordered]
        followers: dict[Key | None, Key] = {}
        before: Key | None = None
        kept = {*ordered}
        for key in new:
            if key in placed and key not in kept:
                followers[before] = key
            elif key not in kept:
                continue
            before = key
        sequence: list[Key] = []
        for start in (None, *ordered):
            sequence += [] if start is None else [start]
            follower = followers.get(start)
            while follower is not None:
                sequence.append(follower)
                follower = followers.get(follower)
        return sequence

    def _field(
        self,
        release: Member | None,
        old: Member | None,
        new: Member | None,
        depth: int,
    ) -> Field | None:
        """What the release has of a field after the patch: the field of another version if not this one."""
        in_release, in_old, in_new = (
            each is not None and each.carried is not None for each in (release, old, new)
        )
        lacking = None if release is None else release.field
        if not in_release and not in_old:
            if in_new:
                self._edit(new)
                return self._whole(new, depth)
            return _merged(*(None if each is None else each.field for each in (release, old, new)))
        if not in_release:
            assert old is not None
            now = self._whole(new, depth)
            # Peers of the release skip a tag, so that they have never seen what only the old side has.
            if old.is_placed or self._whole(old, depth) == now:
                return lacking
            if new is not None and new.is_placed:
                self._edit(old)
                self._edit(new)
            return lacking if now is None else now
        if not in_old:
            return self._whole(release, depth)
        assert release is not None
        assert old is not None
        if in_new and new is not None:
            return self._changed(release, old, new, depth)
        if not self._properties(release).is_framed_as(self._properties(old)):
            return self._whole(release, depth)
        self._edit(old)
        return None if new is None else new.field

    def _changed(self, release: Member, old: Member, new: Member, depth: int) -> Field:
        """What the release has of a field that all sides carry."""
        properties = [self._properties(side) for side in (release, old, new)]
        merged = _Properties(*map(_merged, *properties))
        if _has_third_width(release, old, new):
            merged = merged._replace(type=properties[2].type)
        source = release
        if merged.type != properties[0].type:
            source = new
            merged = properties[2]._replace(tag=merged.tag, is_compact=merged.is_compact)
        kinds = set()
        if not merged.is_framed_as(properties[0]):
            kinds.add(Kind.LENGTH)
        if merged.nullable != properties[0].nullable:
            kinds |= {Kind.NULL, Kind.LENGTH}
        if merged[-2:] != properties[0][-2:]:
            kinds.add(Kind.DEFAULT)
        self.edited |= {(id(side.field), kind) for side in (old, new) for kind in kinds}
        inner: tuple[Field, ...] | None
        if release.has_fields and old.has_fields and new.has_fields:
            inner = tuple(self._struct(release.inside(), old.inside(), new.inside(), depth + 1))
        else:
            inner = self._fields(source, depth)
        return self._built(source, merged, inner, depth)._replace(name=new.field.name)

    def _edit(self, member: Member | None) -> None:
        """Notes that a field and all in it are edited."""
        if member is not None and member.carried is not None:
            self.edited |= {(id(field.field), Kind.LENGTH) for field in member.carried.walk()}

    def _whole(self, member: Member | None, depth: int) -> Field | None:
        """A field as it is, None if the version does not carry it."""
        if member is None or member.carried is None:
            return None
        return self._built(member, self._properties(member), self._fields(member, depth), depth)

    def _fields(self, member: Member, depth: int) -> tuple[Field, ...] | None:
        """The fields of a struct as they are, None for other types."""
        if not member.has_fields:
            return None
        # A version that is no longer flexible has no tags.
        inside = (each for each in member.inside().values() if self.is_flexible or each.tag is None)
        return tuple(self._whole(each, depth + 1) or each.field for each in inside)

    def _properties(self, member: Member) -> _Properties:
        field, carried = member.field, member.carried
        assert carried is not None
        is_compact = field.flexible_versions is None or bool(field.flexible_versions & self.version)
        # No byte depends on the default of a field that is always sent.
        default = (field.has_default, field.default) if member.is_optional else (False, None)
        return _Properties(member.type, is_compact, carried.tag, carried.nullable, *default)

    def _built(
        self, member: Member, properties: _Properties, fields: tuple[Field, ...] | None, depth: int
    ) -> Field:
        """A field that the version carries, with structs whose names differ from those around them."""
        return Field(
            member.field.written,
            member.field.name,
            properties.type if fields is None else f"{properties.type}Struct{depth}",
            self.version,
            self.version if properties.nullable else Versions.NONE,
            Versions.NONE if properties.tag is None else self.version,
            None if properties.is_compact else Versions.NONE,
            properties.tag,
            properties.default,
            properties.has_default,
            fields=fields,
        )


def _has_third_width(release: Member, old: Member, new: Member) -> bool:
    """Whether a field keeps its name, and each side has another width; the old one has values of one kind."""
    is_named = release.field.name == old.field.name == new.field.name
    is_one_kind = value_kind(release.field) == value_kind(old.field) and not release.field.is_array
    pairs = (release, old), (old, new), (release, new)
    return is_named and is_one_kind and not any(one.is_typed_as(other) for one, other in pairs)


Value = TypeVar("Value")


def _merged(release: Value, old: Value, new: Value) -> Value:
    """What the new side has if release and old side are alike, otherwise what the release has."""
    return new if release == old else release
