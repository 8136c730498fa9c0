"""Which edits of a spec bring its disagreements with another one at a version.

The relation decides, and stops where peers misread everything. A reviewer wants to know what to change, and
everything that has to be changed: so the layouts are compared once more, and the comparison goes on after
each difference, with the fields that are the same field on both sides by their declarations (`pairs.match`).
Nothing is decided here: versions that agree have no edits to look for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from wirebook.rules.agreement.forms import Section, Sequenced, form_of, is_framed_alike
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, Steps, Writer, compared
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.pairs.match import in_order, longest_run
from wirebook.rules.pairs.walk import structs
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import Layout, LayoutField, layout

RENAMED_FROM = "x-renamed-from"


class Matching:
    """Which declared fields of two specs of a message are the same field."""

    def __init__(self, old: Message, new: Message) -> None:
        self.new_of: dict[int, Field] = {}
        self.old_of: dict[int, Field] = {}
        for struct in structs(MessagePair(old, new)):
            for before, after in struct.pairs:
                if before is None or after is None or takes_tag(before, after):
                    continue
                self.new_of.setdefault(before.written.order, after)
                self.old_of.setdefault(after.written.order, before)

    def is_one(self, old: Field, new: Field) -> bool:
        """Whether two fields are the same field."""
        return self.new_of.get(old.written.order) is new or self.old_of.get(new.written.order) is old


def takes_tag(old: Field, new: Field) -> bool:
    """Whether a field has the tag of another one: no byte shows whether it is that field under a new name.

    `"x-renamed-from"` declares that it is.
    """
    former = new.written.unknown.get(RENAMED_FROM)
    names = former if isinstance(former, list) else [former]
    return old.tag is not None and old.tag == new.tag and old.name not in (new.name, *names)


@dataclass(frozen=True, slots=True)
class Edit:
    """What differs between two specs at one place of a version.

    `old` or `new` has no field if that side declares none for it. `is_one` is whether both are one field;
    otherwise the new one has taken the tag of the old one. `is_moved` is whether the field is at another
    place.
    """

    kind: Kind
    writer: Writer
    old: Side
    new: Side
    is_one: bool = True
    is_moved: bool = False


def edits(old: Layout, new: Layout, matching: Matching) -> Iterator[Edit]:
    """The edits between two layouts of a version, in the order of the wire."""
    if old.flexible != new.flexible:
        yield Edit(Kind.FLEXIBLE, Writer.BOTH, Side("", None), Side("", None))
        flexible = replace(old.message, flexible_versions=new.message.flexible_versions)
        try:
            old = layout(flexible, old.version)._replace(header_version=old.header_version)
        except InputError:
            # Tagged fields have no place in a non-flexible version; nothing else can be told apart then.
            return
        new = new._replace(header_version=old.header_version)
    search = _Search(old, new, matching)
    fields = search.markers_aside(old.fields)
    yield from search.markers
    forms = form_of(old._replace(fields=fields)), form_of(new)
    for each in compared(*forms, search.align, resumes=True):
        yield search.edit(each)


class _Search:
    """Finds the edits between two layouts."""

    def __init__(self, old: Layout, new: Layout, matching: Matching) -> None:
        self.matching = matching
        self.markers: list[Edit] = []
        self.carried: tuple[Mapping[int, LayoutField], Mapping[int, LayoutField]] = (
            {field.field.written.order: field for field in reversed(list(old.walk()))},
            {field.field.written.order: field for field in reversed(list(new.walk()))},
        )

    def markers_aside(self, fields: tuple[LayoutField, ...]) -> tuple[LayoutField, ...]:
        """The old fields, their structs nullable where the new ones are; each difference is a marker."""
        kept = []
        for field in fields:
            own = field
            if field.fields is not None:
                own = field._replace(fields=self.markers_aside(field.fields))
            partner = self.matching.new_of.get(field.field.written.order)
            now = None if partner is None else self.carried[1].get(partner.written.order)
            if now is not None and _is_struct(field) and _is_struct(now) and field.nullable != now.nullable:
                sides = Side(field.path, field.field, field), Side(now.path, now.field, now)
                self.markers.append(Edit(Kind.NULL, Writer.BOTH, *sides))
                own = own._replace(nullable=now.nullable)
            kept.append(own)
        return tuple(kept)

    def align(self, first: Sequenced, second: Sequenced) -> Steps:
        """The items that belong together: all in their order if peers are never at another byte."""
        one, other = first.items, second.items
        partners = self._partners(first, second)
        is_in_step = len(one) == len(other) and all(map(is_framed_alike, one, other))
        if is_in_step and all(index == at for index, at in partners.items()):
            return [(index, index) for index in range(len(one))]
        order = sorted(partners)
        run = longest_run([partners[index] for index in order])
        kept = {index: partners[index] for at, index in enumerate(order) if at in run}
        free = set(range(len(one))) - {*partners.values()}
        # What is between two of them and reads alike is renamed.
        lowest = 0
        for index in range(len(other)):
            if index in kept:
                lowest = kept[index] + 1
            elif index not in partners:
                highest = min((at for place, at in kept.items() if place > index), default=len(one))
                alike = (
                    at
                    for at in range(lowest, highest)
                    if at in free and is_framed_alike(one[at], other[index])
                )
                at = next(alike, None)
                if at is not None:
                    kept[index] = at
                    lowest = at + 1
        return in_order(range(len(one)), range(len(other)), kept)

    def _partners(self, first: Sequenced, second: Sequenced) -> dict[int, int]:
        """The indexes of new items, each with that of the old item of the same field or struct."""
        partners: dict[int, int] = {}
        for stage in ("declared", "name", "last name"):
            taken = {*partners.values()}
            known: dict[object, int] = {}
            for index, item in reversed(list(enumerate(first.items))):
                if index not in taken:
                    order = -1 if item.field is None else item.field.field.written.order
                    whole = item.name if stage == "name" else item.name[-1:]
                    known[type(item) is Section, order if stage == "declared" else whole] = index
            for index, item in enumerate(second.items):
                if index in partners:
                    continue
                own = None if item.field is None else self.matching.old_of.get(item.field.field.written.order)
                order = -1 if item.field is None else -2 if own is None else own.written.order
                whole = item.name if stage == "name" else item.name[-1:]
                at = known.pop((type(item) is Section, order if stage == "declared" else whole), None)
                if at is not None:
                    partners[index] = at
        return partners

    def edit(self, each: Disagreement) -> Edit:
        """The edit that a disagreement shows."""
        plain = Edit(each.kind, each.writer, each.first, each.second)
        old, new = each.first, each.second
        if old.field is None and new.field is None:
            return plain
        if old.field is not None and new.field is not None:
            is_moved = each.kind is Kind.NAME
            is_named = old.field.name == new.field.name and _are_in_line(old, new)
            if is_named or self.matching.is_one(old.field, new.field):
                return replace(plain, is_moved=is_moved)
            if is_moved or (each.kind is Kind.DEFAULT and old.carried is new.carried is None):
                return replace(plain, is_moved=is_moved)
            after, before = self._now(old), self._before(new)
            if after.field is not None:
                return replace(plain, new=after)
            if before.field is not None:
                return replace(plain, old=before)
            is_tag = each.kind is Kind.TAG or (old.carried is not None and old.carried.tag is not None)
            return replace(plain, is_one=not is_tag)
        if new.field is None:
            after = self._now(old)
            return replace(plain, new=after, is_moved=_are_in_line(old, after))
        before = self._before(new)
        return replace(plain, old=before, is_moved=_are_in_line(before, new))

    def _now(self, old: Side) -> Side:
        assert old.field is not None
        return self._other(old, self.matching.new_of.get(old.field.written.order), self.carried[1])

    def _before(self, new: Side) -> Side:
        assert new.field is not None
        return self._other(new, self.matching.old_of.get(new.field.written.order), self.carried[0])

    def _other(self, side: Side, partner: Field | None, carried: Mapping[int, LayoutField]) -> Side:
        if partner is None:
            return Side("", None)
        there = carried.get(partner.written.order)
        above = side.path.rpartition(".")[0]
        path = there.path if there is not None else f"{above}.{partner.name}" if above else partner.name
        return Side(path, partner, there)


def _are_in_line(old: Side, new: Side) -> bool:
    """Whether both sides carry the field, and neither under a tag."""
    return all(side.carried is not None and side.carried.tag is None for side in (old, new))


def _is_struct(field: LayoutField) -> bool:
    return field.fields is not None and field.element is None
