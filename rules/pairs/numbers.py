"""Numbers with a meaning on both sides and in releases, and which of them have lost or changed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from wirebook.rules.pairs.kinds import VersionNumbers
from wirebook.rules.severity import Place
from wirebook.specs.texts.model import number_words
from wirebook.specs.versions import Versions


class Number(NamedTuple):
    """An error code, a value or a flag: its number and its name, in some versions of a message (see
    `ValuesPair`); `deprecated` are those in which it may be removed. `in_spec` is whether a spec lists it.

    Two numbers with the same bits on the wire are the same number: bit 7 of an int8 is -128. `number` is the
    signed one, and `written` the one in the text.
    """

    number: int
    name: str
    former_names: tuple[str, ...]
    deprecated: Versions
    versions: Versions | VersionNumbers
    place: Place
    bit: int | None = None
    in_spec: bool = False
    written: int | None = None

    @property
    def words(self) -> str:
        """What it is, as sentences name it."""
        return number_words(self.number if self.written is None else self.written, self.bit)

    def on_wire(self, bits: int) -> Number:
        """The same in a field with a number of bits."""
        signed = (self.number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        return self if signed == self.number else self._replace(number=signed, written=self.number)

    def has_been(self, name: str) -> bool:
        """Whether this is or was its name."""
        return self.name == name or name in self.former_names


class Broken(NamedTuple):
    """A number that no longer has the meaning that a name gave it.

    `old` is the entry of the old side, or else that of the release; `new` the entry that now has the number
    or, if that is free, the name, None if neither exists. `versions` are those concerned, `release` the first
    release that has it (None if none has, "" if the old side counts as released). `others` counts numbers
    that changed together with it.
    """

    old: Number
    new: Number | None
    versions: VersionNumbers
    release: str | None
    previous: Place | None
    others: int = 0

    @property
    def is_moved(self) -> bool:
        """Whether the name has another number now, and the number has no name."""
        return self.new is not None and self.new.number != self.old.number

    @property
    def discriminator(self) -> str:
        """What distinguishes it from others: both meanings, and how many numbers change with it."""
        if self.new is None:
            return f"{self.old.words} {self.old.name}"
        now = self.new.words if self.is_moved else self.new.name
        more = f" +{self.others}" if self.others else ""
        return f"{self.old.words} {self.old.name} {now}{more}"


@dataclass(eq=False, repr=False)
class NumbersPair:
    """The numbers of one table, or of one field, on both sides.

    `valid` are the versions to judge on the old side; `frozen` has those that are released, each with the
    first release. With releases, `released` has the numbers of each, with the versions that it knows; without
    (None), the old side counts as released. With `everything`, what the old side has differently counts, too.
    """

    old: tuple[Number, ...]
    new: tuple[Number, ...]
    valid: VersionNumbers
    frozen: Mapping[int, str]
    released: tuple[tuple[str, tuple[Number, ...], VersionNumbers], ...] | None
    everything: bool

    @cached_property
    def broken(self) -> tuple[list[Broken], list[Broken]]:
        """The numbers that have another meaning, those that change together as one; and the removed ones."""
        reused: list[Broken] = []
        removed: dict[int, Broken] = {}
        for promise in self._promises():
            lacking = self._lacking(promise)
            takers, rest = self._now.takers(promise.old, promise.versions - lacking.disagreed)
            # Whichever name has the number now, the old name may have another one.
            movers, unmoved = self._now.movers(promise.old, (rest | lacking.disagreed) - lacking.moved)
            for entry, shared in (*takers, *movers):
                if not self._is_restored(promise, entry, shared):
                    reused.append(self._broken(promise, entry, shared))
            rest = (rest & unmoved) - lacking.absent
            if rest and promise.old.number not in removed:
                removed[promise.old.number] = self._broken(promise, None, rest)
        return list(self._together(reused)), list(removed.values())

    def is_deprecated(self, number: int, versions: VersionNumbers) -> bool:
        """Whether the old side or a release has deprecated a number in each of some versions."""
        ranges = self._deprecated.get(number, ())
        return bool(ranges) and all(any(each in part for part in ranges) for each in versions)

    def now(self, number: int) -> Number | None:
        """The first entry of the new side that has a number; None if none has."""
        return next(iter(self._now.by_number.get(number, ())), None)

    @cached_property
    def _before(self) -> _Entries:
        return _Entries(self.old)

    @cached_property
    def _now(self) -> _Entries:
        return _Entries(self.new)

    @cached_property
    def _releases(self) -> list[tuple[str, _Entries, VersionNumbers]]:
        return [(release, _Entries(numbers), known) for release, numbers, known in self.released or ()]

    @cached_property
    def _deprecated(self) -> Mapping[int, Sequence[Versions]]:
        deprecated: dict[int, list[Versions]] = {}
        for numbers in (self.old, *(numbers for _, numbers, _ in self.released or ())):
            for entry in numbers:
                if entry.deprecated:
                    deprecated.setdefault(entry.number, []).append(entry.deprecated)
        return deprecated

    def _promises(self) -> Iterator[_Promise]:
        """Each number with each name, former ones too: first those of the old side, then of releases."""
        promises: dict[tuple[int, str], _Promise] = {}
        for entry in _under_each_name(self.old):
            promise = promises.setdefault((entry.number, entry.name), _Promise(entry, True))
            versions = _within(entry.versions, self.valid)
            promise.versions |= versions
            if self.released is None:
                promise.released.update({version: self.frozen.get(version, "") for version in versions})
        for release, entries, valid in self._releases:
            for entry in _under_each_name(entries.numbers):
                versions = _within(entry.versions, valid)
                promise = promises.setdefault((entry.number, entry.name), _Promise(entry, False))
                later = [
                    promises[each.number, each.name]
                    for each in self._before.by_number.get(entry.number, ())
                    if entry.name in each.former_names
                ]
                for each in (promise, *later):
                    shared = versions if each is promise else versions & each.versions
                    each.versions |= shared
                    for version in shared:
                        each.released.setdefault(version, release)
        return iter(promises.values())

    def _lacking(self, promise: _Promise) -> _Lacking:
        """The versions in which the old side does not keep a promise of a release."""
        if self.everything:
            return _Lacking()
        takers, rest = self._before.takers(promise.old, promise.versions)
        movers, _ = self._before.movers(promise.old, promise.versions)
        disagreed, moved = (frozenset().union(*(shared for _, shared in each)) for each in (takers, movers))
        return _Lacking(disagreed, rest, moved)

    def _is_restored(self, promise: _Promise, entry: Number, versions: VersionNumbers) -> bool:
        """Whether no release has what the old side has, and one has what the new side has."""
        return promise.released.keys().isdisjoint(versions) and any(
            each.name == entry.name and _within(each.versions, known) >= versions
            for _, entries, known in self._releases
            for each in entries.by_number.get(entry.number, ())
        )

    def _broken(self, promise: _Promise, entry: Number | None, versions: VersionNumbers) -> Broken:
        releases = [promise.released[version] for version in sorted(versions & promise.released.keys())]
        return Broken(
            promise.old,
            entry,
            versions & promise.released.keys() or versions,
            releases[0] if releases else None,
            promise.old.place if promise.of_old else None,
        )

    def _together(self, reused: Sequence[Broken]) -> Iterator[Broken]:
        """One for all numbers that changed together: swapped, or shifted because one was inserted."""
        above: dict[int, int] = {}

        def top(number: int) -> int:
            while above.setdefault(number, number) != number:
                number = above[number]
            return number

        numbers: dict[str, list[int]] = {}
        for entry in (*self.old, *self.new):
            numbers.setdefault(entry.name, []).append(entry.number)
        changed = {each.old.number for each in reused}
        for each in reused:
            names = (each.old.name, *([] if each.new is None else [each.new.name]))
            for other in (number for name in names for number in numbers.get(name, ())):
                if other in changed or other in (each.new and each.new.number, each.old.number):
                    above[top(other)] = top(each.old.number)
        groups: dict[int, list[Broken]] = {}
        for each in reused:
            groups.setdefault(top(each.old.number), []).append(each)
        for group in groups.values():
            # That of a release has a name; a warning must not represent an error.
            first = next((each for each in group if each.release is not None), group[0])
            others = len({each.old.number for each in group}) - 1
            versions = frozenset().union(*(each.versions for each in group))
            yield first._replace(versions=versions, others=others)


class _Entries:
    """The entries of a table or of a field, by number and by name: a table may have thousands."""

    def __init__(self, numbers: Sequence[Number]) -> None:
        self.numbers = numbers
        self.by_number: dict[int, list[Number]] = {}
        self.by_name: dict[str, list[Number]] = {}
        for entry in numbers:
            self.by_number.setdefault(entry.number, []).append(entry)
            self.by_name.setdefault(entry.name, []).append(entry)

    def takers(
        self, old: Number, versions: VersionNumbers
    ) -> tuple[list[tuple[Number, VersionNumbers]], VersionNumbers]:
        """The entries that give a number another meaning in some versions, and the versions that lack it.

        A former name declares that a number was renamed, unless another number now has that name.
        """
        takers = []
        rest = versions
        for entry in self.by_number.get(old.number, ()):
            shared = _within(entry.versions, rest)
            if not shared:
                continue
            rest -= shared
            elsewhere = any(
                other.number != old.number and _within(other.versions, shared)
                for other in self.by_name.get(old.name, ())
            )
            if not entry.has_been(old.name) or (entry.name != old.name and elsewhere):
                takers.append((entry, shared))
        return takers, rest

    def movers(
        self, old: Number, versions: VersionNumbers
    ) -> tuple[list[tuple[Number, VersionNumbers]], VersionNumbers]:
        """The entries that give a name another number in some versions, and the other versions."""
        movers = []
        for entry in self.by_name.get(old.name, ()):
            shared = _within(entry.versions, versions) if entry.number != old.number else frozenset()
            if shared:
                movers.append((entry, shared))
                versions -= shared
        return movers, versions


def _under_each_name(numbers: Sequence[Number]) -> Iterator[Number]:
    """The entries, and then each once more under every former name: peers know the number by all of them."""
    yield from numbers
    for entry in numbers:
        for name in entry.former_names:
            yield entry._replace(name=name, former_names=())


class _Lacking(NamedTuple):
    """The versions in which the old side gives a number another meaning, those in which it has none, and
    those in which it gives the name another number.
    """

    disagreed: VersionNumbers = frozenset()
    absent: VersionNumbers = frozenset()
    moved: VersionNumbers = frozenset()


class _Promise:
    """A number with a name: the versions that have it, and the first release of each that is released."""

    def __init__(self, old: Number, of_old: bool) -> None:
        self.old = old
        self.of_old = of_old
        self.versions: VersionNumbers = frozenset()
        self.released: dict[int, str] = {}


def _within(versions: Versions | VersionNumbers, numbers: VersionNumbers) -> VersionNumbers:
    return numbers if versions == Versions.ALL else frozenset(each for each in numbers if each in versions)
