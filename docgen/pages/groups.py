"""APIs and other messages under the headings of lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.records import IndexRow
from wirebook.specs.kafka.texts import GROUPS

_KINDS = {
    "header": "Headers",
    "data": "Data",
    "metadata": "Metadata records",
    "coordinator-key": "Coordinator record keys",
    "coordinator-value": "Coordinator record values",
}


def kind_title(kind: str) -> str:
    """The heading of the messages of a kind that are neither requests nor responses."""
    return _KINDS.get(kind) or kind[:1].upper() + kind[1:].replace("-", " ")


def grouped(rows: Iterable[IndexRow]) -> dict[str, list[IndexRow]]:
    """Rows by group, in the order of GROUPS; if none has a group, all are "APIs"."""
    rows = list(rows)
    title = "Other APIs" if any(row.group for row in rows) else "APIs"
    groups: dict[str, list[IndexRow]] = {name: [] for name in GROUPS}
    for row in sorted(rows, key=lambda row: not row.group):
        groups.setdefault(row.group or title, []).append(row)
    return {name: of_group for name, of_group in groups.items() if of_group}


def listed(index: Sequence[IndexRow]) -> dict[str, list[IndexRow]]:
    """Every API by its group, then the other messages by their kind."""
    groups = grouped(
        sorted((row for row in index if row.is_api), key=lambda row: key_order(row.api_key))
    )
    for row in index:
        if not row.is_api:
            groups.setdefault(kind_title(row.kind), []).append(row)
    return groups
