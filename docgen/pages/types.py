"""The wire types, byte by byte."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from wirebook.docgen.pages.page import Page, page_of


@cache
def groups() -> dict[str, list[dict[str, str]]]:
    """Types by group: name, the meaning of its bytes, an example in hex, and the meaning of the
    example.

    Source: Kafka's Type.java and MessageDataGenerator.
    """
    path = Path(__file__).with_name("types.json")
    document: dict[str, list[dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    return document


def shown_groups(with_records: bool) -> dict[str, list[dict[str, str]]]:
    """The types of a site: record batches and their varints only `with_records`."""

    def is_of_records(name: str) -> bool:
        return "RECORDS" in name or name in ("VARINT", "VARLONG", "UNSIGNED_VARLONG")

    return {
        title: [entry for entry in group if with_records or not is_of_records(entry["name"])]
        for title, group in groups().items()
    }


def types_page(with_records: bool) -> Page:
    """Types and their bytes; `with_records` is whether the protocol has record batches."""
    title = "Types and their bytes"
    return page_of("types.html.jinja", "types/", title, groups=shown_groups(with_records))
