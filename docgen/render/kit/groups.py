"""APIs and other messages under the headings of lists."""

from __future__ import annotations

from collections.abc import Iterable

from wirebook.docgen.catalog.records import IndexRow
from wirebook.specs.kafka.texts import GROUPS

ALL, OTHERS = "APIs", "Other APIs"
_KINDS = {
    "header": "Headers",
    "data": "Data",
    "metadata": "Metadata records",
    "coordinator-key": "Coordinator record keys",
    "coordinator-value": "Coordinator record values",
}


def kind_title(kind: str) -> str:
    """The heading of the messages of a kind that are neither requests nor responses."""
    return _KINDS.get(kind, kind)


def grouped(rows: Iterable[IndexRow]) -> dict[str, list[IndexRow]]:
    """Rows by group, in the order of GROUPS and then of the rows; if none has a group, all are "APIs"."""
    found: dict[str, list[IndexRow]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    if set(found) <= {""}:
        return {ALL: found[""]} if found else {}
    rest = found.pop("", [])
    known = {name: place for place, name in enumerate(GROUPS)}
    made = {name: found[name] for name in sorted(found, key=lambda name: known.get(name, len(known)))}
    return {**made, OTHERS: rest} if rest else made
