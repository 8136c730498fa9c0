"""Numbers with a meaning: error codes, and the values that specs and tables list for fields.

A number is a promise like a tag: peers know it by the name that base or a release gives it. Fields
are paired by message and path in each version, or by the matcher of fields where head lacks the
path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from wirebook.rules.match import LayoutMatch, match_layouts, match_messages
from wirebook.rules.pairs import Part
from wirebook.rules.released import Released, unstable_tops
from wirebook.rules.rule import Hit
from wirebook.rules.severity import Place, Severity
from wirebook.specs.layout import Layout, Layouts
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import Message, Protocol
from wirebook.specs.numbers import DescribedError, FieldValue, ValueSet
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import Versions


class Tables(NamedTuple):
    """The tables of one side, or of a release; None for one that it lacks.

    `paths` are by "errors" and "values".
    """

    errors: tuple[DescribedError, ...] | None = None
    values: tuple[ValueSet, ...] | None = None
    paths: Mapping[str, str] = {}
    release: str = ""


class TablesPair(NamedTuple):
    """The tables of base and head, and those of releases, oldest first."""

    base: Tables = Tables()
    head: Tables = Tables()
    released: tuple[Tables, ...] = ()


class Number(NamedTuple):
    """An error code, a value or a flag; `words` are its number as sentences name it.

    `deprecated` are the versions in which it may be removed.
    """

    number: int
    words: str
    name: str
    former_names: tuple[str, ...]
    deprecated: Versions
    versions: Versions
    place: Place


# What is listed for a field in each version that has it, by number.
Listed = dict[int, dict[int, Number]]
# What a table lists, by the names of messages and the paths of fields.
Table = Mapping[str, Mapping[str, Sequence[Number]]]


class Change(NamedTuple):
    """What becomes of a number.

    `old` is what base or a release lists; None if head adds it. `new` is what head lists for the
    number, or else the name; None if it is removed. `release` is the first release with `old`: ""
    if base counts as released, None if no release has it.
    """

    old: Number | None
    new: Number | None
    versions: frozenset[int]
    release: str | None = ""
    in_base: bool = False
    is_deprecated: bool = False

    @property
    def words(self) -> str:
        """The number and its names, as a waiver names them."""
        return " -> ".join(
            f"{each.words} {each.name}" for each in (self.old, self.new) if each is not None
        )


@dataclass
class NumbersPair(Part):
    """The numbers that change, of error codes or of a field; `is_listed` is whether head lists any.

    `message` and `path` are those of the field on head; None and "" for error codes.
    """

    changes: tuple[Change, ...]
    is_listed: bool
    message: Message | None = None
    path: str = ""

    def named(self, number: Number) -> str:
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


def number_pairs(
    tables: Sequence[TablesPair],
    base: Protocol | None,
    head: Protocol,
    frozen: Released,
    everything: bool,
) -> Iterator[NumbersPair]:
    """The error codes and the values of fields that change; with `everything`, also what base has
    changed."""
    given = tables[0] if tables else TablesPair()
    if (
        not tables
        and not everything
        and not any(each.lists_values for each in (*head, *(base or ())))
    ):
        return
    earlier = given.released if frozen.given else (given.base,)
    codes = [(each.release, _codes(each)) for each in earlier]
    changes = _changes(_codes(given.base), _codes(given.head), codes, everything)
    if changes:
        yield NumbersPair(changes, given.head.errors is not None)
    sides = _table(given.base), _table(given.head)
    released = {each.release: _table(each) for each in earlier}
    tops = {} if base is None else unstable_tops(base)
    for old, new in match_messages(base or Protocol(()), head):
        is_same = old == new and given.base.values == given.head.values
        if new is not None and (everything or not is_same):
            stable = frozenset(() if old is None else old.valid_versions) - {
                tops.get((old or new).identity)
            }
            was = None if old is None else (old, sides[0], stable)
            forms = list(_released(old or new, released, frozen))
            yield from _of_message(was, (new, sides[1]), forms, everything)


def _codes(tables: Tables) -> Listed:
    path = tables.paths.get("errors", "")
    numbers: dict[int, Number] = {}
    for each in tables.errors or ():
        deprecated = Versions.ALL if each.deprecated else Versions.NONE
        code = FieldValue(
            each.code,
            each.name,
            "",
            Versions.ALL,
            deprecated=deprecated,
            former_names=each.former_names,
            place=each.place,
        )
        numbers[each.code] = _number(code, path)
    return {0: numbers}


def _table(tables: Tables) -> Table:
    path = tables.paths.get("values", "")
    listed: dict[str, dict[str, Sequence[Number]]] = {}
    for each in tables.values or ():
        numbers = [_number(value, path) for value in each.values.listed]
        for message, field in each.fields:
            listed.setdefault(message, {})[field] = numbers
    return listed


def _number(value: FieldValue, path: str) -> Number:
    at, end = value.place or (Position(1, 1), Position(1, 1))
    return Number(
        value.value,
        value.words,
        value.name,
        value.former_names,
        value.deprecated,
        value.versions,
        Place(at.imported or path, *at, *end),
    )


def _of_message(
    base: tuple[Message, Table, frozenset[int]] | None,
    head: tuple[Message, Table],
    forms: Sequence[tuple[str, Message, Table, frozenset[int]]],
    everything: bool,
) -> Iterator[NumbersPair]:
    """The fields of a message whose numbers change: each side has a spec, a table, and stable
    versions."""
    listing = [
        head,
        *((form, table) for _, form, table, _ in forms),
        *(() if base is None else (base[:2],)),
    ]
    if not any(message.lists_values or message.name in table for message, table in listing):
        return
    layouts = _layouts(head[0])
    was = {} if base is None else _listed(*base[:2], layouts, base[2])
    sides = [
        (release, _listed(form, table, layouts, stable)) for release, form, table, stable in forms
    ]
    for path, numbers in _listed(*head, layouts, frozenset(layouts)).items():
        own = [(release, side.get(path, {})) for release, side in sides]
        changes = _changes(was.get(path, {}), numbers, own, everything)
        if changes:
            yield NumbersPair(changes, any(numbers.values()), head[0], path)


def _released(
    message: Message, tables: Mapping[str, Table], frozen: Released
) -> Iterator[tuple[str, Message, Table, frozenset[int]]]:
    """What each release lists for a message: its spec, its table, and the versions that it
    froze."""
    forms: dict[str, tuple[Message, frozenset[int]]] = {}
    for spec in frozen.specs(message.identity):
        forms |= dict.fromkeys(spec.releases, (spec.message, spec.stable))
    # The specs of a message that does not change are not read from releases.
    unread = (message, frozenset(message.valid_versions))
    last: object = None
    for release in [baseline.name for baseline in frozen.baselines]:
        form, stable = forms.get(release, unread)
        table = tables.get(release, {}).get(form.name, {})
        if (table if not forms else release in forms) and (form, table) != last:
            yield release, form, {form.name: table}, stable
            last = form, table


def _layouts(message: Message) -> dict[int, Layout]:
    """The layouts of the versions that can be resolved, of as many as are laid out elsewhere."""
    layouts = Layouts(message, opaque=True)
    found: dict[int, Layout] = {}
    for version in islice(message.valid_versions, MAX_VERSIONS):
        with suppress(InputError):
            found[version] = layouts.at(version)
    return found


def _listed(
    message: Message, table: Table, head: Mapping[int, Layout], versions: frozenset[int]
) -> dict[str, Listed]:
    """What a spec, or else a table, lists in some versions for the fields that head has, by paths
    of head."""
    listed: dict[str, Listed] = {}
    own = table.get(message.name, {})
    of_spec: dict[int, Sequence[Number]] = {}
    for version, layout in _layouts(message).items():
        paths = _paths(layout, head[version]) if version in versions and version in head else {}
        for field in layout.walk() if paths else ():
            if field.path in paths:
                order = field.field.written.order
                if order not in of_spec:
                    of_spec[order] = [_number(each, message.path) for each in field.field.values]
                numbers = of_spec[order] or own.get(field.path, ())
                here = {each.number: each for each in numbers if version in each.versions}
                listed.setdefault(paths[field.path], {})[version] = here
    return listed


def _paths(one: Layout, head: Layout) -> dict[str, str]:
    """The paths of a layout, each with that of the same field on head."""
    before, after = ({field.path for field in each.walk()} for each in (one, head))
    paths = {path: path for path in before & after}
    for match in _matches(match_layouts(one, head)) if before - after else ():
        if match.old is not None and match.new is not None and match.new.path not in before:
            paths.setdefault(match.old.path, match.new.path)
    return paths


def _matches(matches: Iterable[LayoutMatch]) -> Iterator[LayoutMatch]:
    for match in matches:
        yield match
        yield from _matches(match.inner)


def _changes(
    base: Listed,
    head: Listed,
    released: Sequence[tuple[str, Listed]],
    everything: bool,
) -> tuple[Change, ...]:
    """The numbers that lose or change their meaning, and those that head adds to a released
    version."""
    found: dict[tuple[int, bool], Change] = {}
    deprecated: set[tuple[int, int]] = set()
    for release, side in (*released, (None, base)):
        for version, numbers in side.items():
            if version not in head:
                continue  # The field ends with its values.
            now, was = head[version], base.get(version, {})
            for number, old in numbers.items():
                if version in old.deprecated:
                    deprecated.add((version, number))
                new = _now(now, old)
                if _keeps(now, old) or (not everything and _is_broken(was, now, old)):
                    continue
                if release is None and new is not None and _is_in(released, version, new):
                    continue  # Head restores what a release has.
                own = was.get(number)
                in_base = own is not None and own.name == old.name
                change = Change(
                    own if in_base else old, new, frozenset({version}), release, in_base
                )
                first = found.setdefault((number, new is None), change)
                if (first.release is None) == (release is None):
                    found[number, new is None] = first._replace(versions=first.versions | {version})
    return tuple(
        each._replace(
            is_deprecated=all((version, number) in deprecated for version in each.versions)
        )
        for (number, _), each in found.items()
    ) + tuple(_added(base, head, [side for _, side in released]))


def _now(numbers: Mapping[int, Number], old: Number) -> Number | None:
    """What is listed for a number or, if that is free, for its name."""
    return numbers.get(old.number) or next(
        (each for each in numbers.values() if each.name == old.name), None
    )


def _keeps(numbers: Mapping[int, Number], old: Number) -> bool:
    """Whether a number has its meaning: its name, or another one that declares it as a former
    name."""
    new = numbers.get(old.number)
    if new is None or new.name == old.name:
        return new is not None
    return old.name in new.former_names and all(each.name != old.name for each in numbers.values())


def _is_broken(base: Mapping[int, Number], head: Mapping[int, Number], old: Number) -> bool:
    """Whether base has already lost what a release lists, and head does not give the number
    away."""
    return not _keeps(base, old) if old.number in base else old.number not in head


def _is_in(released: Sequence[tuple[str, Listed]], version: int, number: Number) -> bool:
    sides = (side.get(version, {}).get(number.number) for _, side in released)
    return any(each is not None and each.name == number.name for each in sides)


def _added(base: Listed, head: Listed, released: Sequence[Listed]) -> Iterator[Change]:
    """The numbers that head adds where base and a release list others."""
    versions: dict[int, list[int]] = {}
    for version, numbers in head.items():
        sides = [side[version] for side in (base, *released) if side.get(version)]
        known = {
            key for side in sides for each in side.values() for key in (each.number, each.name)
        }
        for number, new in numbers.items() if len(sides) > 1 and base.get(version) else ():
            if number not in known and new.name not in known:
                versions.setdefault(number, []).append(version)
    for number, own in versions.items():
        yield Change(None, head[own[0]][number], frozenset(own))
