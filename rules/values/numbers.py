"""Numbers with a meaning: error codes, and the values that specs and tables list for fields.

A number is a promise like a tag: peers know it by the name that base or a release gives it. Fields
are paired as their bytes are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from wirebook.rules.breaks import Forms
from wirebook.rules.compat import leaves
from wirebook.rules.match import match_messages
from wirebook.rules.pairs import Listings
from wirebook.rules.released import Released, Tables, TablesPair, unstable_tops
from wirebook.rules.rule import Hit, Severity
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import (
    NO_VALUES,
    FieldValue,
    Message,
    Protocol,
    TableValues,
    ValuesByField,
)
from wirebook.specs.versions import Versions

# What is listed for a field in each version that has it, by number.
Numbers = Mapping[int, FieldValue]
Listed = dict[int, Numbers]


class Side(NamedTuple):
    """A spec with what a table lists for it, and the versions in which it counts."""

    message: Message
    table: ValuesByField
    versions: frozenset[int]


@dataclass
class Change:
    """What becomes of a number.

    `old` is what base or a release lists; None if head adds it. `new` is what head lists for the
    number, or else the name; None if it is removed. `release` is the first release with `old`: ""
    if base counts as released, None if no release has it.
    """

    old: FieldValue | None
    new: FieldValue | None
    versions: frozenset[int]
    release: str | None = ""
    in_base: bool = False
    is_deprecated: bool = False

    @property
    def words(self) -> str:
        """The number and its names, as a waiver names them: "bit 3 FAST -> bit 3 SAFE"."""
        both = (each for each in (self.old, self.new) if each is not None)
        return " -> ".join(f"{each.words} {each.name}" for each in both)


@dataclass
class NumbersPair:
    """The numbers that change, of error codes or of a field; `is_listed` is whether head lists any.

    `message` and `path` are those of the field on head; None and "" for error codes.
    """

    changes: Sequence[Change]
    is_listed: bool
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
            place=first.new and first.new.place,
            previous_place=first.old.place if first.old is not None and first.in_base else None,
            released_in=first.release or None,
            discriminator=first.words,
            change="; ".join(each.words for each in changes),
            of=self.message,
            path=self.path,
        )


def number_pairs(listings: Listings) -> Iterator[NumbersPair]:
    """The error codes and the values of fields that change."""
    base, head, everything = listings.base, listings.head, listings.everything
    frozen, tables = listings.released, listings.tables
    given = tables[0] if tables else TablesPair()
    earlier = given.released if frozen.given else (given.base,)
    codes = [(each.release, _codes(each)) for each in earlier]
    changes = _changes(_codes(given.base), _codes(given.head), codes, everything)
    if changes:
        yield NumbersPair(changes, given.head.errors is not None)
    of_base, of_head = given.base.values or {}, given.head.values or {}
    released = {each.release: each.values or {} for each in earlier}
    forms = Forms()
    tops = {} if base is None else unstable_tops(base)
    for old, new in match_messages(base or Protocol(()), head):
        is_same = old == new and given.base.values == given.head.values
        if new is None or (is_same and not everything):
            continue
        valid = frozenset(islice(new.valid_versions, MAX_VERSIONS))
        now, was = Side(new, of_head.get(new.name, {}), valid), Side(new, {}, frozenset())
        if old is not None:
            stable = frozenset(old.valid_versions) - {tops.get(old.identity)}
            was = Side(old, of_base.get(old.name, {}), stable)
        sides = list(_released(old or new, released, frozen))
        every = (now, was, *(side for _, side in sides))
        if not any(side.table or side.message.lists_values for side in every):
            continue
        before = _listed(was, now, forms)
        shipped = [(release, _listed(side, now, forms)) for release, side in sides]
        for path, numbers in _listed(now, now, forms).items():
            own = [(release, listed.get(path, {})) for release, listed in shipped]
            changes = _changes(before.get(path, {}), numbers, own, everything)
            if changes:
                yield NumbersPair(changes, any(numbers.values()), new, path)


def _codes(tables: Tables) -> Listed:
    """The error codes of a table, as the values of a field in version 0."""
    return {
        0: {
            each.code: FieldValue(
                each.code,
                each.name,
                "",
                Versions.ALL,
                deprecated=Versions.ALL if each.deprecated else Versions.NONE,
                former_names=each.former_names,
                written=each.written,
            )
            for each in tables.errors or ()
        }
    }


def _released(
    message: Message, tables: Mapping[str, TableValues], frozen: Released
) -> Iterator[tuple[str, Side]]:
    """What each release lists for a message, in the versions that it froze."""
    specs = {name: spec for spec in frozen.specs(message.identity) for name in spec.releases}
    last = None
    for release in [baseline.name for baseline in frozen.baselines]:
        # The specs of a message that does not change are not read from releases.
        form, stable = message, frozenset(message.valid_versions)
        if release in specs:
            form, stable = specs[release].message, specs[release].stable
        table = tables.get(release, {}).get(form.name, {})
        side = Side(form, table, stable)
        if (release in specs if specs else table) and side != last:
            yield release, side
            last = side


def _listed(side: Side, head: Side, forms: Forms) -> dict[str, Listed]:
    """What a side lists for the fields that head has, by paths of head."""
    listed: dict[str, Listed] = {}
    for version in side.versions & head.versions:
        one, other = forms.at(side.message, version), forms.at(head.message, version)
        if one is None or other is None:
            continue
        for was, now in leaves(one, other):
            numbers = was.field.values or side.table.get(was.path, NO_VALUES).listed
            here = {each.value: each for each in numbers if version in each.versions}
            listed.setdefault(now.path, {})[version] = here
    return listed


def _changes(
    base: Listed,
    head: Listed,
    released: Sequence[tuple[str | None, Listed]],
    everything: bool,
) -> list[Change]:
    """The numbers that lose or change their meaning, and those that head adds to a released
    version."""
    found: dict[tuple[int, bool], Change] = {}
    every = [
        (release, version, old)
        for release, side in (*released, (None, base))
        for version, numbers in side.items()
        for old in numbers.values()
    ]
    shipped = {(at, each.words, each.name) for name, at, each in every if name is not None}
    deprecated = {(at, each.value) for _, at, each in every if at in each.deprecated}
    for release, version, old in every:
        now, was = head.get(version), base.get(version, {})
        # The field may end with its values, and base may have lost what a release lists.
        if now is None or _keeps(now, old) or (not everything and _is_lost(was, now, old)):
            continue
        same_name = (each for each in now.values() if each.name == old.name)
        new = now.get(old.value) or next(same_name, None)
        if release is None and new and (version, new.words, new.name) in shipped:
            continue  # Head restores what a release has.
        own = was.get(old.value)
        in_base = own is not None and own.name == old.name
        change = Change(own if in_base else old, new, frozenset(), release, in_base)
        known = found.setdefault((old.value, new is None), change)
        if (known.release is None) == (release is None):
            known.versions |= {version}
    for (number, _), change in found.items():
        change.is_deprecated = all((at, number) in deprecated for at in change.versions)
    return [*found.values(), *_added(base, head, [side for _, side in released])]


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
        known = [each for side in (base[version], *sides) for each in side.values()]
        taken = {key for each in known for key in (each.value, each.name)}
        for number, new in numbers.items():
            if number not in taken and new.name not in taken:
                change = added.setdefault(number, Change(None, new, frozenset()))
                change.versions |= {version}
    yield from added.values()
