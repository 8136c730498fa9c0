"""The Parquet tables of the catalog: the columns of each, and its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

from wirebook.docgen.catalog.api_history import EventRow, StateText
from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.rows import FieldRow, TextRow, VersionRow

Row = dict[str, Any]

_TEXT = {"digest": str, "subject": str, "message": str}
_FIELD = {name: kind for name, kind in get_type_hints(FieldRow).items() if name not in ("versions", "places")}
SNAPSHOTS = get_type_hints(CatalogSnapshot)
CHANGES = {"subject": str, **get_type_hints(EventRow)}
VERSIONS = {**_TEXT, "type": str, **get_type_hints(VersionRow)}
FIELDS = {**_TEXT, "message_type": str, "version": int, "place": int, **_FIELD}
MESSAGES = {
    "ordinal": int,
    "subject": str,
    "type": str,
    "name": str,
    "api": str,
    "api_key": int,
    "path": str,
    "digest": str,
    "valid": list[int],
    "deprecated": list[int],
    "unstable": list[int],
}


def changes(happened: Mapping[str, Sequence[EventRow]]) -> list[Row]:
    """The events of all subjects, in the order of snapshots."""
    rows = [{"subject": subject, **event._asdict()} for subject, each in happened.items() for event in each]
    order = ("ordinal", *CHANGES)
    return sorted(rows, key=lambda row: [(row[name] is not None, row[name]) for name in order])


def messages(held: Iterable[tuple[TextRow, StateText]]) -> Iterator[Row]:
    """Each message of each snapshot, with the versions that existed there."""
    for row, (ordinal, digest, path, state) in held:
        named = (row.subject, row.type, row.message, row.api, row.api_key)
        offered = (row.states or [])[state][1:4]
        yield dict(zip(MESSAGES, (ordinal, *named, path, digest, *offered), strict=True))


def versions(rows: Iterable[TextRow]) -> Iterator[Row]:
    """Each version of each distinct text."""
    for row in rows:
        for version in row.versions or ():
            yield {**_named(row), "type": row.type, **version._asdict()}


def fields(rows: Iterable[TextRow]) -> Iterator[Row]:
    """Each field, at every depth, of each version of each distinct text."""
    for row in rows:
        laid_out = (
            (version, place, field)
            for field in row.fields or ()
            for version, place in zip(field.versions, field.places, strict=True)
        )
        for version, place, field in sorted(laid_out):
            at = {**_named(row), "message_type": row.type, "version": version, "place": place}
            yield at | {name: getattr(field, name) for name in _FIELD}


def _named(row: TextRow) -> Row:
    return {"digest": row.digest, "subject": row.subject, "message": row.message}
