"""Tables as CSV (RFC 4180): the support matrix, the error codes, the tags.

Names and sentences come from specs, and spreadsheets run a cell that begins like a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from wirebook.docgen.catalog.records import ApiDocument, IndexRow, SnapshotRecord
from wirebook.docgen.pages.lists import tag_rows
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError

# What spreadsheets take for a formula (OWASP, CSV Injection), except for numbers.
_FORMULA = re.compile(r"[=+\-@\t\r]|[\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def matrix_csv(index: Iterable[IndexRow], snapshots: Sequence[SnapshotRecord]) -> str:
    """API by snapshot: key, name, then the versions in each snapshot."""
    rows: list[list[object]] = [["api_key", "api", *(snapshot.name for snapshot in snapshots)]]
    for row in index:
        if row.is_api:
            served = (snapshot.apis.get(row.slug) for snapshot in snapshots)
            cells = [
                versions.served if versions and versions.served != "none" else ""
                for versions in served
            ]
            rows.append([row.api_key, row.api, *cells])
    return _csv(rows)


def errors_csv(errors: Iterable[DescribedError]) -> str:
    """The error codes: a row for each, its APIs and former names separated by spaces."""
    rows: list[list[object]] = [
        ["code", "name", "retriable", "since", "former_names", "apis", "description"]
    ]
    for error in errors:
        apis = " ".join(dict.fromkeys(error.apis))
        retriable = "true" if error.retriable else "false"
        formerly = " ".join(error.former_names)
        rows.append(
            [error.code, error.name, retriable, error.first_release, formerly, apis, error.about]
        )
    return _csv(rows)


def tags_csv(documents: Iterable[ApiDocument]) -> str:
    """Every tag of every struct, including reserved ones."""
    rows: list[list[object]] = [
        ["api_key", "api", "message", "struct", "tag", "field", "type", "versions", "state"]
    ]
    for document, message, tag in tag_rows(documents):
        state = "reserved" if tag.reserved else "in use"
        key = document.api_key if document.is_api else None
        rows.append(
            [
                key,
                document.api,
                message.name,
                tag.struct,
                tag.tag,
                tag.field,
                tag.type,
                tag.versions,
                state,
            ]
        )
    return _csv(rows)


def _csv(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    """A value as a cell: on one line, and with an apostrophe before what would be a formula."""
    text = "" if value is None else visible(" ".join(str(value).split()))
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
