"""The values and flags of fields in all snapshots, removed ones included.

Specs list them beside fields; a table of the profile lists those of other fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.specs.model import Field
from wirebook.specs.numbers import NO_VALUES, FieldValue, FieldValues

# The values of a field in one snapshot, by number and name.
_Values = dict[tuple[int, str], list[FieldValue]]


def listed_in_snapshots(history: ApiHistory, part: str) -> dict[str, FieldValues]:
    """The values of the fields of a message by path, with the snapshots that added, deprecated and
    removed them: those of the newest snapshot, then removed ones.
    """
    files = history.by_part.get(part, [])
    tables = history.context.value_tables
    names = [history.model(file.digest).name for file in files]
    in_tables = [
        tables.get(file.ordinal, {}).get(name, {}) for file, name in zip(files, names, strict=True)
    ]
    if not any(in_tables) and not any(history.model(file.digest).lists_values for file in files):
        return {}
    states: dict[str, list[tuple[int, _Values]]] = {}
    others: dict[str, str] = {}
    for file, in_table in zip(files, in_tables, strict=True):
        for path, fields in _fields(history, file).items():
            in_spec = [value for field in fields for value in field.values]
            of_table = in_table.get(path, NO_VALUES)
            values: _Values = {}
            for value in in_spec or of_table.listed:
                values.setdefault((value.value, value.name), []).append(value)
            states.setdefault(path, []).append((file.ordinal, values))
            others[path] = "" if in_spec else of_table.others
    every = {path: _with_history(each, history.context.snapshots) for path, each in states.items()}
    return {path: FieldValues(values, others[path]) for path, values in every.items() if values}


def _fields(history: ApiHistory, file: SnapshotFile) -> Mapping[str, list[Field]]:
    """The fields of a text by path; a path has several if versions divide it."""
    fields: dict[str, list[Field]] = {}
    for version in history.offer(file).valid:
        for each in history.layout(file.digest, version).walk():
            same = fields.setdefault(each.path, [])
            if not any(each.field is field for field in same):
                same.append(each.field)
    return fields


def _with_history(
    states: Sequence[tuple[int, _Values]], snapshots: Sequence[CatalogSnapshot]
) -> tuple[FieldValue, ...]:
    """The values of a field as the newest list of each has them; only the line of the newest
    snapshot can have removed one."""
    # A field may be older than its list of values.
    first = next((at for at, (_, values) in enumerate(states) if values), len(states))
    states = _under_newest_names(states[first:])
    line = _line(snapshots)
    # The first snapshot with a list has no name here, as older ones are unknown.
    names = ["", *(snapshots[ordinal].name for ordinal, _ in states[1:])]
    listed: dict[tuple[int, str], list[FieldValue]] = {}
    for _, values in reversed(states):
        for key, same in values.items():
            if key in listed:
                continue
            holding = [at for at, (_, each) in enumerate(states) if key in each]
            dead = [at for at in holding if any(each.deprecated for each in states[at][1][key])]
            later = [
                at for at, (ordinal, _) in enumerate(states) if at > holding[-1] and ordinal in line
            ]
            listed[key] = [
                replace(
                    value,
                    since=names[holding[0]],
                    deprecated_since=names[dead[0]] if dead else "",
                    removed_in=names[later[0]] if later else "",
                )
                for value in same
            ]
    return tuple(value for same in listed.values() for value in same)


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
