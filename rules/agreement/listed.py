"""The values that specs and tables list for a field, paired by the place that it has on the wire.

Names are not on the wire, and one that a field or a message gives up may belong to another one in the same
patch. So what a release or the old side lists for a field is compared, version by version, with what the new
side lists for the field whose bytes are in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from wirebook.rules.agreement.edits import Matching
from wirebook.rules.agreement.forms import bounds
from wirebook.rules.match import bytes_of, match_messages
from wirebook.rules.pairs.freezing import Frozen
from wirebook.rules.pairs.kinds import NOT_RELEASED
from wirebook.rules.pairs.numbers import Number
from wirebook.rules.pairs.tables import (
    ErrorsPair,
    Tables,
    TablesPair,
    ValuesPair,
    deprecated_in,
    errors_pair,
    place_in_table,
)
from wirebook.rules.severity import Place
from wirebook.specs.model import Field, Message, Protocol, Value
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.values import ListedValue
from wirebook.specs.wire.layout import Layout, LayoutField, Layouts


def table_pairs(
    tables: Sequence[TablesPair], old: Protocol | None, new: Protocol, frozen: Frozen, everything: bool
) -> Iterator[ErrorsPair | ValuesPair]:
    """What rules judge of error codes, and of the values in tables and specs: a pair for each field."""
    for each in tables:
        if each.old.errors is not None or each.new.errors is not None:
            yield errors_pair(each, frozen)
    yield from _Values(tables, old or Protocol(()), new, frozen, everything).pairs()


class _Listed(NamedTuple):
    """What is listed for a field: its numbers, its place, and all fields of its set.

    In a spec, these are those with the same place, which is in a shared struct. If the new side lacks the
    table, `deleted` is the place of its first field.
    """

    numbers: tuple[Number, ...]
    place: Place
    fields: tuple[str, ...]
    in_spec: bool = False
    deleted: Place | None = None


# What a table lists, by message and path.
_Fields = Mapping[str, Mapping[str, _Listed]]
_Paths = Mapping[str, str]
_NOWHERE = Place("", 1, 1)


class _Held(NamedTuple):
    """A spec of a message with what tables list for its fields; `release` is "" for the old or new side."""

    message: Message
    table: _Fields
    release: str = ""


# What is listed for a field in some versions, and in others.
_Runs = list[tuple[Sequence[int], _Listed]]


class _Group:
    """What is listed on all sides for a field of the new side, or for what was in its place."""

    def __init__(self) -> None:
        self.now: _Runs = []
        self.own: _Runs = []
        self.released: dict[int, _Runs] = {}


class _Values:
    """Pairs what both sides and releases list for the fields of each message."""

    def __init__(
        self, tables: Sequence[TablesPair], old: Protocol, new: Protocol, frozen: Frozen, everything: bool
    ) -> None:
        self.everything = everything
        self.frozen = frozen
        self.before: _Fields = {}
        self.after: _Fields = {}
        for pair in sorted(tables, key=lambda each: each.moved is not None):
            before, after = _listed(pair.old, is_deleted=pair.new.values is None), _listed(pair.new)
            others = (self.before.keys() | self.after.keys()) - (pair.moved or frozenset())
            self.before = {**{name: self.before[name] for name in self.before if name in others}, **before}
            self.after = {**{name: self.after[name] for name in self.after if name in others}, **after}
        self.released = [(each.release, _listed(each)) for pair in tables for each in pair.released]
        self.matched = [(before, after) for before, after in match_messages(old, new) if after is not None]
        self.identities = {message.identity for message in old}
        self.in_specs = [_SpecLists(side) for side in (old, new)]
        self.places = _Places()
        # A set may have thousands of fields: each is read once.
        self.together: dict[tuple[int, ...], tuple[str, ...]] = {}
        self.on_wire: dict[tuple[int, str], tuple[_Listed, _Listed]] = {}
        order = () if frozen.all is None else frozen.all.releases
        self.order = {release: at for at, release in enumerate(order)}

    def pairs(self) -> Iterator[ValuesPair]:
        for before, after in self.matched:
            if self.everything or not self._is_same(before, after):
                yield from self._of_message(before, after)

    def _is_same(self, before: Message | None, after: Message) -> bool:
        """Whether no field and no list of a message changes."""
        return (
            before is not None
            and before == after
            and _in_table(self.before, before) == _in_table(self.after, after)
        )

    def _of_message(self, before: Message | None, after: Message) -> Iterator[ValuesPair]:
        specs = self._held(before, after)
        new = _Lists(self.after, self.in_specs[1], after)
        old = None if before is None else _Lists(self.before, self.in_specs[0], before)
        releases = [_Lists(each.table, _SpecLists([each.message]), each.message) for each in specs]
        if not any(lists is not None and lists.is_any for lists in (new, old, *releases)):
            return
        frozen = self._frozen(before, after)
        groups: dict[str, _Group] = {}
        for era in _eras([each.message for each in (new, old, *releases) if each is not None]):
            for path, listed in self._at(new, era.start):
                groups.setdefault(path, _Group()).now.append((era, listed))
            if old is not None:
                paths = self.places.between(old.message, after, era.start)
                for path, listed in self._at(old, era.start):
                    if path in paths:
                        groups.setdefault(paths[path], _Group()).own.append((era, listed))
            for at, lists in enumerate(releases):
                stable = self._known(specs[at].release, era, frozen)
                paths = self._since(lists.message, before, after, era.start) if stable else {}
                for path, listed in self._at(lists, era.start):
                    if path in paths:
                        earlier = groups.setdefault(paths[path], _Group()).released
                        earlier.setdefault(at, []).append((stable, listed))
        for path, group in groups.items():
            pair = self._pair(before, after, path, group, specs, frozen)
            if pair is not None:
                yield pair

    def _at(self, lists: _Lists, version: int) -> Iterator[tuple[str, _Listed]]:
        """What a spec and a table list in a version, by path."""
        layout = self.places.layout(lists.message, version) if lists.is_any else None
        for field in () if layout is None else layout.walk():
            listed = lists.of(field)
            if listed is not None:
                yield field.path, self._on_wire(listed, field.field.element)

    def _on_wire(self, listed: _Listed, element: str) -> _Listed:
        """What is listed, with the numbers that a type has on the wire."""
        digits = element.rpartition("int")[2]
        if not digits.isdecimal():
            return listed
        key = (id(listed), digits)
        if key not in self.on_wire:
            numbers = tuple(each.on_wire(int(digits)) for each in listed.numbers)
            # Beside the original, whose identity is the key.
            self.on_wire[key] = (
                listed,
                listed if numbers == listed.numbers else listed._replace(numbers=numbers),
            )
        return self.on_wire[key][1]

    def _held(self, before: Message | None, after: Message) -> list[_Held]:
        """The released specs of a message, with the tables of the releases that have them."""
        if self.frozen.all is None:
            return []
        names = {name for _, listed in self.released for name in listed}
        listing = {*self.before, *self.after}
        reads_specs = self.everything or any(
            each is not None and (each.lists_values or each.name in listing) for each in (before, after)
        )
        identities = [] if before is None else [before.identity]
        if before is None or after.identity not in self.identities:
            identities.append(after.identity)
        specs: list[_Held] = []
        for identity in dict.fromkeys(identities):
            forms = self.frozen.all.released_messages(identity)
            if not reads_specs and not any(form.name in names for form in forms):
                continue
            holding = self.frozen.all.holding(identity)
            for spec in self.frozen.all.specs(identity):
                if spec.message.lists_values:
                    specs.append(_Held(spec.message, {}, spec.name))
                holders = {*holding.get(spec.name, (spec.name,))}
                specs += [
                    _Held(spec.message, listed, release)
                    for release, listed in self.released
                    if release in holders and spec.message.name in listed
                ]
        return specs

    def _frozen(self, before: Message | None, after: Message) -> Mapping[int, str]:
        if before is not None:
            return self.frozen.released(before, before)
        return NOT_RELEASED if self.frozen.all is None else self.frozen.released(after)

    def _known(self, release: str, era: Iterable[int], frozen: Mapping[int, str]) -> list[int]:
        """The versions of an era that were stable in a release."""
        return [each for each in era if each in frozen and self.order[frozen[each]] <= self.order[release]]

    def _since(self, release: Message, before: Message | None, after: Message, version: int) -> _Paths:
        """The paths of a release with those of the new side: the old side decides which field is which."""
        if before is None:
            return self.places.between(release, after, version)
        first = self.places.between(release, before, version)
        later = self.places.between(before, after, version)
        paths = {path: later[own] for path, own in first.items() if own in later}
        taken = {*later.values()}
        # What the old side lacks has another place there, or none.
        for path, now in self.places.between(release, after, version).items():
            if path not in first and now not in taken:
                paths[path] = now
        return paths

    def _pair(
        self,
        before: Message | None,
        after: Message,
        path: str,
        group: _Group,
        specs: Sequence[_Held],
        frozen: Mapping[int, str],
    ) -> ValuesPair | None:
        own, now = (next((listed for _, listed in runs), None) for runs in (group.own, group.now))
        if now is None and own is None and not self.everything:
            return None
        sides = [each for each in (own, now) if each is not None]
        sides = sides or [next(iter(group.released.values()))[0][1]]
        top = None if before is None else self.frozen.unstable.get(before.identity)
        valid = frozenset(() if before is None else before.valid_versions) - {top}
        in_spec = any(side.in_spec for side in sides)
        deleted = own.deleted if own is not None and not in_spec else None
        released = [
            (specs[at].release, _limited(runs), frozenset(chain.from_iterable(run for run, _ in runs)))
            for at, runs in group.released.items()
        ]
        released.sort(key=lambda each: self.order[each[0]])
        return ValuesPair(
            _limited(group.own),
            _limited(group.now),
            valid,
            frozen,
            tuple(released) if self.frozen.all is not None else None,
            self.everything,
            after,
            path,
            f"{after.name}.{path}",
            self._together(*(side.fields for side in sides)),
            deleted or (own.place if own is not None else None),
            deleted is not None,
            in_spec,
        )

    def _together(self, first: tuple[str, ...], *others: tuple[str, ...]) -> tuple[str, ...]:
        """The fields that are in a set on each side."""
        key = (id(first), *map(id, others))
        if key not in self.together:
            sides = [frozenset(each) for each in others]
            self.together[key] = tuple(each for each in first if all(each in side for side in sides))
        return self.together[key]


def _in_table(listed: _Fields, message: Message) -> Mapping[str, object]:
    """The numbers that a table lists for the fields of a message, wherever."""
    return {
        path: [each._replace(place=_NOWHERE) for each in own.numbers]
        for path, own in listed.get(message.name, {}).items()
    }


def _limited(runs: _Runs) -> tuple[Number, ...]:
    """The numbers of a field in the versions in which it is on the wire."""
    versions: dict[int, set[int]] = {}
    lists: dict[int, _Listed] = {}
    for run, each in runs:
        lists[id(each)] = each
        versions.setdefault(id(each), set()).update(run)
    numbers: list[Number] = []
    for key, each in lists.items():
        whole = frozenset(versions[key])
        lowest, highest = min(whole), max(whole)
        for number in each.numbers:
            is_whole = lowest in number.versions and highest in number.versions  # a range, here
            own = whole if is_whole else frozenset(at for at in whole if at in number.versions)
            numbers.append(number._replace(versions=own))
    return tuple(numbers)


class _Lists:
    """What a spec of a message and a table list for its fields; the spec counts first."""

    def __init__(self, table: _Fields, specs: _SpecLists, message: Message) -> None:
        self.table = table.get(message.name, {})
        self.specs = specs
        self.message = message
        self.is_any = message.lists_values or message.name in table

    def of(self, field: LayoutField) -> _Listed | None:
        """What is listed for a field in a version."""
        if field.field.values:
            return self.specs.of(self.message, field)
        return self.table.get(field.path)


class _SpecLists:
    """What the specs of a side list."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.messages = tuple(messages)
        self.known: dict[tuple[int, int], _Listed] = {}
        self.names: dict[Place, tuple[str, ...]] | None = None

    def of(self, message: Message, field: LayoutField) -> _Listed:
        """The list of a field that has one."""
        place = _place_in(message, field.field)
        key = (id(message), field.field.written.order)
        if key not in self.known:
            if self.names is None:
                self.names = _together_in(self.messages)
            numbers = tuple(_number(message, each) for each in field.field.values)
            self.known[key] = _Listed(numbers, place, self.names.get(place, ()), in_spec=True)
        return self.known[key]


class _Places:
    """Which field of one spec of a message has the place of which field of another one, in a version."""

    def __init__(self) -> None:
        self.layouts: dict[int, Layouts] = {}
        self.at: dict[tuple[int, int], Layout | None] = {}
        self.matchings: dict[tuple[int, int], Matching] = {}
        self.pairs: dict[tuple[int, int, int], _Paths] = {}

    def layout(self, message: Message, version: int) -> Layout | None:
        """The layout of a version; None if the spec has none."""
        key = (id(message), version)
        if key not in self.at:
            layouts = self.layouts.setdefault(id(message), Layouts(message, opaque=True))
            try:
                self.at[key] = layouts.at(version)
            except InputError:
                self.at[key] = None
        return self.at[key]

    def between(self, one: Message, other: Message, version: int) -> _Paths:
        """The paths of one side, each with that of the field in its place on the other side.

        Fields whose sequence has other bytes on the other side have no place there: those are the same that
        are declared as the same.
        """
        key = (id(one), id(other), version)
        if key not in self.pairs:
            first, second = self.layout(one, version), self.layout(other, version)
            if first is None or second is None:
                self.pairs[key] = {}
            elif one is other:
                self.pairs[key] = {field.path: field.path for field in first.walk()}
            else:
                paths = dict(_in_place(_items(first), _items(second)))
                for path, now in self._declared(first, second, paths):
                    paths.setdefault(path, now)
                self.pairs[key] = paths
        return self.pairs[key]

    def _declared(self, first: Layout, second: Layout, paths: _Paths) -> Iterator[tuple[str, str]]:
        left = [field for field in first.walk() if field.path not in paths]
        if not left:
            return
        # Few changes have other bytes.
        key = (id(first.message), id(second.message))
        if key not in self.matchings:
            self.matchings[key] = Matching(first.message, second.message)
        taken = {*paths.values()}
        free: dict[int, list[str]] = {}
        for field in second.walk():
            if field.path not in taken:
                free.setdefault(field.field.written.order, []).append(field.path)
        for field in left:
            partner = self.matchings[key].new_of.get(field.field.written.order)
            candidates = [] if partner is None else free.get(partner.written.order, [])
            if candidates:
                same = field.path if field.path in candidates else candidates[0]
                candidates.remove(same)
                yield field.path, same


# The fields of a sequence on the wire in their order; a mapping has the tagged fields of one section.
_Item = LayoutField | Mapping[int, LayoutField]


def _items(layout: Layout) -> list[_Item]:
    return [*_sequence(layout.fields, layout.flexible)]


def _sequence(fields: Sequence[LayoutField], flexible: bool) -> Iterator[_Item]:
    for field in fields:
        if field.tag is not None:
            continue
        if field.fields is not None and field.element is None and not field.nullable:
            # A plain struct has no bytes of its own.
            yield from _sequence(field.fields, flexible)
        else:
            yield field
    tagged = {field.tag: field for field in fields if field.tag is not None}
    if flexible or tagged:
        yield tagged


def _in_place(one: Sequence[_Item], other: Sequence[_Item]) -> Iterator[tuple[str, str]]:
    """The paths of the fields at the same place in two sequences with the same bytes."""
    if len(one) != len(other) or not all(map(_is_alike, one, other)):
        return
    for first, second in zip(one, other, strict=True):
        if isinstance(first, LayoutField) and isinstance(second, LayoutField):
            yield from _both(first, second)
        elif not isinstance(first, LayoutField) and not isinstance(second, LayoutField):
            for tag, field in first.items():
                if tag in second and _is_alike(field, second[tag]):
                    yield from _both(field, second[tag])


def _both(first: LayoutField, second: LayoutField) -> Iterator[tuple[str, str]]:
    yield first.path, second.path
    one, other = _each(first), _each(second)
    if (first.fields is None) != (second.fields is None) and one is not None and other is not None:
        yield one.path, other.path
    if first.fields is not None and second.fields is not None:
        yield from _in_place([*_sequence(first.fields, False)], [*_sequence(second.fields, False)])


def _is_alike(one: _Item, other: _Item) -> bool:
    if isinstance(one, LayoutField) and isinstance(other, LayoutField):
        if (one.element is None) != (other.element is None):
            return False
        if one.fields is not None and other.fields is not None:
            return one.element is not None or one.nullable == other.nullable
        first, second = _each(one), _each(other)
        return (
            first is not None
            and second is not None
            and bytes_of(first.field.element) == bytes_of(second.field.element)
        )
    return not isinstance(one, LayoutField) and not isinstance(other, LayoutField)


def _each(field: LayoutField) -> LayoutField | None:
    """The field with all bytes of an element: of a struct with one value, that value; None for others."""
    if field.fields is None:
        return field
    items = [*_sequence(field.fields, False)]
    if field.element is None or len(items) != 1:
        return None
    (item,) = items
    if not isinstance(item, LayoutField) or item.element is not None or item.fields is not None:
        return None
    return item


def _eras(messages: Iterable[Message]) -> Iterator[range]:
    """The versions, in runs in which no spec changes its layout."""
    # Many releases have one spec.
    specs = {id(message): message for message in messages}.values()
    begins = {bound for spec in specs for bound in bounds(spec)}
    for begin, end in pairwise(sorted(begins)):
        yield range(begin, end)


def _listed(tables: Tables, *, is_deleted: bool = False) -> _Fields:
    """The fields of a table of values."""
    path = tables.paths.get("values", "")
    places = (place_in_table(path, field) for each in tables.values or () for field in each.fields)
    deleted = next(places, None) if is_deleted else None
    listed: dict[str, dict[str, _Listed]] = {}
    for each in tables.values or ():
        numbers = tuple(_values(each.values, path))
        names = tuple(f"{field.message}.{field.path}" for field in each.fields)
        for field in each.fields:
            own = _Listed(numbers, place_in_table(path, field), names, deleted=deleted)
            listed.setdefault(field.message, {})[field.path] = own
    return listed


def _values(values: Iterable[ListedValue], path: str) -> Iterator[Number]:
    for each in values:
        deprecated = deprecated_in(each.deprecated)
        place = place_in_table(path, each)
        yield Number(each.value, each.name, each.former_names, deprecated, each.versions, place)


def _together_in(messages: Iterable[Message]) -> dict[Place, tuple[str, ...]]:
    """The fields whose values specs list, by the place of the list."""
    names: dict[Place, list[str]] = {}
    for message in messages:
        for path, field in _with_values(message) if message.lists_values else ():
            names.setdefault(_place_in(message, field), []).append(f"{message.name}.{path}")
    return {place: tuple(each) for place, each in names.items()}


def _place_in(message: Message, field: Field) -> Place:
    key = "flags" if field.values[0].bit is not None else "values"
    return Place.of(message.path, message.written.lines, field.written.at(key))


def _number(message: Message, value: Value) -> Number:
    place = Place.of(message.path, message.written.lines, value.written.at("name"))
    names, deprecated = value.former_names, value.deprecated_versions
    return Number(value.number, value.name, names, deprecated, value.versions, place, value.bit, in_spec=True)


def _with_values(message: Message) -> Iterator[tuple[str, Field]]:
    """The fields that list values, by their paths from the top."""

    def walk(fields: Iterable[Field], above: str, within: tuple[str, ...]) -> Iterator[tuple[str, Field]]:
        for field in fields:
            if field.values:
                yield f"{above}{field.name}", field
            inner = message.fields_of(field)
            if inner and field.element not in within:
                yield from walk(inner, f"{above}{field.name}.", (*within, field.element))

    yield from walk(message.fields, "", ())
