"""The values of the fields of a message in all snapshots, removed ones included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from wirebook.docgen.catalog.history import ApiHistory
from wirebook.specs.layout import LayoutField
from wirebook.specs.model import NO_VALUES, FieldValue, FieldValues

# The values that a field has in a snapshot, by number: several if versions divide a number.
_Values = dict[int, list[FieldValue]]


def listed_in_snapshots(history: ApiHistory, part: str) -> dict[str, FieldValues]:
    """The values of the fields of a message by path, with the snapshots that added, deprecated and
    removed them: those of the newest snapshot, then removed ones."""
    context = history.context
    states: dict[str, list[tuple[str, _Values]]] = {}
    others: dict[str, str] = {}
    for file in history.by_part[part]:
        message = history.model(file.digest)
        tables = context.value_tables.get(file.ordinal, {})
        in_table = tables.get(message.name, {})
        if not in_table and not message.lists_values and not states:
            continue
        snapshot = context.snapshots[file.ordinal].name
        for path, by_version in history.fields(file).items():
            in_spec = _of_spec(by_version)
            of_table = in_table.get(path, NO_VALUES)
            values: _Values = {}
            for value in in_spec or of_table.listed:
                values.setdefault(value.value, []).append(value)
            states.setdefault(path, []).append((snapshot, values))
            others[path] = "" if in_spec else of_table.others
    every = {path: _with_history(of_field) for path, of_field in states.items()}
    return {path: FieldValues(values, others[path]) for path, values in every.items() if values}


def _of_spec(by_version: Mapping[int, LayoutField]) -> list[FieldValue]:
    """The values that a spec lists for a field; a path has several fields if versions divide it."""
    fields = {id(each.field): each.field for each in reversed([*by_version.values()])}
    return [value for field in fields.values() for value in field.values]


def _with_history(states: Iterable[tuple[str, _Values]]) -> tuple[FieldValue, ...]:
    """The values of a field, each as the newest list with its number has it."""
    newest: _Values = {}
    since: dict[int, str] = {}
    deprecated: dict[int, str] = {}
    removed: dict[int, str] = {}
    for snapshot, values in states:
        # A field may be older than its list of values, and older lists are unknown.
        moment = snapshot if newest else ""
        for number, listed in values.items():
            since.setdefault(number, moment)
            removed.pop(number, None)
            if any(value.deprecated for value in listed):
                deprecated.setdefault(number, moment)
        for number in newest.keys() - values.keys():
            removed.setdefault(number, snapshot)
        newest = values | {number: newest[number] for number in newest if number not in values}
    return tuple(
        replace(
            value,
            since=since[number],
            deprecated_since=deprecated.get(number, ""),
            removed_in=removed.get(number, ""),
        )
        for number, listed in newest.items()
        for value in listed
    )
