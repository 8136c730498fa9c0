"""The error codes and values of both sides and of releases, in tables and in specs, as pairs of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.rules.match import Declaration, FieldMatcher, definition_of, top_level
from wirebook.rules.pairs.freezing import Frozen
from wirebook.rules.pairs.kinds import NOT_RELEASED, MessagePair, VersionNumbers
from wirebook.rules.pairs.numbers import Number, NumbersPair
from wirebook.rules.pairs.walk import structs, walk_fields
from wirebook.rules.released import Identity
from wirebook.rules.severity import Place
from wirebook.specs.model import Field, Message, Protocol, Value
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.reading.tables.values import ListedField, ListedValue, ValueSet
from wirebook.specs.versions import Versions

_NO_PATHS: Mapping[str, str] = {}
# Error codes do not depend on a version.
_ONE = Versions(0, 0)


class Tables(NamedTuple):
    """The tables of one side, or of a release; None for those that it lacks. `paths` are by "errors" and
    "values".
    """

    errors: tuple[DescribedError, ...] | None = None
    values: tuple[ValueSet, ...] | None = None
    paths: Mapping[str, str] = _NO_PATHS
    release: str = ""

    @property
    def messages(self) -> frozenset[str]:
        """The messages whose values are listed."""
        return frozenset(field.message for each in self.values or () for field in each.fields)

    def only(self, names: Collection[str]) -> Tables:
        """The tables without the values of other messages."""
        if self.values is None:
            return self
        sets = (
            each._replace(fields=tuple(field for field in each.fields if field.message in names))
            for each in self.values
        )
        return self._replace(values=tuple(each for each in sets if each.fields))


class TablesPair(NamedTuple):
    """The tables of both sides, and those of releases, oldest first.

    With `everything`, what the old side has differently from a release counts, too. With `specs`, so do the
    values that specs list, which count before those of a table.
    """

    old: Tables
    new: Tables
    released: tuple[Tables, ...] = ()
    everything: bool = False
    specs: bool = False


class ErrorsPair(NumbersPair):
    """The error codes of a protocol on both sides; `is_deleted` if the new side has no table of them."""

    is_deleted = False


@dataclass(eq=False, repr=False)
class ValuesPair(NumbersPair):
    """The values of a field on both sides.

    `message` is that of the new side, `path` the field there, `name` both as the table names them, and
    `together` the fields that are in its set on both sides. If the new side does not list the field,
    `delisted` is where the old one does; if the new side has no table (`is_deleted`), it is that of the
    first field. `in_spec` is whether the spec lists the values.
    """

    message: Message
    path: str
    name: str
    together: tuple[str, ...] = ()
    delisted: Place | None = None
    is_deleted: bool = False
    in_spec: bool = False


def with_specs(
    tables: Sequence[TablesPair], old: Protocol | None, new: Protocol, everything: bool
) -> Sequence[TablesPair]:
    """The tables, with the values that specs list, if any does."""
    if not any(message.lists_values for message in (*(old or ()), *new)):
        return tables
    of_values = (at for at, each in enumerate(tables) if each.old.values or each.new.values)
    first = next(of_values, None)
    if first is None:
        return [*tables, TablesPair(Tables(), Tables(), everything=everything, specs=True)]
    return [each._replace(specs=at == first) for at, each in enumerate(tables)]


def table_pairs(
    tables: TablesPair, old: Protocol | None, new: Protocol, frozen: Frozen
) -> Iterator[ErrorsPair | ValuesPair]:
    """What rules judge of two tables of error codes, and of two tables of values: a pair for each field."""
    if tables.old.errors is not None or tables.new.errors is not None:
        yield _errors_pair(tables, frozen)
    if tables.specs or tables.old.values is not None or tables.new.values is not None:
        yield from _Values(tables, old or Protocol(()), new, frozen).pairs()


def _errors_pair(tables: TablesPair, frozen: Frozen) -> ErrorsPair:
    has_releases = frozen.all is not None
    one = frozenset(_ONE)
    pair = ErrorsPair(
        _codes(tables.old),
        _codes(tables.new),
        one,
        {0: ""},
        tuple((each.release, _codes(each), one) for each in tables.released) if has_releases else None,
        tables.everything,
    )
    pair.is_deleted = tables.new.errors is None
    return pair


def _codes(tables: Tables) -> tuple[Number, ...]:
    path = tables.paths.get("errors", "")
    return tuple(
        Number(each.code, each.name, each.former_names, _range(each.deprecated), _ONE, _place(path, each))
        for each in tables.errors or ()
    )


def _range(deprecated: bool) -> Versions:
    return Versions.ALL if deprecated else Versions.NONE


def _place(path: str, entry: DescribedError | ListedValue | ListedField) -> Place:
    return Place(path, *(entry.position or (1, 1)), *(entry.end or ()))


class _Listed(NamedTuple):
    """A field of a table of values: its numbers, its place, and all fields of its set.

    In a spec, these are those with the same place, which is in a shared struct.
    """

    numbers: tuple[Number, ...]
    place: Place
    fields: tuple[str, ...]
    in_spec: bool = False


_Fields = Mapping[tuple[str, str], _Listed]


class _Values:
    """Pairs the fields of tables of values: by the message, which may have another name, and the path."""

    def __init__(self, tables: TablesPair, old: Protocol, new: Protocol, frozen: Frozen) -> None:
        self.tables = tables
        self.messages = {message.name: message for message in (*new, *old)}
        self.old = {message.identity: message for message in old}
        self.new = {message.identity: message for message in new}
        self.frozen = frozen
        self.before, self.after = _listed(tables.old), _listed(tables.new)
        if tables.specs:
            self.before = {**self.before, **_in_specs(old)}
            self.after = {**self.after, **_in_specs(new)}
        self.former = self._former_names()
        self.releases = [
            (each.release, self._current(each.release, _listed(each))) for each in tables.released
        ]
        if tables.specs:
            self.releases += self._released_specs()
        # A set may have thousands of fields, and a message as many: each is read once.
        self.together: dict[tuple[int, ...], tuple[str, ...]] = {}
        self.names: dict[Identity, frozenset[str]] = {}
        self.renames: dict[Identity, Mapping[str, Iterable[str]]] = {}
        self.added: dict[tuple[str, str], list[tuple[str, _Listed]]] = {}
        for (name, path), listed in self.after.items():
            if (name, path) not in self.before:
                self.added.setdefault((name, _last(path)), []).append((path, listed))

    def _former_names(self) -> Mapping[str, Message]:
        """The messages by the names that releases have them under."""
        if self.frozen.all is None or not (self.tables.released or self.tables.specs):
            return {}
        return {
            released.name: message
            for message in self.messages.values()
            for released in self.frozen.all.released_messages(message.identity)
        }

    def _current(self, release: str, listed: _Fields) -> _Fields:
        """The fields that a release lists, under the names that the old side has for them."""
        return {self._renamed_since(release, *key): each for key, each in listed.items()}

    def _released_specs(self) -> Iterator[tuple[str, _Fields]]:
        """The fields whose values the released specs of some messages list: those that still list some, or
        with `everything` all.
        """
        if self.frozen.all is None:
            return
        identities = {
            message.identity: None
            for message in (*self.old.values(), *self.new.values())
            if message.lists_values or self.tables.everything
        }
        for identity in identities:
            for spec in self.frozen.all.specs(identity):
                if spec.message.lists_values:
                    yield spec.name, self._current(spec.name, _in_specs([spec.message]))

    def _renamed_since(self, release: str, name: str, path: str) -> tuple[str, str]:
        message = self.messages.get(name) or self.former.get(name)
        if message is None or self.frozen.all is None:
            return name, path
        message = self.old.get(message.identity, message)
        if (message.name, path) in self.before or (message.name, path) in self.after:
            return message.name, path
        order = {each: at for at, each in enumerate(self.frozen.all.releases)}
        specs = self.frozen.all.specs(message.identity)
        earlier = [spec.message for spec in specs if order.get(spec.name, 0) <= order.get(release, 0)]
        return message.name, _translated(path, earlier[-1], message) if earlier else path

    def pairs(self) -> Iterator[ValuesPair]:
        fields = dict.fromkeys(self.before)
        fields.update((key, None) for _, listed in self.releases for key in listed)
        for name, path in fields:
            pair = self._pair(name, path)
            if pair is not None:
                yield pair

    def _pair(self, name: str, path: str) -> ValuesPair | None:
        either = self.messages.get(name)
        # message-deleted reports a message that the new side lacks.
        message = None if either is None else self.new.get(either.identity)
        if either is None or message is None:
            return None
        earlier = (name, path)
        own = self.before.get(earlier)
        now = self.after.get((message.name, path))
        if now is None:
            path, now = self._renamed(message, path, own)
            if now is None and (own is None or not self._has(message, path)):
                # definition-deleted and field-renamed report a field that the new side lacks.
                return None
        old = self.old.get(either.identity)
        frozen = NOT_RELEASED if old is None else self.frozen.released(old, old)
        top = None if old is None else self.frozen.unstable.get(old.identity)
        valid = (
            frozenset(each for each in old.valid_versions if each != top) if old is not None else frozenset()
        )
        in_spec = any(side is not None and side.in_spec for side in (own, now))
        is_deleted = self.tables.new.values is None and not in_spec
        delisted = None
        if now is None and own is not None:
            delisted = next(iter(self.before.values())).place if is_deleted else own.place
        return ValuesPair(
            own.numbers if own is not None else (),
            now.numbers if now is not None else (),
            valid,
            frozen,
            tuple(self._released(earlier, frozen)) if self.frozen.all is not None else None,
            self.tables.everything,
            message,
            path,
            f"{message.name}.{path}",
            self._together(*(side.fields for side in (own, now) if side is not None)),
            delisted,
            is_deleted,
            in_spec,
        )

    def _renamed(self, message: Message, path: str, own: _Listed | None) -> tuple[str, _Listed | None]:
        """What the new table lists for a renamed field: in the same struct, or else with the same values."""
        old = self.old.get(message.identity)
        if own is None or old is None or self._has(message, path):
            return path, None
        if message.identity not in self.renames:
            self.renames[message.identity] = _renames(old, message)
        names = self.renames[message.identity].get(_last(path), ())
        added = [each for name in names for each in self.added.get((message.name, name), ())]
        above = path.rpartition(".")[0]
        meanings = {(each.number, each.name) for each in own.numbers}

        def unlike(field: tuple[str, _Listed]) -> tuple[bool, bool]:
            now = {(each.number, each.name) for each in field[1].numbers}
            return field[0].rpartition(".")[0] != above, not meanings <= now

        return min(added, key=unlike, default=(path, None))

    def _has(self, message: Message, path: str) -> bool:
        """Whether a message has a field with the last name of a path: those above may be renamed."""
        if message.identity not in self.names:
            self.names[message.identity] = frozenset(each.field.name for each in walk_fields(message))
        return _last(path) in self.names[message.identity]

    def _together(self, first: tuple[str, ...], *others: tuple[str, ...]) -> tuple[str, ...]:
        """The fields that are in a set on each side."""
        key = (id(first), *map(id, others))
        if key not in self.together:
            sides = [frozenset(each) for each in others]
            self.together[key] = tuple(each for each in first if all(each in side for side in sides))
        return self.together[key]

    def _released(
        self, field: tuple[str, str], frozen: Mapping[int, str]
    ) -> Iterator[tuple[str, tuple[Number, ...], VersionNumbers]]:
        assert self.frozen.all is not None
        order = {release: at for at, release in reversed(list(enumerate(self.frozen.all.releases)))}
        for release, listed in self.releases:
            if field in listed:
                # A range without an end includes versions that came later.
                versions = (
                    each for each, first in frozen.items() if order.get(first, 0) <= order.get(release, 0)
                )
                yield release, listed[field].numbers, frozenset(versions)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _translated(path: str, old: Message, new: Message) -> str:
    """What a message calls the field at a path of another spec of it; the path itself if it lacks it."""
    matcher = FieldMatcher(old, new)
    one: Declaration | None = top_level(old)
    other: Declaration | None = top_level(new)
    names: list[str] = []
    for name in path.split("."):
        if one is None or other is None:
            return path
        pairs = ((first, second) for first, second in matcher.match(one, other) if first and second)
        first, second = next((pair for pair in pairs if pair[0].name == name), (None, None))
        if first is None or second is None:
            return path
        names.append(second.name)
        one, other = definition_of(old, first), definition_of(new, second)
    return ".".join(names)


def _renames(old: Message, new: Message) -> Mapping[str, Iterable[str]]:
    """What the renamed fields of a message are called now, by their last names."""
    renames: dict[str, dict[str, None]] = {}
    for struct in structs(MessagePair(old, new)):
        for first, second in struct.pairs:
            if first is not None and second is not None and first.name != second.name:
                renames.setdefault(first.name, {})[second.name] = None
    return renames


def _listed(tables: Tables) -> _Fields:
    """The fields of a table of values."""
    path = tables.paths.get("values", "")
    listed: dict[tuple[str, str], _Listed] = {}
    for each in tables.values or ():
        numbers = tuple(_values(each.values, path))
        names = tuple(f"{field.message}.{field.path}" for field in each.fields)
        for field in each.fields:
            listed[field.message, field.path] = _Listed(numbers, _place(path, field), names)
    return listed


def _values(values: Iterable[ListedValue], path: str) -> Iterator[Number]:
    for each in values:
        deprecated = _range(each.deprecated)
        yield Number(each.value, each.name, each.former_names, deprecated, each.versions, _place(path, each))


def _in_specs(messages: Iterable[Message]) -> _Fields:
    """The fields whose values specs list."""
    fields = [
        (message, path, field)
        for message in messages
        if message.lists_values
        for path, field in _with_values(message)
    ]
    names: dict[Place, list[str]] = {}
    for message, path, field in fields:
        names.setdefault(_place_in(message, field), []).append(f"{message.name}.{path}")
    together = {place: tuple(each) for place, each in names.items()}
    listed: dict[tuple[str, str], _Listed] = {}
    for message, path, field in fields:
        place = _place_in(message, field)
        numbers = tuple(_number(message, each) for each in field.values)
        earlier = listed.get((message.name, path))
        if earlier is not None:
            # Fields of one name have different versions.
            numbers, place = (*earlier.numbers, *numbers), earlier.place
        listed[message.name, path] = _Listed(numbers, place, together[place], in_spec=True)
    return listed


def _place_in(message: Message, field: Field) -> Place:
    key = "flags" if field.values[0].bit is not None else "values"
    return Place.of(message.path, message.written.lines, field.written.at(key))


def _number(message: Message, value: Value) -> Number:
    place = Place.of(message.path, message.written.lines, value.written.at("name"))
    names, deprecated = value.former_names, value.deprecated_versions
    return Number(value.number, value.name, names, deprecated, value.versions, place, value.bit)


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
