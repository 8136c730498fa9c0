"""Rows of the index."""

from __future__ import annotations

from wirebook.docgen.catalog.records import (
    IndexRow,
    Lifecycle,
)


def index_row(slug: str, kind: str, api_key: int) -> IndexRow:
    row = ("0", "0", 0, "none", "none", "none")
    return IndexRow(slug, slug.title(), (), api_key, kind, "", *row, Lifecycle(()), (), gone=False)
