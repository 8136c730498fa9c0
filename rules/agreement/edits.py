"""Which edits of a spec bring its disagreements with another one at a version.

The relation decides, and stops where peers misread everything. A reviewer wants to know what to change, and
everything that has to be changed: so the layouts are compared once more, and the comparison goes on after
each difference, with the fields that their declarations make the same field on both sides (`rules/match.py`):
by name, or by the same tag or place in a common version and types with the same bytes. A field that keeps its
name but has other bytes is one edit of its type; of other names that differ, one is removed, the other added.

Nothing is decided here: versions that agree have no edits to look for.
"""

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from wirebook.rules.agreement.forms import (
    ArrayItem,
    Forms,
    Item,
    NullableStructItem,
    SectionItem,
    Sequenced,
    WireForm,
    is_framed_alike,
)
from wirebook.rules.agreement.relation import (
    Disagreement,
    ItemPairs,
    Kind,
    Side,
    WriterSide,
    compared,
    disagreements,
    sequences_agree,
)
from wirebook.rules.match import in_order, longest_run
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.pairs.walk import structs
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import Layout, LayoutField, layout

NEAR = 50  # places in which a renamed field is searched for

# What a patch edits: the id of a declaration, None where a side has no field, and whether it is the null, the
# default or the field as a whole.
Aspect = tuple[int | None, Kind]

# The indexes of the items of one sequence, each with that of the same item of another one.
Partners = Mapping[int, int]


class Matching:
    """Which declared fields of two specs of a message are the same field.

    A field that takes the tag of another one is not the same.
    """

    def __init__(self, old: Message, new: Message) -> None:
        self.old = old
        self.new = new
        self.pairs = tuple(pair for pair in _same_fields(old, new) if not takes_tag(*pair))
        self.forms = Forms(old), Forms(new)
        self.new_of: dict[int, Field] = {}
        self.old_of: dict[int, Field] = {}
        for before, after in self.pairs:
            self.new_of.setdefault(before.written.order, after)
            self.old_of.setdefault(after.written.order, before)

    @cached_property
    def sent_after(self) -> tuple[Mapping[int, str], Mapping[int, str]]:
        """After which field of its struct an untagged field is sent, for each side (see StructPair)."""
        after: tuple[dict[int, str], dict[int, str]] = ({}, {})
        for struct in structs(MessagePair(self.old, self.new)):
            for side, names in zip(struct.sent_after, after, strict=True):
                for order, name in side.items():
                    names.setdefault(order, name)
        return after

    def is_one(self, old: Field, new: Field) -> bool:
        """Whether two fields are the same field."""
        return self.new_of.get(old.written.order) is new or self.old_of.get(new.written.order) is old

    def partners(self, first: Sequenced, second: Sequenced) -> dict[int, int]:
        """The indexes of new items, each with that of the old item of the same field or struct.

        A shared struct has several copies of its fields: first, each is the copy of the same name.
        """
        partners: dict[int, int] = {}
        most = min(len(first.items), len(second.items))
        for stage in ("copy", "declared", "name", "last name"):
            if len(partners) == most:
                break

            def key(item: Item, order: int, stage: str = stage) -> Hashable:
                names = {"copy": item.name, "declared": None, "name": item.name, "last name": item.name[-1:]}
                declared = order if stage in ("copy", "declared") else None
                return type(item) is SectionItem, declared, names[stage]

            used = {*partners.values()}
            candidates: dict[Hashable, int] = {}
            for index, item in reversed(list(enumerate(first.items))):
                if index not in used:
                    order = -1 if item.field is None else item.field.field.written.order
                    candidates[key(item, order)] = index
            for index, item in enumerate(second.items):
                if index in partners:
                    continue
                own = None if item.field is None else self.old_of.get(item.field.field.written.order)
                order = -2 if own is None else own.written.order
                at = candidates.pop(key(item, order), None)
                if at is not None:
                    partners[index] = at
        return partners


def _same_fields(old: Message, new: Message) -> Iterator[tuple[Field, Field]]:
    for struct in structs(MessagePair(old, new)):
        for before, after in struct.pairs:
            if before is not None and after is not None:
                yield before, after


def takes_tag(old: Field, new: Field) -> bool:
    """Whether a field has the tag of another one: no byte shows whether it is that field under a new name."""
    return old.tag is not None and old.tag == new.tag and old.name.casefold() != new.name.casefold()


class SpecEdit(NamedTuple):
    """What differs between two specs at one place of a version.

    `old` or `new` has no field if that side declares none for it. `is_one` is whether both are one field;
    otherwise the new one has taken the tag of the old one. `is_moved` is whether the field is at another
    place.
    """

    kind: Kind
    writer: WriterSide
    old: Side
    new: Side
    is_one: bool = True
    is_moved: bool = False


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


def edits(
    old: Layout, new: Layout, matching: Matching, forms: tuple[WireForm, WireForm] | None = None
) -> Iterator[SpecEdit]:
    """The edits between two layouts of a version, in the order of the wire.

    `forms` are those of the layouts, which are built if they are None. A field that has another place,
    another tag, or becomes an array or a struct is one edit, whatever else differs in it.
    """
    if old.flexible == new.flexible:
        yield from _EditSearch(old, new, matching).edits(forms)
        return
    yield SpecEdit(Kind.FLEXIBLE, WriterSide.BOTH, Side("", None), Side("", None))
    message = old.message._replace(flexible_versions=new.message.flexible_versions)
    try:
        flexible = layout(message, old.version)._replace(header_version=old.header_version)
    except InputError:
        # Tagged fields have no place in a non-flexible version; nothing else can be told apart then.
        return
    sent = {field.path: (field.type, field.element, field.tag) for field in old.walk()}
    own = new._replace(header_version=old.header_version)
    for edit in _EditSearch(flexible, own, matching).edits():
        # A field that is not flexible with its message has the bytes that it had before.
        now = edit.new.carried
        if (
            now is None
            or now.fields is not None
            or sent.get(edit.old.path) != (now.type, now.element, now.tag)
        ):
            yield edit


class _EditSearch:
    """Finds the edits between two layouts, which are flexible alike."""

    def __init__(self, old: Layout, new: Layout, matching: Matching) -> None:
        self.old = old
        self.new = new
        self.matching = matching
        self.carried = _by_declaration(old), _by_declaration(new)

    @cached_property
    def taking(self) -> Mapping[tuple[str, int], LayoutField]:
        """The tagged fields of the new side that are no field of the old one, by struct and tag."""
        return {
            (field.path.rpartition(".")[0], field.tag): field
            for field in self.new.walk()
            if field.tag is not None and field.field.written.order not in self.matching.old_of
        }

    @cached_property
    def by_path(self) -> Sequence[Mapping[str, LayoutField]]:
        """The fields of both sides."""
        return tuple({field.path: field for field in side.walk()} for side in (self.old, self.new))

    def edits(self, forms: tuple[WireForm, WireForm] | None = None) -> Iterator[SpecEdit]:
        """The edits of structs as a whole, then all others; `forms` are those of the layouts, if known."""
        whole: list[SpecEdit] = []
        fields = self._apart(self.old.fields, "", whole)
        yield from whole
        apart = [edit for edit in whole if edit.kind is not Kind.NULL]
        paths = {edit.new.path for edit in apart}
        declared = {id(side.field) for edit in apart for side in (edit.old, edit.new)}
        if whole or forms is None:
            one, other = self.matching.forms
            forms = (
                one.form(self.old._replace(fields=fields)),
                other.form(self.new._replace(fields=_without(self.new.fields, paths))),
            )
        for each in compared(*forms, self.pair_items, beyond_misreads=True):
            # The tags of fields that are apart are not in the forms; no peer rejects them.
            if each.kind is not Kind.TAG or declared.isdisjoint(
                map(id, (each.first.field, each.second.field))
            ):
                yield self.edit(each)

    def _apart(
        self, fields: Sequence[LayoutField], above: str, whole: list[SpecEdit]
    ) -> tuple[LayoutField, ...]:
        """The old fields, without those that get another tag, or become arrays or structs, or the reverse.

        `above` is the new path of the struct. The structs that remain are nullable as the new ones are: each
        other marker is an edit, too.
        """
        remaining = []
        for field in fields:
            now = self._same(field)
            taker = None if now is not None or field.tag is None else self.taking.get((above, field.tag))
            if taker is not None and self._differ(field, taker):
                whole.append(SpecEdit(Kind.TYPE, WriterSide.BOTH, _side(field), _side(taker), is_one=False))
                continue
            is_retagged = now is not None and field.tag != now.tag
            is_apart = is_retagged or (
                now is not None and _outline(field) != _outline(now) and self._differ(field, now)
            )
            if now is not None and is_apart:
                kind = Kind.NAME if is_retagged and None not in (field.tag, now.tag) else Kind.LENGTH
                whole.append(SpecEdit(kind, WriterSide.BOTH, _side(field), _side(now)))
                continue
            own = field
            if field.fields is not None:
                path = field.path if now is None else now.path
                own = field._replace(fields=self._apart(field.fields, path, whole))
            if now is not None and _outline(field) == (True, False) and field.nullable != now.nullable:
                whole.append(SpecEdit(Kind.NULL, WriterSide.BOTH, _side(field), _side(now)))
                own = own._replace(nullable=now.nullable)
            remaining.append(own)
        return tuple(remaining)

    def _same(self, field: LayoutField) -> LayoutField | None:
        """The field of the new layout that is the same field, in the same struct if that is shared."""
        partner = self.matching.new_of.get(field.field.written.order)
        candidates = [] if partner is None else self.carried[1].get(partner.written.order, [])
        return next(
            (now for now in candidates if now.path == field.path),
            candidates[0] if len(candidates) == 1 else None,
        )

    def _differ(self, field: LayoutField, now: LayoutField) -> bool:
        """Whether the bytes of two fields differ by themselves."""
        one, other = self.matching.forms
        forms = one.form(self.old._replace(fields=(field,))), other.form(self.new._replace(fields=(now,)))
        return any(each.kind is not Kind.HEADER for each in disagreements(*forms))

    def pair_items(self, first: Sequenced, second: Sequenced) -> ItemPairs:
        """The items that belong together: all in their order if peers are never at another byte."""
        one, other = first.items, second.items
        partners = self.matching.partners(first, second)
        is_aligned = len(one) == len(other) and all(map(is_framed_alike, one, other))
        if is_aligned and all(
            partners[index] == index
            if index in partners
            else index not in partners.values() and _is_alike(one[index], other[index])
            for index in range(len(one))
        ):
            return [(index, index) for index in range(len(one))]
        order = sorted(partners)
        # What leaves or enters a struct has moved, rather than what it passes.
        steady = {at for at, index in enumerate(order) if one[partners[index]].name == other[index].name}
        run = longest_run([partners[index] for index in order], steady)
        anchors = {index: partners[index] for at, index in enumerate(order) if at in run}
        unmoved = {index: at for index, at in partners.items() if index == at}
        if is_aligned and len(unmoved) >= len(anchors):
            anchors = unmoved
        partnered = {*partners.values()}

        def is_renamed(at: int, index: int) -> bool:
            """Whether two items are fields that the other side lacks, and that read alike."""
            if index in partners or at in partnered or self._is_known(other[index], 1):
                return False
            return not self._is_known(one[at], 0) and _is_alike(one[at], other[index])

        every = with_alike(anchors, len(one), range(len(other)), is_renamed)
        return in_order(range(len(one)), range(len(other)), every)

    def _is_known(self, item: Item, side: int) -> bool:
        """Whether the other side carries the field of an item, too."""
        if item.field is None:
            return False
        partners = (self.matching.new_of, self.matching.old_of)[side]
        partner = partners.get(item.field.field.written.order)
        return partner is not None and partner.written.order in self.carried[1 - side]

    def edit(self, each: Disagreement) -> SpecEdit:
        """The edit that a disagreement shows."""
        plain = SpecEdit(each.kind, each.writer, each.first, each.second)
        old, new = each.first, each.second
        if old.field is None and new.field is None:
            return plain
        if old.field is None or new.field is None:
            old, new = self._outermost(old, 0), self._outermost(new, 1)
            sides = (
                (old, self._now(old, new.above)) if new.field is None else (self._before(new, old.above), new)
            )
            return (
                _moved(plain, *sides)
                if all(map(_is_in_line, sides))
                else plain._replace(old=sides[0], new=sides[1])
            )
        if each.kind is Kind.NAME:
            return plain._replace(is_moved=True)
        if each.kind is Kind.LOST or each.is_unsent:
            return plain
        is_named = old.field.name == new.field.name and _is_in_line(old) and _is_in_line(new)
        if is_named or self.matching.is_one(old.field, new.field):
            if each.kind is Kind.TAG:
                # The side that rejects the tag may carry the field without it.
                now, before = self._now(old, new.above), self._before(new, old.above)
                return plain._replace(new=now) if new.carried is None else plain._replace(old=before)
            # A marker of null and a length are no two forms of one field, nullable or not.
            is_retyped = old.field.is_array != new.field.is_array
            return plain._replace(kind=Kind.LENGTH) if is_retyped else plain
        # The fields are not one: what became of either says what the edit is.
        after, before = self._now(old, new.above), self._before(new, old.above)
        if after.field is not None and old.carried is not None:
            return plain._replace(new=after)
        if before.field is not None and new.carried is not None:
            return plain._replace(old=before)
        is_tag = each.kind is Kind.TAG or (old.carried is not None and old.carried.tag is not None)
        return plain._replace(is_one=not is_tag)

    def _outermost(self, side: Side, number: int) -> Side:
        """The struct around a field that only one side has, if the other side has no such struct."""
        partners = (self.matching.new_of, self.matching.old_of)[number]
        if side.field is None:
            return side
        below = side.path.removeprefix(side.above).strip(".").split(".")
        for length in range(1, len(below)):
            path = ".".join(filter(None, (side.above, *below[:length])))
            around = self.by_path[number].get(path)
            if around is not None and around.field.written.order not in partners:
                return Side(path, around.field, around, side.above)
        return side

    def _now(self, old: Side, above: str) -> Side:
        assert old.field is not None
        return self._other(old, self.matching.new_of.get(old.field.written.order), above, 1)

    def _before(self, new: Side, above: str) -> Side:
        assert new.field is not None
        return self._other(new, self.matching.old_of.get(new.field.written.order), above, 0)

    def _other(self, side: Side, partner: Field | None, above: str, number: int) -> Side:
        """The same field on the other side, in the sequence of items below a path."""
        if partner is None:
            return Side("", None)
        fields = self.carried[number].get(partner.written.order, ())
        is_bare = side.path == side.above  # an element, or all that a tag holds: no field beside others
        own = next(
            (
                field
                for field in fields
                if (field.path == above if is_bare else self._is_item(field.path, above, number))
            ),
            None,
        )
        if own is not None:
            return Side(own.path, partner, own)
        if fields:
            # Another struct has it.
            return Side("", None)
        parent = side.path.rpartition(".")[0]
        return Side(f"{parent}.{partner.name}" if parent else partner.name, partner)

    def _is_item(self, path: str, above: str, number: int) -> bool:
        """Whether a field is in the sequence of a path: the structs between dissolve."""
        if path == above:
            return True
        if above and not path.startswith(f"{above}."):
            return False
        parent = path.rpartition(".")[0]
        while parent != above:
            around = self.by_path[number][parent]
            if around.element is not None or around.nullable or around.tag is not None:
                return False
            parent = parent.rpartition(".")[0]
        return True


def with_alike(
    anchors: Partners, count: int, indexes: Sequence[int], is_alike: Callable[[int, int], bool]
) -> Partners:
    """Some indexes with their places among `count` others, and between each two of them those that are alike.

    Nothing but the anchors is more than NEAR places behind the last one that has a partner.
    """
    ends = [count]
    for index in reversed(indexes):
        ends.append(anchors.get(index, ends[-1]))
    partners: dict[int, int] = {}
    lowest = 0
    for index, end in zip(indexes, reversed(ends), strict=False):
        places = (place for place in range(lowest, min(end, lowest + NEAR)) if is_alike(place, index))
        place = anchors[index] if index in anchors else next(places, None)
        if place is not None:
            partners[index] = place
            lowest = place + 1
    return partners


def _is_alike(one: Item, other: Item) -> bool:
    """Whether two items may be one field under another name: arrays and structs have to agree inside."""
    if isinstance(one, ArrayItem | NullableStructItem):
        return sequences_agree(Sequenced((one,), {}, {}), Sequenced((other,), {}, {}))
    return is_framed_alike(one, other)


def _moved(plain: SpecEdit, old: Side, new: Side) -> SpecEdit:
    return plain._replace(kind=Kind.NAME, old=old, new=new, is_moved=True)


def _by_declaration(layout: Layout) -> Mapping[int, Sequence[LayoutField]]:
    """The fields of a layout by the order of their declaration; that of a shared struct has several."""
    fields: dict[int, list[LayoutField]] = {}
    for field in layout.walk():
        fields.setdefault(field.field.written.order, []).append(field)
    return fields


def _without(fields: Sequence[LayoutField], paths: Container[str]) -> tuple[LayoutField, ...]:
    return tuple(
        field if field.fields is None else field._replace(fields=_without(field.fields, paths))
        for field in fields
        if field.path not in paths
    )


def _outline(field: LayoutField) -> tuple[bool, bool]:
    """Whether a field has structs, and whether it is an array."""
    return field.fields is not None, field.element is not None


def _side(field: LayoutField) -> Side:
    return Side(field.path, field.field, field)


def _is_in_line(side: Side) -> bool:
    """Whether a side carries the field, and not under a tag."""
    return side.carried is not None and side.carried.tag is None
