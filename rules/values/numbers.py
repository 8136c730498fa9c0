"""Numbers with a meaning: error codes, and the values that specs and tables list for fields.

A number is a promise like a tag: peers know it by the name that base or a release gives it. Fields
are paired as their bytes are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from wirebook.rules.breaks import Forms
from wirebook.rules.compat import leaves
from wirebook.rules.match import match_messages
from wirebook.rules.parts import Part, ProtocolPair
from wirebook.rules.released import Released, unstable_tops
from wirebook.rules.rule import Hit, Severity
from wirebook.rules.tables import Tables
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import NO_VALUES, FieldValue, Message, ValuesByField
from wirebook.specs.versions import Versions

# What is listed for a field in each version that has it, by number.
Numbers = Mapping[int, FieldValue]
Listed = dict[int, Numbers]


class Side(NamedTuple):
    """A spec with what a table lists for it, and the versions in which it counts.

    `release` is "" for base and head, also if base counts as released.
    """

    message: Message
    table: ValuesByField
    versions: frozenset[int]
    release: str = ""


@dataclass
class Change:
    """What becomes of a number.

    `old` is what base or a release lists; None if head adds it. `new` is what head lists for the
    number, or else the name; None if it is removed. `release` is the first release with `old`: ""
    if base counts as released, None if no release has it. `deprecated` are the versions in which a
    side deprecates the number.
    """

    old: FieldValue | None
    new: FieldValue | None
    release: str | None = None
    in_base: bool = False
    versions: set[int] = field(default_factory=set)
    deprecated: set[int] = field(default_factory=set)

    @property
    def words(self) -> str:
        """The number and its names, as a waiver names them: "bit 3 FAST -> bit 3 SAFE"."""
        both = (each for each in (self.old, self.new) if each is not None)
        return " -> ".join(f"{each.words} {each.name}" for each in both)


@dataclass
class NumbersPair(Part):
    """The numbers that change, of error codes or of a field.

    `message` and `path` are those of the field on head; None and "" for error codes.
    """

    changes: Sequence[Change]
    message: Message | None = None
    path: str = ""

    def named(self, number: FieldValue) -> str:
        """A number with the field that has it."""
        if self.message is None:
            return f"error code {number.words}"
        return f"{self.message.name}.{self.path} = {number.words}"

    def hit(self, changes: Sequence[Change], severity: Severity, sentence: str, fix: str) -> Hit:
        """The hit on some of the changes; the sentence is about the first of them."""
        first = changes[0]
        more = f"; {len(changes) - 1} more with it" if changes[1:] else ""
        versions = frozenset[int]().union(*(each.versions for each in changes))
        return Hit(
            f"{sentence}{more}",
            fix,
            versions=None if self.message is None else versions,
            severity=severity,
            at=first.new and first.new.place,
            previous=first.old.place if first.old is not None and first.in_base else None,
            released_in=first.release or None,
            discriminator=first.words,
            change="; ".join(each.words for each in changes),
        )


def number_pairs(protocols: ProtocolPair) -> Iterator[NumbersPair]:
    """The error codes and the values of fields that change."""
    tables = protocols.tables
    released = tables.released if protocols.released.given else (tables.base,)
    codes = [(each.release, _codes(each)) for each in released]
    changes = _changes(codes, _codes(tables.base), _codes(tables.head))
    if changes:
        yield NumbersPair(changes)
    tops = unstable_tops(protocols.base)
    forms = Forms()
    for old, new in match_messages(protocols.base, protocols.head):
        if new is None or (old == new and tables.base.values == tables.head.values):
            continue
        head = Side(new, _listed_in(tables.head, new), _valid(new))
        base = Side(new, {}, frozenset())
        if old is not None:
            stable = _valid(old) - {tops.get(old.identity)}
            base = Side(old, _listed_in(tables.base, old), stable)
        sides = list(_released(old or new, released, protocols.released))
        if any(each.table or each.message.lists_values for each in (*sides, base, head)):
            yield from _of_fields(sides, base, head, forms)


def _codes(tables: Tables) -> Listed:
    """The error codes of a table, as the values of a field in version 0."""
    codes = (
        FieldValue(
            each.code,
            each.name,
            "",
            Versions.ALL,
            deprecated=Versions.ALL if each.deprecated else Versions.NONE,
            former_names=each.former_names,
            written=each.written,
        )
        for each in tables.errors or ()
    )
    return {0: {each.value: each for each in codes}}


def _listed_in(tables: Tables, message: Message) -> ValuesByField:
    """What the table of values lists for the fields of a message."""
    return (tables.values or {}).get(message.name, {})


def _valid(message: Message) -> frozenset[int]:
    """The valid versions of a message, as many as are laid out."""
    return frozenset(islice(message.valid_versions, MAX_VERSIONS))


def _released(message: Message, tables: Sequence[Tables], released: Released) -> Iterator[Side]:
    """What each release lists for a message, in the versions that it froze."""
    specs = {name: spec for spec in released.specs(message.identity) for name in spec.releases}
    by_release = {each.release: each for each in tables}
    last = None
    for release in (baseline.name for baseline in released.baselines):
        # The specs of a message that does not change are not read from releases.
        form = message
        stable = frozenset(message.valid_versions)
        if release in specs:
            form = specs[release].message
            stable = specs[release].stable
        table = _listed_in(by_release.get(release, Tables()), form)
        is_listed = release in specs if specs else bool(table)
        if is_listed and (form, table, stable) != last:
            last = form, table, stable
            yield Side(*last, release)


def _of_fields(
    released: Sequence[Side], base: Side, head: Side, forms: Forms
) -> Iterator[NumbersPair]:
    """The values of fields that change between releases, base and head."""
    of_releases = [(side.release, _by_field(side, head, forms)) for side in released]
    of_base = _by_field(base, head, forms)
    for path, numbers in _by_field(head, head, forms).items():
        of_field = [(release, fields.get(path, {})) for release, fields in of_releases]
        changes = _changes(of_field, of_base.get(path, {}), numbers)
        if changes:
            yield NumbersPair(changes, head.message, path)


def _by_field(side: Side, head: Side, forms: Forms) -> dict[str, Listed]:
    """What a side lists for the fields that head has, by paths of head."""
    listed: dict[str, Listed] = {}
    for version in side.versions & head.versions:
        one = forms.at(side.message, version)
        other = forms.at(head.message, version)
        if one is None or other is None:
            continue
        for was, now in leaves(one, other):
            numbers = was.field.values or side.table.get(was.path, NO_VALUES).listed
            here = {each.value: each for each in numbers if version in each.versions}
            listed.setdefault(now.path, {})[version] = here
    return listed


def _changes(released: Sequence[tuple[str, Listed]], base: Listed, head: Listed) -> list[Change]:
    """The numbers that lose or change their meaning, and those that head adds to a released
    version."""
    promises = [
        (release, version, number)
        for release, listed in (*released, (None, base))
        for version, numbers in listed.items()
        for number in numbers.values()
    ]
    changes: dict[tuple[int, bool], Change] = {}
    for release, version, old in promises:
        was = base.get(version, {})
        now = head.get(version)
        # The field may end with its values, and base may have lost what a release lists.
        if now is None or _keeps(now, old) or _is_lost(was, now, old):
            continue
        same_name = (each for each in now.values() if each.name == old.name)
        new = now.get(old.value) or next(same_name, None)
        if release is None and new and any(_lists(side, version, new) for _, side in released):
            continue  # Head restores what a release has.
        own = was.get(old.value)
        in_base = own is not None and own.name == old.name
        change = Change(own if in_base else old, new, release, in_base)
        change = changes.setdefault((old.value, new is None), change)
        if (change.release is None) == (release is None):
            change.versions.add(version)
        if version in old.deprecated:
            change.deprecated.add(version)
    return [*changes.values(), *_added(base, head, [side for _, side in released])]


def _lists(side: Listed, version: int, number: FieldValue) -> bool:
    """Whether a side lists a number under the same name."""
    listed = side.get(version, {}).get(number.value)
    return listed is not None and (listed.words, listed.name) == (number.words, number.name)


def _keeps(numbers: Numbers, old: FieldValue) -> bool:
    """Whether a number has its meaning: its name, or another one that declares it as a former name.
    The sum of two flags is no flag, but may be a value."""
    new = numbers.get(old.value)
    if new is None or (old.bit is not None and new.bit is None):
        return False
    if new.name == old.name:
        return True
    names = {each.name for each in numbers.values()}
    return old.name in new.former_names and old.name not in names


def _is_lost(base: Numbers, head: Numbers, old: FieldValue) -> bool:
    """Whether base has already lost what a release lists, and head does not give the number
    away."""
    return not _keeps(base, old) if old.value in base else old.value not in head


def _added(base: Listed, head: Listed, released: Sequence[Listed]) -> Iterator[Change]:
    """The numbers that head adds where base and a release list others."""
    added: dict[int, Change] = {}
    for version, numbers in head.items():
        sides = [side[version] for side in released if side.get(version)]
        if not sides or not base.get(version):
            continue
        earlier = [each for side in (base[version], *sides) for each in side.values()]
        taken = {key for each in earlier for key in (each.value, each.name)}
        for number, new in numbers.items():
            if number not in taken and new.name not in taken:
                added.setdefault(number, Change(None, new)).versions.add(version)
    yield from added.values()
