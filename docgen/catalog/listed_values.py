"""The values and flags of fields in all snapshots, removed ones included.

Specs list them beside fields; a table of the profile lists those of other fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirebook.docgen.catalog.history import ApiHistory
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.specs.model import Field
from wirebook.specs.numbers import NO_VALUES, FieldValue, FieldValues

# A snapshot, and the values that a field has there, by number.
_State = tuple[str, dict[int, list[FieldValue]]]


def listed_in_snapshots(history: ApiHistory, part: str) -> dict[str, FieldValues]:
    """The values of the fields of a message by path, with the snapshots that added, deprecated and
    removed them: those of the newest snapshot, then removed ones.
    """
    files, context = history.by_part.get(part, []), history.context
    if not context.value_tables and not any(
        history.model(file.digest).lists_values for file in files
    ):
        return {}
    states: dict[str, list[_State]] = {}
    others: dict[str, str] = {}
    for file in files:
        tables = context.value_tables.get(file.ordinal, {})
        in_table = tables.get(history.model(file.digest).name, {})
        for path, fields in _fields(history, file).items():
            in_spec = [value for field in fields for value in field.values]
            of_table = in_table.get(path, NO_VALUES)
            values: dict[int, list[FieldValue]] = {}
            for value in in_spec or of_table.listed:
                values.setdefault(value.value, []).append(value)
            states.setdefault(path, []).append((context.snapshots[file.ordinal].name, values))
            others[path] = "" if in_spec else of_table.others
    every = {path: _with_history(each) for path, each in states.items()}
    return {path: FieldValues(values, others[path]) for path, values in every.items() if values}


def _fields(history: ApiHistory, file: SnapshotFile) -> dict[str, list[Field]]:
    """The fields of a text by path; a path has several if versions divide it."""
    fields: dict[str, list[Field]] = {}
    for version in file.offer.valid:
        for each in history.layout(file.digest, version).walk():
            same = fields.setdefault(each.path, [])
            if not any(each.field is field for field in same):
                same.append(each.field)
    return fields


def _with_history(states: Sequence[_State]) -> tuple[FieldValue, ...]:
    """The values of a field, each as the newest list with its number has it."""
    # A field may be older than its list of values, and older lists are unknown.
    first = next((at for at, (_, values) in enumerate(states) if values), len(states))
    names = ["", *(name for name, _ in states[first + 1 :]), ""]
    lists = [values for _, values in states[first:]]
    listed: dict[int, list[FieldValue]] = {}
    for newest, values in reversed([*enumerate(lists)]):
        for number in [number for number in values if number not in listed]:
            having = [at for at, each in enumerate(lists) if number in each]
            deprecating = [
                at for at in having if any(each.deprecated for each in lists[at][number])
            ]
            listed[number] = [
                replace(
                    value,
                    since=names[having[0]],
                    deprecated_since=names[deprecating[0]] if deprecating else "",
                    removed_in=names[newest + 1],
                )
                for value in values[number]
            ]
    return tuple(value for same in listed.values() for value in same)
