"""The values and flags of fields in all snapshots, removed ones included.

Specs list them beside fields; a table of the profile lists those of other fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.specs.model import Field, Message
from wirebook.specs.texts.model import NO_VALUES, FieldValue, FieldValues
from wirebook.specs.values import listed_values
from wirebook.specs.versions import Versions


class PlacedField(NamedTuple):
    """A field as written, and the range in which its struct is on the wire at all.

    `is_divided` is whether versions divide a struct around it: its path is then another field in
    others.
    """

    field: Field
    scope: Versions
    is_divided: bool = False

    @property
    def present(self) -> Versions:
        """The versions that have it."""
        return self.field.present & self.scope

    @property
    def tagged(self) -> Versions:
        """The versions in which it is a tag."""
        return (
            self.field.tagged_versions & self.scope if self.field.tag is not None else Versions.NONE
        )

    @property
    def stated(self) -> Versions:
        """The versions that its spec states for it; of a divided struct, only those of its part."""
        return self.present if self.is_divided else self.field.present


# A field, and the names of the structs around it.
_Inside = tuple[PlacedField, tuple[str, ...]]


def walk_fields(message: Message) -> Iterator[tuple[str, list[PlacedField]]]:
    """The fields of all versions by path, at every depth, each path once.

    A path has several fields if versions divide it, or a struct around it.
    """

    def walk(fields: Iterable[_Inside], above: str) -> Iterator[tuple[str, list[PlacedField]]]:
        named: dict[str, list[_Inside]] = {}
        for one in fields:
            named.setdefault(one[0].field.name, []).append(one)
        for name, same in named.items():
            path = f"{above}.{name}" if above else name
            yield path, [placed for placed, _ in same]
            yield from walk((inner for one in same for inner in inside(*one, len(same) > 1)), path)

    def inside(placed: PlacedField, within: tuple[str, ...], is_divided: bool) -> Iterator[_Inside]:
        element = placed.field.element
        if element not in within:
            for inner in message.fields_of(placed.field) or ():
                one = PlacedField(inner, placed.present, is_divided or placed.is_divided)
                yield one, (*within, element)

    yield from walk(((PlacedField(one, Versions.ALL), ()) for one in message.fields), "")


# The values of a field in one snapshot, by number and name.
_Values = dict[tuple[int, str], list[FieldValue]]


class ListedValues:
    """The values of the fields of one message, with the snapshots that added, deprecated and
    removed them."""

    def __init__(self, history: ApiHistory, part: str) -> None:
        self.snapshots = history.context.snapshots
        self.states: dict[str, list[tuple[int, _Values]]] = {}
        self.others: dict[str, str] = {}
        tables = history.context.value_tables
        messages = {
            file.ordinal: history.model(file.digest) for file in history.by_part.get(part, [])
        }
        in_tables = {
            at: tables.get(at, {}).get(message.name, {}) for at, message in messages.items()
        }
        if not any(in_tables.values()) and not any(
            message.lists_values for message in messages.values()
        ):
            return
        for ordinal, message in sorted(messages.items()):
            for path, written in walk_fields(message):
                values: _Values = {}
                in_spec = [value for each in written for value in listed_values(each.field).listed]
                in_table = in_tables[ordinal].get(path, NO_VALUES)
                for value in in_spec or in_table.listed:
                    values.setdefault((value.value, value.name), []).append(value)
                self.states.setdefault(path, []).append((ordinal, values))
                self.others[path] = "" if in_spec else in_table.others

    def of(self, path: str) -> FieldValues | None:
        """The values of the field at a path: those of the newest snapshot, then removed ones; None
        if no snapshot lists any.
        """
        states = self.states.get(path, [])
        # A field may be older than its list of values.
        first = next((at for at, (_, values) in enumerate(states) if values), len(states))
        states = _under_newest_names(states[first:])
        listed: dict[tuple[int, str], list[FieldValue]] = {}
        for _, values in reversed(states):
            for key, same in values.items():
                if key not in listed:
                    listed[key] = [self._with_history(key, value, states) for value in same]
        every = tuple(value for same in listed.values() for value in same)
        return FieldValues(every, self.others[path]) if listed else None

    def _with_history(
        self, key: tuple[int, str], value: FieldValue, states: Sequence[tuple[int, _Values]]
    ) -> FieldValue:
        """A value as its newest list has it; only the line of the newest snapshot can have removed
        it."""
        holding = [at for at, (_, values) in enumerate(states) if key in values]
        deprecating = [at for at in holding if any(each.deprecated for each in states[at][1][key])]
        line = _line(self.snapshots)
        later = [
            at for at, (ordinal, _) in enumerate(states) if at > holding[-1] and ordinal in line
        ]

        def name(at: int) -> str:
            """The snapshot of a state; "" for the first, as older ones are unknown."""
            return self.snapshots[states[at][0]].name if at else ""

        return value._replace(
            since=name(holding[0]),
            deprecated_since=name(deprecating[0]) if deprecating else "",
            removed_in=name(later[0]) if later else "",
        )


def _line(snapshots: Sequence[CatalogSnapshot]) -> set[int]:
    """The ordinals of the newest snapshot and of all that it follows."""
    at: int | None = len(snapshots) - 1
    ordinals: set[int] = set()
    while at is not None:
        ordinals.add(at)
        at = snapshots[at].predecessor
    return ordinals


def _under_newest_names(states: Sequence[tuple[int, _Values]]) -> list[tuple[int, _Values]]:
    """The values of each snapshot under the names that newer ones have for them."""
    newest: dict[tuple[int, str], tuple[int, str]] = {}
    renamed = []
    for ordinal, values in reversed(states):
        current: _Values = {}
        for (number, name), same in values.items():
            key = newest.setdefault((number, name), (number, name))
            current.setdefault(key, []).extend(same)
            newest |= {(number, former): key for each in same for former in each.former_names}
        renamed.append((ordinal, current))
    return renamed[::-1]
