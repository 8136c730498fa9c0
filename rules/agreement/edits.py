"""Which edits of a spec bring its disagreements with another one at a version.

The relation decides, and stops where peers misread everything. A reviewer wants to know what to change, and
everything that has to be changed: so the layouts are compared once more, and the comparison goes on after
each difference, with the fields that their declarations make the same field on both sides (`rules/match.py`):
by name, or by the same tag or place in a common version and types with the same bytes. A field that keeps its
name but has other bytes is one edit of its type; of other names that differ, one is removed, the other added.
Which field is which is decided between each release and the new side, not through the old side. So releases
that name a field differently can bring several findings on it, one for each rule.

Nothing is decided here: versions that agree have no edits to look for.
"""

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from wirebook.rules.agreement.forms import (
    ArrayItem,
    Forms,
    Item,
    NullableStructItem,
    SectionItem,
    Sequenced,
    is_framed_alike,
)
from wirebook.rules.agreement.relation import (
    Disagreement,
    ItemPairs,
    Kind,
    Side,
    WriterSide,
    compared,
    compared_inside,
    disagreements,
    sequences_agree,
)
from wirebook.rules.match import RENAMED_FROM, in_order, longest_run
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.pairs.walk import structs
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import Layout, LayoutField, layout

NEAR = 50  # places in which a renamed field is searched for


FieldPairs = Iterable[tuple[Field, Field]]


class Matching:
    """Which declared fields of two specs of a message are the same field.

    `settled` are the old fields, by the order of their declarations, that are none but those of `pairs`.
    """

    def __init__(
        self, old: Message, new: Message, pairs: FieldPairs | None = None, settled: Container[int] = ()
    ) -> None:
        self.old = old
        self.new = new
        self.settled = settled
        self.pairs = tuple(_same_fields(old, new) if pairs is None else pairs)
        self.forms = Forms(old), Forms(new)
        self.new_of: dict[int, Field] = {}
        self.old_of: dict[int, Field] = {}
        for before, after in self.pairs:
            self.new_of.setdefault(before.written.order, after)
            self.old_of.setdefault(after.written.order, before)

    def then(self, later: "Matching") -> "Matching":
        """The matching of the old side with the new side of a later one, which begins where this one ends.

        The spec between decides which field is which; fields that it lacks are matched with each other.
        """
        latter: dict[int, list[Field]] = {}
        for before, after in later.pairs:
            latter.setdefault(before.written.order, []).append(after)
        pairs = [(one, after) for one, own in self.pairs for after in latter.get(own.written.order, ())]
        pairs += [
            (one, after)
            for one, after in _same_fields(self.old, later.new)
            if one.written.order not in self.new_of and after.written.order not in later.old_of
        ]
        return Matching(self.old, later.new, pairs, self.new_of)

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


def _same_fields(old: Message, new: Message) -> Iterator[tuple[Field, Field]]:
    for struct in structs(MessagePair(old, new)):
        for before, after in struct.pairs:
            if before is not None and after is not None and not takes_tag(before, after):
                yield before, after


def takes_tag(old: Field, new: Field) -> bool:
    """Whether a field has the tag of another one: no byte shows whether it is that field under a new name.

    `"x-renamed-from"` declares that it is.
    """
    former = new.written.unknown.get(RENAMED_FROM)
    names = former if isinstance(former, list) else [former]
    folded = {str(name).casefold() for name in (new.name, *names)}
    return old.tag is not None and old.tag == new.tag and old.name.casefold() not in folded


def seen_from(side: Side, layout: Layout, matching: Matching) -> Side | None:
    """One side of an edit as another spec has it, which agrees with the first; None if it lacks the field.

    `matching` is that of both specs, `layout` the layout of the other one.
    """
    if side.field is None:
        return side
    partner = matching.new_of.get(side.field.written.order)
    if partner is None or partner.type != side.field.type or partner.tag != side.field.tag:
        return None
    copies = [field for field in layout.walk() if field.field.written.order == partner.written.order]
    if (side.carried is None) != (not copies):
        return None
    own = next((field for field in copies if field.path == side.path), copies[0] if copies else None)
    above = side.path.rpartition(".")[0]
    path = own.path if own is not None else f"{above}.{partner.name}" if above else partner.name
    return Side(path, partner, own, side.above)


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


def edits(old: Layout, new: Layout, matching: Matching, *, is_deep: bool = False) -> Iterator[SpecEdit]:
    """The edits between two layouts of a version, in the order of the wire.

    A field that has another place, another tag, or becomes an array or a struct is one edit; `is_deep` adds
    what else differs in it.
    """
    if old.flexible == new.flexible:
        yield from _EditSearch(old, new, matching, is_deep).edits()
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
    for edit in _EditSearch(flexible, own, matching, is_deep).edits():
        # A field that is not flexible with its message has the bytes that it had before.
        now = edit.new.carried
        if (
            now is None
            or now.fields is not None
            or sent.get(edit.old.path) != (now.type, now.element, now.tag)
        ):
            yield edit


def reordered(accepted: Matching, patch: Matching, layouts: Sequence[Layout]) -> set[int]:
    """The fields that a patch brings into another order than a release and the old side have alike.

    `layouts` are those of the release, the old side and the new side. The fields are those of the new side,
    by the order of their declarations. Two sides do not show which of several fields moved: those did that
    are next to each other on the new side, and the other way round on both others.
    """
    places = [
        {
            field.field.written.order: (above, at)
            for at, (above, field) in enumerate(_in_sequences(side.fields))
        }
        for side in layouts[:2]
    ]
    moved: set[int] = set()
    last: dict[str, tuple[int, list[tuple[str, int]]]] = {}
    for above, field in _in_sequences(layouts[2].fields):
        order = field.field.written.order
        old = patch.old_of.get(order)
        first = None if old is None else accepted.old_of.get(old.written.order)
        if old is None or first is None:
            continue
        sides = zip(places, (first.written.order, old.written.order), strict=True)
        at = [side[former] for side, former in sides if former in side]
        if len(at) < len(places):
            continue
        previous, before = last.get(above, (order, at))
        if all(one[0] == two[0] and one[1] > two[1] for one, two in zip(before, at, strict=True)):
            moved |= {previous, order}
        last[above] = order, at
    return moved


def _in_sequences(fields: Sequence[LayoutField], above: str = "") -> Iterator[tuple[str, LayoutField]]:
    """The untagged fields of all sequences in the order of the wire, each with the path of its sequence."""
    for field in fields:
        is_dissolved = field.fields is not None and field.element is None and not field.nullable
        if field.tag is None and not is_dissolved:
            yield above, field
        is_same = field.tag is None and is_dissolved
        yield from _in_sequences(field.fields or (), above if is_same else field.path)


class _EditSearch:
    """Finds the edits between two layouts, which are flexible alike."""

    def __init__(self, old: Layout, new: Layout, matching: Matching, is_deep: bool) -> None:
        self.old = old
        self.new = new
        self.matching = matching
        self.is_deep = is_deep
        # What `_apart` leaves out: the pairs, their new paths, and the ids of their declarations.
        self.apart: list[tuple[LayoutField, LayoutField]] = []
        self.apart_paths: set[str] = set()
        self.apart_fields: set[int] = set()
        self.carried = _by_declaration(old), _by_declaration(new)
        self.taking = {
            (field.path.rpartition(".")[0], field.tag): field
            for field in new.walk()
            if field.tag is not None and field.field.written.order not in matching.old_of
        }
        self.by_path = tuple({field.path: field for field in side.walk()} for side in (old, new))

    def edits(self) -> Iterator[SpecEdit]:
        """The edits of structs as a whole, then all others."""
        whole: list[SpecEdit] = []
        fields = self._apart(self.old.fields, "", whole)
        yield from whole
        apart = [edit for edit in whole if edit.kind is not Kind.NULL]
        self.apart_paths = {edit.new.path for edit in apart}
        self.apart_fields = {id(side.field) for edit in apart for side in (edit.old, edit.new)}
        forms = (
            self.matching.forms[0].form(self.old._replace(fields=fields)),
            self.matching.forms[1].form(
                self.new._replace(fields=_without(self.new.fields, self.apart_paths))
            ),
        )
        for each in compared(*forms, self.pair_items, beyond_misreads=True):
            yield from self._shown(each)
        for field, now in self.apart if self.is_deep else ():
            yield from self._inside(field, now)

    def _shown(self, each: Disagreement) -> Iterator[SpecEdit]:
        """The edits that a disagreement shows."""
        if each.kind is Kind.TAG and not self.apart_fields.isdisjoint(
            map(id, (each.first.field, each.second.field))
        ):
            # The tags of fields that are apart are not in the forms; no peer rejects them.
            return
        edit = self.edit(each)
        yield edit
        if self.is_deep and edit.is_moved and edit.old.carried and edit.new.carried:
            yield from self._inside(edit.old.carried, edit.new.carried)

    def _inside(self, field: LayoutField, now: LayoutField) -> Iterator[SpecEdit]:
        """The edits of a field by itself, wherever either side has it."""
        one, other = self.matching.forms
        if now.fields is not None:
            now = now._replace(fields=_without(now.fields, self.apart_paths))
        if field.fields is not None and now.fields is not None and _outline(field) != _outline(now):
            sequences = one.inside(self.old, field), other.inside(self.new, now)
        else:
            sequences = one.content(self.old, field), other.content(self.new, now)
        for each in compared_inside((field, now), *sequences, self.pair_items):
            yield from self._shown(each)

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
            if taker is not None and not self.is_deep and self._differ(field, taker):
                whole.append(SpecEdit(Kind.TYPE, WriterSide.BOTH, _side(field), _side(taker), is_one=False))
                continue
            is_retagged = now is not None and field.tag != now.tag
            is_apart = is_retagged or (
                now is not None and _outline(field) != _outline(now) and self._differ(field, now)
            )
            own = field
            if field.fields is not None and (self.is_deep or not is_apart):
                path = field.path if now is None else now.path
                own = field._replace(fields=self._apart(field.fields, path, whole))
            if now is not None and is_apart:
                kind = Kind.NAME if is_retagged and None not in (field.tag, now.tag) else Kind.LENGTH
                whole.append(SpecEdit(kind, WriterSide.BOTH, _side(field), _side(now)))
                self.apart.append((own, now))
                continue
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
        partners = self._partners(first, second)
        is_aligned = len(one) == len(other) and all(map(is_framed_alike, one, other))
        if is_aligned and all(
            partners[index] == index
            if index in partners
            else index not in partners.values()
            and not self._is_settled(one[index])
            and _is_alike(one[index], other[index])
            for index in range(len(one))
        ):
            return [(index, index) for index in range(len(one))]
        order = sorted(partners)
        run = longest_run([partners[index] for index in order])
        anchors = {index: partners[index] for at, index in enumerate(order) if at in run}
        unmoved = {index: at for index, at in partners.items() if index == at}
        if is_aligned and len(unmoved) >= len(anchors):
            anchors = unmoved
        free = set(range(len(one))) - {*partners.values()}
        # What is between two of them, is no field of the other side, and reads alike is renamed.
        ends = [len(one)]
        for index in reversed(range(len(other))):
            ends.append(anchors.get(index, ends[-1]))
        ends.reverse()
        lowest = 0
        for index in range(len(other)):
            if index in anchors:
                lowest = anchors[index] + 1
            elif index not in partners and not self._is_known(other[index], 1):
                alike = (
                    at
                    for at in range(lowest, min(ends[index], lowest + NEAR))
                    if at in free
                    and not self._is_settled(one[at])
                    and not self._is_known(one[at], 0)
                    and _is_alike(one[at], other[index])
                )
                at = next(alike, None)
                if at is not None:
                    anchors[index] = at
                    lowest = at + 1
        return in_order(range(len(one)), range(len(other)), anchors)

    def _partners(self, first: Sequenced, second: Sequenced) -> dict[int, int]:
        """The indexes of new items, each with that of the old item of the same field or struct.

        A shared struct has several copies of its fields: first, each is the copy of the same name.
        """
        partners: dict[int, int] = {}
        for stage in ("copy", "declared", "name", "last name"):

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
                own = None if item.field is None else self.matching.old_of.get(item.field.field.written.order)
                order = -1 if item.field is None else -2 if own is None else own.written.order
                at = candidates.pop(key(item, order), None)
                if at is not None:
                    partners[index] = at
        return partners

    def _is_settled(self, item: Item) -> bool:
        return item.field is not None and item.field.field.written.order in self.matching.settled

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
        if each.kind is Kind.LOST or (each.kind is Kind.DEFAULT and old.carried is new.carried is None):
            return plain
        is_named = old.field.name == new.field.name and _is_in_line(old) and _is_in_line(new)
        if is_named or self.matching.is_one(old.field, new.field):
            if each.kind is Kind.TAG:
                # The side that rejects the tag may carry the field without it.
                now, before = self._now(old, new.above), self._before(new, old.above)
                return plain._replace(new=now) if new.carried is None else plain._replace(old=before)
            is_array = old.field.is_array, new.field.is_array
            # A marker of null and a length are no two forms of one field, nullable or not.
            return (
                plain._replace(kind=Kind.LENGTH) if each.is_misread and is_array[0] != is_array[1] else plain
            )
        # The fields are not one: what became of either says what the edit is.
        after, before = self._now(old, new.above), self._before(new, old.above)
        if after.field is not None and old.carried is not None:
            return plain._replace(new=after)
        if before.field is not None and new.carried is not None:
            return plain._replace(old=before)
        tags = [None if side.carried is None else side.carried.tag for side in (old, new)]
        is_tag = each.kind is Kind.TAG or (tags[0] is not None and tags[0] == tags[1])
        return plain._replace(is_one=not is_tag)

    def _outermost(self, side: Side, number: int) -> Side:
        """The struct around a field that only one side has, if the other side has no such struct.

        The fields of a shared struct that another field still uses are declared on both sides: each of them
        is an edit beside that of the struct.
        """
        partners = (self.matching.new_of, self.matching.old_of)[number]
        if side.field is None or side.field.written.order in partners:
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
