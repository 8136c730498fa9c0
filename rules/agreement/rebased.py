"""A patch by itself: the form that a release would have with what the patch changes, and nothing else.

The forms of the release, of the old side and of the new side are merged, property by property: whether
there is an item, its name, its type, its null, its default and its place. If the release and the old side are
alike in one, the result has that of the new side, because the patch changes it. If they differ, the result
keeps that of the release: the old side has broken it before, and the new side breaks it again. So

- a field that only the old side has does not exist for the release, whatever the patch makes of it, and
  neither does what takes its place;
- a field that the old side lacks may return;
- the exception is a field that keeps its name, with values of one kind and a different width on all three
  sides: the result has the form of the new side, since one other width was accepted, not any;
- items on which the release and the old side agree, such as those of the elements of an array, are as on the
  new side.

Which item is which is decided between the release and the old side, and between the old side and the new
one: by the names that the release has, or else by place, as far as the bytes or the declarations are alike.
Between the release and the new side only names count, since bytes that are misread have no place.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

from wirebook.rules.agreement.edits import Matching, Partners, SpecEdit, with_alike
from wirebook.rules.agreement.forms import (
    Absent,
    ArrayItem,
    BlobItem,
    Forms,
    Item,
    Name,
    NullableStructItem,
    NumberItem,
    SectionItem,
    Sequenced,
    Tagged,
    WireForm,
    is_framed_alike,
)
from wirebook.rules.agreement.relation import (
    Disagreement,
    Kind,
    Side,
    WriterSide,
    disagreements,
    is_same,
    sequences_agree,
    value_kind,
)
from wirebook.specs.model import Field, Json
from wirebook.specs.wire.layout import Layout, LayoutField

# What a patch edits: the id of a declaration, None where a side has no field, and whether it is the null, the
# default or the field as a whole.
Aspect = tuple[int | None, Kind]


class Rebased(NamedTuple):
    """What a patch does to a release: how the result disagrees with it, and what the patch edits."""

    disagreements: tuple[Disagreement, ...]
    edited: frozenset[Aspect]


def rebased(accepted: Matching, patch: Matching, layouts: tuple[Layout, Layout, Layout]) -> Rebased:
    """A patch made to a release, in a version of which release, old and new side have these layouts.

    `accepted` is the matching of the release with the old side, `patch` that of the old and the new side.
    """
    release = Forms(accepted.old).form(layouts[0])
    rebase = _Rebase(accepted, patch, layouts)
    after = list(disagreements(release, rebase.form(release)))
    edited = {aspect for each in after for aspect in aspects(each.kind, each.writer, (each.second,))}
    # The default of a field that no bytes carry, and a header, are never hidden.
    brought = tuple(each for each in after if not each.is_unsent and each.kind is not Kind.HEADER)
    return Rebased(brought, frozenset(rebase.edited | edited))


def aspects(kind: Kind, writer: WriterSide, sides: Sequence[Side]) -> Iterator[Aspect]:
    """What an edit or a disagreement is of: that a side has no field in a place is one aspect, too."""
    if kind is Kind.FLEXIBLE:
        # It is an edit of the message, which shows at the end of each struct.
        yield None, kind
        return
    is_own = kind is Kind.DEFAULT or (kind is Kind.NULL and writer is not WriterSide.BOTH)
    for side in sides:
        declared = None if side.field is None else id(side.field)
        yield declared, kind if is_own else Kind.LENGTH


def aspects_of(edit: SpecEdit) -> Iterator[Aspect]:
    """What an edit is of, on both sides."""
    return aspects(edit.kind, edit.writer, (edit.old, edit.new))


class _Rebase:
    """Merges three layouts of a version; `edited` is what of the release is edited."""

    def __init__(self, accepted: Matching, patch: Matching, layouts: tuple[Layout, Layout, Layout]) -> None:
        self.accepted = accepted
        self.patch = patch
        self.layouts = layouts
        self.carried = [{field.field.written.order: field for field in side.walk()} for side in layouts]
        one, own, now = (side.flexible for side in layouts)
        self.is_flexible_edited = one == own != now
        self.edited: set[Aspect] = set()

    def form(self, release: WireForm) -> WireForm:
        """The form of the release with what the patch changes."""
        _, old, new = self.layouts
        sides = (
            release,
            Forms(old.message).form(old._replace(fields=self._outlined(old.fields, is_new=False))),
            Forms(new.message).form(new._replace(fields=self._outlined(new.fields, is_new=True))),
        )
        flexible = _merged(*(side.flexible for side in sides))
        body = self._sequence(*(side.body for side in sides))
        return release._replace(flexible=flexible, body=body)

    def _outlined(self, fields: Sequence[LayoutField], *, is_new: bool) -> tuple[LayoutField, ...]:
        """Fields with the tag of the release, or as arrays or nullable as there, if the old side differs."""
        outlined: list[LayoutField] = []
        for field in fields:
            own = field
            if field.fields is not None:
                own = own._replace(fields=self._outlined(field.fields, is_new=is_new))
            old = self._of_old(field) if is_new else field
            release = None if old is None else self._of_release(old)
            if old is not None and release is not None:
                if old.tag != release.tag:
                    own = own._replace(tag=release.tag)
                if None not in (release.fields, old.fields, field.fields) and _outline(old) != _outline(
                    release
                ):
                    own = own._replace(type=release.type, element=release.element, nullable=release.nullable)
            outlined.append(own)
        return tuple(sorted(outlined, key=lambda field: field.field.written.order))

    def _of_old(self, new: LayoutField) -> LayoutField | None:
        """The field of the old side that a field of the new side is."""
        old = self.patch.old_of.get(new.field.written.order)
        return None if old is None else self.carried[1].get(old.written.order)

    def _of_release(self, old: LayoutField) -> LayoutField | None:
        """The field of the release that a field of the old side is."""
        declared = self.accepted.old_of.get(old.field.written.order)
        release = None if declared is None else self.carried[0].get(declared.written.order)
        # Under another tag, or without one, only the name shows that it is the field.
        is_one = release is not None and (release.tag == old.tag or release.name == old.name)
        return release if is_one else None

    def _sequence(
        self, release: Sequenced, old: Sequenced, new: Sequenced, *, is_in_tag: bool = False
    ) -> Sequenced:
        names = {item.name[-1:] for item in release.items}
        in_release = _same_items(self.accepted, release, old, names, is_exact=True)
        in_old = _same_items(self.patch, old, new, names, is_exact=False)
        foreign = {at for at, item in enumerate(new.items) if self._is_foreign(item, new)}
        lasting = {at for at, item in enumerate(new.items) if self._is_lasting(item)}
        dropped = {own for own, item in enumerate(old.items) if self._is_dropped(item, old)}
        back = self._back(release, new)
        if self.is_flexible_edited:
            # Ends that the structs have for that are in the place of nothing.
            lasting |= {at for at, item in enumerate(new.items) if isinstance(item, SectionItem)}
        merge = _Merge((release, old, new), in_release, in_old, back, foreign, lasting, dropped)
        items = tuple(self._at(merge, place) for place in merge.places())
        for item in merge.removed():
            self._edit(item, old)
        for item in merge.moved:
            self._edit(item, new)
        structs = _merged_names(release.structs, old.structs, new.structs)
        absent = _merged_names(release.absent, old.absent, new.absent)
        is_as_before = sequences_agree(release, old, is_in_tag=is_in_tag)
        return new if is_as_before else Sequenced(items, absent, structs)

    def _back(self, release: Sequenced, new: Sequenced) -> Partners:
        """The items of the release that the new side has by name, or as the old side declares them."""
        of_name = {item.name: index for index, item in enumerate(release.items)}
        of_field = {
            item.field.field.written.order: index
            for index, item in enumerate(release.items)
            if item.field is not None
        }
        back: dict[int, int] = {}
        for at, item in enumerate(new.items):
            index = of_name.get(item.name)
            old = None if item.field is None else self.patch.old_of.get(item.field.field.written.order)
            field = None if old is None else self.accepted.old_of.get(old.written.order)
            if field is not None:
                index = of_field.get(field.written.order, index)
            if index is not None:
                back[at] = index
        return back

    def _is_foreign(self, item: Item, new: Sequenced) -> bool:
        """Whether an item of the new side is, or is in, what the old side has and the release does not."""
        for field in _fields_of(item, new):
            old = self._of_old(field)
            # Peers of the release skip a tag that they do not know: in line, it is new to them.
            if old is not None and old.tag is None and self._of_release(old) is None:
                # Under another name, it is another field to them, unless it keeps its place.
                return old.name == field.name
        return False

    def _is_lasting(self, item: Item) -> bool:
        """Whether all three have the field of an item of the new side, as whatever item."""
        old = None if item.field is None else self._of_old(item.field)
        return old is not None and self._of_release(old) is not None

    def _is_dropped(self, item: Item, old: Sequenced) -> bool:
        """Whether the new side lacks the field of an item of the old side."""
        partners = [self.patch.new_of.get(field.field.written.order) for field in _fields_of(item, old)[-1:]]
        return all(new is None or new.written.order not in self.carried[2] for new in partners)

    def _at(self, merge: "_Merge", place: "_Place") -> Item:
        release, old, new = merge.sides
        if place.release is None:
            assert place.new is not None
            item = new.items[place.new]
            self._edit(item, new)
            return item
        if place.old is None:
            return release.items[place.release]
        assert place.new is not None
        was, own, now = release.items[place.release], old.items[place.old], new.items[place.new]
        item = self._item(was, own, now)._replace(name=_merged_name(was.name, own.name, now.name))
        if now.field is not None:
            self.edited |= {(id(now.field.field), kind) for kind in _changes(was, item)}
        return item

    def _edit(self, item: Item, sequence: Sequenced) -> None:
        """Notes that an item is edited, and the structs around it that dissolve."""
        fields = (*_fields_of(item, sequence), item.field)
        self.edited |= {(id(field.field), Kind.LENGTH) for field in fields if field is not None}

    def _item(self, release: Item, old: Item, new: Item) -> Item:
        if not is_framed_alike(release, old):
            is_third = not is_framed_alike(old, new) and not is_framed_alike(release, new)
            return new if is_third and _is_widened(release, old, new) else release
        if not is_framed_alike(old, new):
            return new
        if isinstance(release, SectionItem):
            assert isinstance(old, SectionItem)
            assert isinstance(new, SectionItem)
            return self._section(release, old, new)
        assert not isinstance(old, SectionItem)
        assert not isinstance(new, SectionItem)
        field = _merged_field(release.field, old.field, new.field)
        merged = release._replace(field=field)
        if isinstance(merged, NullableStructItem):
            contents = (item.content for item in (release, old, new) if isinstance(item, NullableStructItem))
            return merged._replace(content=self._sequence(*contents))
        if isinstance(merged, NumberItem):
            return merged._replace(type=_merged(*(_type(item) for item in (release, old, new))))
        nullable = _merged(*(_is_nullable(item) for item in (release, old, new)))
        if isinstance(merged, BlobItem):
            kind = _merged(*(_type(item) for item in (release, old, new)))
            return merged._replace(type=kind, nullable=nullable)
        elements = (item.element for item in (release, old, new) if isinstance(item, ArrayItem))
        return merged._replace(nullable=nullable, element=self._sequence(*elements))

    def _section(self, release: SectionItem, old: SectionItem, new: SectionItem) -> SectionItem:
        tags: dict[int, Tagged] = {}
        rejected: dict[int, Field] = {}
        sides = release, old, new
        for tag in sorted({tag for side in sides for tag in (*side.tags, *side.rejected)}):
            was, own, now = (side.tags.get(tag) for side in sides)
            if now is not None and self._is_retagged(now, tag):
                tags[tag] = now
                self.edited.add((id(now.field.field), Kind.LENGTH))
            elif was is not None and own is not None and now is not None:
                tags[tag] = self._tagged(was, own, now)
            elif _merged(was is None, own is None, now is None):
                rejects = _merged(*(tag in side.rejected for side in sides))
                holder = next((side for side in (release, new) if tag in side.rejected), None)
                if rejects and holder is not None:
                    rejected[tag] = holder.rejected[tag]
            else:
                tagged = now if was is None else was
                assert tagged is not None
                tags[tag] = tagged
            if (tag in tags) != (was is not None) or (tag in rejected) != (tag in release.rejected):
                fields = [side.rejected[tag] for side in (old, new) if tag in side.rejected]
                fields += [each.field.field for each in (own, now) if each is not None]
                self.edited |= {(id(field), Kind.LENGTH) for field in fields}
        return release._replace(tags=tags, rejected=rejected)

    def _is_retagged(self, new: Tagged, tag: int) -> bool:
        """Whether the patch gives a field of the release a tag, whatever the old side has under it."""
        old = self._of_old(new.field)
        release = None if old is None else self._of_release(old)
        return release is not None and release.tag != tag

    def _tagged(self, release: Tagged, old: Tagged, new: Tagged) -> Tagged:
        field = _merged_field(release.field, old.field, new.field)
        if not is_same(release.field.default, field.default):
            self.edited.add((id(new.field.field), Kind.DEFAULT))
        if release.is_struct == old.is_struct == new.is_struct:
            content = self._sequence(release.content, old.content, new.content, is_in_tag=True)
        elif release.is_struct == old.is_struct:
            self.edited.add((id(new.field.field), Kind.LENGTH))
            content = new.content
        else:
            content = release.content
        return Tagged(_merged_name(release.name, old.name, new.name), field, content)


class _Place(NamedTuple):
    """The indexes of an item on the three sides; None for a side whose item does not count."""

    release: int | None
    old: int | None
    new: int | None


class _Merge:
    """The order of the items of three sequences: of the release, of the old side and of the new side.

    `in_release` has the indexes in the release of items of the old side, and `in_old` those in the old side
    of items of the new side. Items of the new side may be `back` in the release, or `foreign` to it; if all
    sides have the field of an item, as whatever item, it is `lasting`. Items of the old side whose fields the
    new side lacks are `dropped`.
    """

    def __init__(
        self,
        sides: tuple[Sequenced, Sequenced, Sequenced],
        in_release: Partners,
        in_old: Partners,
        back: Partners,
        foreign: Set[int],
        lasting: Container[int],
        dropped: Container[int],
    ) -> None:
        self.sides = sides
        named = {*_named(in_release, sides[1], sides[0]).values()}
        in_place = {*in_release.values()} - named
        self.back = {
            index: at
            for at, index in back.items()
            if at not in in_old
            and index not in named
            # What the old side has in its place is the field, rather than another type with its name.
            and (index not in in_place or is_framed_alike(sides[0].items[index], sides[2].items[at]))
        }
        self.in_release = {own: index for own, index in in_release.items() if index not in self.back}
        self.in_old = in_old
        self.old_of = {index: own for own, index in self.in_release.items()}
        self.new_of = {own: at for at, own in in_old.items()}
        self.foreign = foreign
        self.lasting = lasting
        self.dropped = dropped
        self.moved: list[Item] = []

    def places(self) -> Iterator[_Place]:
        """The merged items in their order: those of the release, and what the patch adds after them."""
        merged = self._of_release()
        number_of = {each.new: number for number, each in enumerate(merged) if each.new is not None}
        for number, each in enumerate(merged):
            if each.release in self.back:
                number_of[self.back[each.release]] = number
        added: dict[int, list[int]] = {}
        last = -1
        for at in range(len(self.sides[2].items)):
            if at in number_of:
                last = number_of[at]
            elif at in self._added:
                added.setdefault(last, []).append(at)
        for number in range(-1, len(merged)):
            if number >= 0:
                yield merged[number]
            yield from (_Place(None, None, at) for at in added.get(number, ()))

    def removed(self) -> Iterator[Item]:
        """The items that the patch removes from the release, as the old side has them."""
        for own in self.in_release:
            if own not in self.new_of and not self._is_other(own):
                yield self.sides[1].items[own]

    def _of_release(self) -> Sequence[_Place]:
        """The items of the release that the patch leaves, in the order that it gives them."""
        kept = [(own, index) for index, own in sorted(self.old_of.items()) if own in self.new_of]
        in_new_order = sorted(kept, key=lambda pair: self.new_of[pair[0]])
        # Two items that the release and the old side have in one order, and the new side in the other one.
        reversed_pairs = [
            (one, two) for one, two in pairwise(in_new_order) if one[0] > two[0] and one[1] > two[1]
        ]
        self.moved = [self.sides[2].items[self.new_of[own]] for pair in reversed_pairs for own, _ in pair]
        order = iter(in_new_order if reversed_pairs else kept)
        merged: list[_Place] = []
        for index in range(len(self.sides[0].items)):
            own = self.old_of.get(index)
            if own in self.new_of:
                own, of_release = next(order)
                merged.append(_Place(of_release, own, self.new_of[own]))
            elif own is None or self._is_other(own):
                merged.append(_Place(index, None, None))
        return merged

    @cached_property
    def _added(self) -> set[int]:
        """The items that the patch adds, but not in the place of what it drops and the release lacks.

        One item is in the place of another one, and the end of a struct in that of any.
        """
        gaps = _gaps(len(self.sides[1].items), self.new_of)
        replaced = Counter(gap for own, gap in gaps.items() if own in self.dropped and self._is_other(own))
        ignored = {*self.back.values(), *self.foreign}
        added: set[int] = set()
        for at, gap in _gaps(len(self.sides[2].items), self.in_old).items():
            place = self.in_old.get(gap, -1)
            if at in ignored:
                continue
            is_end = isinstance(self.sides[2].items[at], SectionItem)
            if at in self.lasting or (place not in replaced if is_end else not replaced[place]):
                added.add(at)
            else:
                replaced[place] -= 1
        return added

    def _is_other(self, own: int) -> bool:
        """Whether an item of the old side is not one of the release, or not in its form."""
        index = self.in_release.get(own)
        return index is None or not is_framed_alike(self.sides[0].items[index], self.sides[1].items[own])


def _fields_of(item: Item, sequence: Sequenced) -> list[LayoutField]:
    """The structs around an item that dissolve, from the outermost, and its own field.

    An element, or what a tag holds, has no field of its own, and is not in the struct that the tag is of.
    """
    around = [struct for name, struct in sequence.structs.items() if name and name == item.name[: len(name)]]
    return around if item.field is None or not item.name else [*around, item.field]


def _same_items(
    matching: Matching, first: Sequenced, second: Sequenced, names: Set[Name], *, is_exact: bool
) -> Partners:
    """The items of two sequences that are the same: by their names, otherwise by their place.

    A place is between as many items that keep their names; if `is_exact`, that of the declarations in their
    struct, or as many items after the last of them. Items with other names there are declared as the same, or
    have the same bytes.
    """
    one, other = first.items, second.items
    every = matching.partners(first, second)
    partners = {index: at for index, at in every.items() if one[at].name == other[index].name}
    declared = partners | {
        index: at for index, at in every.items() if _is_declared(matching, one[at], other[index])
    }
    if is_exact:
        partners |= {
            index: at for index, at in declared.items() if one[at].name[:-1] == other[index].name[:-1]
        }
    is_in_place = len(one) == len(other) and all(
        declared.get(index) == index or _is_alike(one[index], now) for index, now in enumerate(other)
    )
    if is_in_place:
        moved = (other[index].name[-1:] for index, at in _named(every, second, first).items() if index != at)
        if names.isdisjoint(moved):
            return {index: index for index in range(len(other))}
    named = {*partners.values()}, {*partners}
    for ours, theirs in zip(_between(len(one), named[0]), _between(len(other), named[1]), strict=True):
        if is_exact:
            places = {place: at for at, place in _in_struct(one, ours).items()}
            for index, place in _in_struct(other, theirs).items():
                at = places.get(place)
                if at is not None and (declared.get(index) == at or _is_alike(one[at], other[index])):
                    partners[index] = at
        else:
            partners |= _in_order(ours, theirs, declared, (first, second))
    return partners


def _named(partners: Partners, first: Sequenced, second: Sequenced) -> dict[int, int]:
    """The items with a partner of the same name."""
    return {
        index: at
        for index, at in partners.items()
        if first.items[index].name[-1:] == second.items[at].name[-1:]
    }


def _in_order(
    ours: Sequence[int], theirs: Sequence[int], declared: Partners, sides: tuple[Sequenced, Sequenced]
) -> Partners:
    """The items of two gaps that are declared as the same, and between these others with the same bytes.

    If the order of those differs, none is the same for being declared so.
    """
    places = {at: place for place, at in enumerate(ours)}
    anchors = {index: places[declared[index]] for index in theirs if declared.get(index) in places}
    if sorted(anchors.values()) != [*anchors.values()]:
        anchors = {}

    def is_alike(place: int, index: int) -> bool:
        return _is_alike(sides[0].items[ours[place]], sides[1].items[index])

    every = with_alike(anchors, len(ours), theirs, is_alike)
    return {index: ours[place] for index, place in every.items()}


def _is_alike(one: Item, other: Item) -> bool:
    """Whether two items have the same bytes; sections have the same place in their structs."""
    is_end = isinstance(one, SectionItem) and isinstance(other, SectionItem)
    return is_end or sequences_agree(Sequenced((one,), {}, {}), Sequenced((other,), {}, {}))


def _is_declared(matching: Matching, one: Item, other: Item) -> bool:
    return (
        one.field is not None
        and other.field is not None
        and matching.is_one(one.field.field, other.field.field)
    )


def _in_struct(items: Sequence[Item], gap: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The items of a gap, each with the number of structs around it, and its own among those with as many."""
    counts: Counter[int] = Counter()
    places: dict[int, tuple[int, int]] = {}
    for index in gap:
        depth = len(items[index].name)
        places[index] = depth, counts[depth]
        counts[depth] += 1
    return places


def _between(count: int, named: Container[int]) -> list[list[int]]:
    """The indexes before the first of some items, between each two of them, and after the last."""
    parts: list[list[int]] = [[]]
    for index in range(count):
        if index in named:
            parts.append([])
        else:
            parts[-1].append(index)
    return parts


def _gaps(count: int, partners: Container[int]) -> dict[int, int]:
    """The items without a partner, each with the last one before it that has one, -1 if there is none."""
    gaps: dict[int, int] = {}
    last = -1
    for index in range(count):
        if index in partners:
            last = index
        else:
            gaps[index] = last
    return gaps


Value = TypeVar("Value")
Named = TypeVar("Named", Absent, LayoutField)


def _merged(release: Value, old: Value, new: Value) -> Value:
    """What the new side has if release and old side are alike, otherwise what the release has."""
    return new if release == old else release


def _merged_field(release: LayoutField, old: LayoutField, new: LayoutField) -> LayoutField:
    field = new if release.field.type == old.field.type else release
    default = new.default if is_same(release.default, old.default) else release.default
    return field._replace(default=default)


def _merged_name(release: Name, old: Name, new: Name) -> Name:
    """The names of the structs around an item, and its own."""
    return *_merged(release[:-1], old[:-1], new[:-1]), *_merged(release[-1:], old[-1:], new[-1:])


def _merged_names(
    release: Mapping[Name, Named], old: Mapping[Name, Named], new: Mapping[Name, Named]
) -> Mapping[Name, Named]:
    """What the release has by name, with what the patch adds and without what it removes."""
    added = {name: each for name, each in new.items() if name not in old and name not in release}
    return {name: each for name, each in release.items() if name in new or name not in old} | added


def _is_widened(release: Item, old: Item, new: Item) -> bool:
    """Whether the old side has the values of a named field in another form, and the new side has the name."""
    if release.field is None or old.field is None or not release.name:
        return False
    is_named = release.name[-1] == old.name[-1] == new.name[-1]
    return is_named and value_kind(release.field.field) == value_kind(old.field.field)


def _changes(one: Item, other: Item) -> Iterator[Kind]:
    """What differs between two items by themselves, whatever is in them."""
    if not is_framed_alike(one, other) or _type(one) != _type(other):
        yield Kind.LENGTH
    elif _is_nullable(one) != _is_nullable(other):
        yield Kind.NULL
    if not is_same(_default(one), _default(other)):
        yield Kind.DEFAULT


def _outline(field: LayoutField) -> tuple[bool, bool]:
    """Whether a field is an array, and if not, whether it may be null."""
    return field.element is not None, field.element is None and field.nullable


def _default(item: Item) -> Json:
    return None if item.field is None else item.field.default


def _type(item: Item) -> str:
    return item.type if isinstance(item, NumberItem | BlobItem) else ""


def _is_nullable(item: Item) -> bool:
    return isinstance(item, BlobItem | ArrayItem) and item.nullable
