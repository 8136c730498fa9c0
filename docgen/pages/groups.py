"""APIs and other messages under the headings of lists."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from wirebook.docgen.catalog.records import IndexRow
from wirebook.rules.report.words import grouped

# The purposes of APIs and messages, in the order of lists.
GROUPS = (
    "Produce and fetch",
    "Metadata and clusters",
    "Consumer groups",
    "Share groups",
    "Streams groups",
    "Transactions",
    "Topics and configurations",
    "Security",
    "Quotas and telemetry",
    "KRaft",
    "Removed with ZooKeeper",
)
Groups = dict[str, list[IndexRow]]
_KINDS = {
    "header": "Headers",
    "data": "Other data",
    "metadata": "Metadata records",
    "coordinator-key": "Coordinator record keys",
    "coordinator-value": "Coordinator record values",
}


def apis_by_group(index: Iterable[IndexRow]) -> Groups:
    """The APIs of an index by their group, in the order of GROUPS; those without one are last."""
    apis = grouped((row for row in index if row.is_api), attrgetter("group"))
    ungrouped = apis.pop("", [])
    groups = {name: apis.pop(name) for name in GROUPS if name in apis} | apis
    if ungrouped:
        groups["Other APIs" if groups else "Requests and responses"] = ungrouped
    return groups


def others_by_kind(index: Iterable[IndexRow]) -> Groups:
    """The messages of an index that are neither requests nor responses, by their kind."""
    others = (row for row in index if not row.is_api)
    return grouped(others, lambda row: _KINDS.get(row.kind, row.kind))


def listed(index: Iterable[IndexRow]) -> Groups:
    """Every API by its group, then the other messages by their kind."""
    return {**apis_by_group(index), **others_by_kind(index)}
