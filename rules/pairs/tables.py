"""The error codes and values of both sides and of releases, in tables and in specs, as pairs of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.rules.pairs.freezing import Frozen
from wirebook.rules.pairs.kinds import VersionNumbers
from wirebook.rules.pairs.numbers import Broken, Number, NumbersPair
from wirebook.rules.severity import Place
from wirebook.specs.model import Message
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

    With `everything`, what the old side has differently from a release counts, too. `moved` are the messages
    to which only these tables apply, if not all messages use them.
    """

    old: Tables
    new: Tables
    released: tuple[Tables, ...] = ()
    everything: bool = False
    moved: frozenset[str] | None = None


class ErrorsPair(NumbersPair):
    """The error codes of a protocol on both sides; `is_deleted` if the new side has no table of them."""

    is_deleted = False


@dataclass(eq=False, repr=False)
class ValuesPair(NumbersPair):
    """The values of a field on both sides.

    `message` is that of the new side, `path` the field there, `name` both as the table names them, and
    `together` the fields that are in its set on both sides. `listed_at` is where the old side lists the
    field; if the new side has no table (`is_deleted`), it is that of the first field. `in_spec` is whether
    the spec lists the values.
    """

    message: Message
    path: str
    name: str
    together: tuple[str, ...] = ()
    listed_at: Place | None = None
    is_deleted: bool = False
    in_spec: bool = False

    @property
    def reformed(self) -> Iterator[Broken]:
        """Flags that became plain values, and the reverse, if a value is several flags, part of one, or none.

        `old` or `new` is such a value; `others` counts more of them. Tables list no flags.
        """
        for is_flag in (False, True):
            new = _of_form(self.new, is_flag)
            sides = [("", _of_form(self.old, not is_flag), self.valid)]
            sides += [
                (name, _of_form(each, not is_flag), stable) for name, each, stable in self.released or ()
            ]
            alike = frozenset[int]().union(
                *(_versions_of(_of_form(each, is_flag), stable) for _, each, stable in self.released or ())
            )
            broken: dict[int, Broken] = {}
            for at, (release, numbers, stable) in enumerate(sides):
                for entry, now, value in _mixed(numbers, new):
                    versions = _versions_of([now], _versions_of([entry], stable))
                    if not self.everything:
                        versions -= self._already(entry, now)
                    if at == 0:
                        frozen = self.frozen.keys() if self.released is None else frozenset[int]()
                        versions = versions & frozen or versions - alike
                        first = next((self.frozen[each] for each in versions if each in frozen), None)
                    else:
                        first = release
                    if not versions:
                        continue
                    earlier = broken.get(value.number)
                    if earlier is None:
                        place = None if at else entry.place
                        broken[value.number] = Broken(entry, now, versions, first, place)
                    elif earlier.release is None:
                        broken[value.number] = earlier._replace(release=first)
            if broken:
                every = sorted(broken.values(), key=lambda each: each.release is None)
                yield every[0]._replace(others=len(every) - 1)

    def _already(self, entry: Number, now: Number) -> VersionNumbers:
        """The versions in which the old side has what the new side has in the place of an entry."""
        same = (
            each for each in self.old if each.in_spec and (each.number, each.bit) == (now.number, now.bit)
        )
        return _versions_of([*same], self.valid)


def errors_pair(tables: TablesPair, frozen: Frozen) -> ErrorsPair:
    """What rules judge of two tables of error codes."""
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
        Number(
            each.code,
            each.name,
            each.former_names,
            deprecated_in(each.deprecated),
            _ONE,
            place_in_table(path, each),
        )
        for each in tables.errors or ()
    )


def deprecated_in(deprecated: bool) -> Versions:
    """The versions in which an entry of a table is deprecated: a table knows only all or none."""
    return Versions.ALL if deprecated else Versions.NONE


def place_in_table(path: str, entry: DescribedError | ListedValue | ListedField) -> Place:
    """Where a table has an entry."""
    return Place(path, *(entry.position or (1, 1)), *(entry.end or ()))


def _of_form(numbers: Sequence[Number], is_flag: bool) -> list[Number]:
    """The flags, or the plain values, that specs list."""
    return [each for each in numbers if each.in_spec and (each.bit is not None) == is_flag]


def _mixed(numbers: Sequence[Number], new: Sequence[Number]) -> Iterator[tuple[Number, Number, Number]]:
    """The flags of one side with the values of the other that are neither one of them nor beside all.

    Each pair has its value as well.
    """
    for one in numbers:
        for other in new:
            value, flags = (one, new) if one.bit is None else (other, numbers)
            flag = other if value is one else one
            is_one = any(value.number == each.number for each in flags)
            if not is_one and (value.number == 0 or value.number & flag.number):
                yield one, other, value


def _versions_of(numbers: Sequence[Number], versions: VersionNumbers) -> VersionNumbers:
    """The versions, of some, in which any of the numbers is listed."""
    return frozenset(version for version in versions if any(version in each.versions for each in numbers))
