"""The table of values of a protocol's own profile, in the specs and in each release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.rules.opened import OpenedProject
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.texts.model import TableValues


def value_tables(
    specs: OpenedProject, history: Path | None, snapshots: Sequence[CatalogSnapshot]
) -> Mapping[int, TableValues]:
    """The values of fields by snapshot, if the profile names a table of its own.

    A release has the table that is at the same path in its commit; what is unusable there is left out.
    Raises InputError if that of the specs does not exist or cannot be read.
    """
    table = specs.table("values")
    if table is None:
        return {}
    own, path = values_by_field(read_values(*table)), table[1]
    if history is None:
        return dict.fromkeys((each.ordinal for each in snapshots), own)
    tables: dict[int, TableValues] = {}
    with Git(history) as git:
        for snapshot in snapshots:
            if snapshot.kind != "release" or snapshot.commit is None:
                tables[snapshot.ordinal] = own
                continue
            text = git.read(f"{snapshot.commit}:{path}", path)
            if text is not None:
                tables[snapshot.ordinal] = _readable(text, path)
    return tables


def _readable(text: bytes, path: str) -> TableValues:
    """The values of a released table; of one with errors, those that can be read."""
    for strict in (True, False):
        try:
            return values_by_field(read_values(text, path, strict=strict))
        except InputError:
            continue
    return {}
