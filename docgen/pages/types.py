"""The wire types, byte by byte."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.page import Heading, Page, root_of

# Groups keep the ids of their former titles, since other sites link to them.
_IDS = {"Integers and booleans": "numbers-and-truth", "Strings and bytes": "texts-and-bytes"}


@cache
def groups() -> dict[str, list[dict[str, str]]]:
    """Types by group: name, the meaning of its bytes, an example in hex, and the meaning of the
    example.

    Source: Kafka's Type.java and MessageDataGenerator.
    """
    path = Path(__file__).resolve().parent / "types.json"
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


def known() -> set[str]:
    """The names of all wire types that the page explains."""
    return {entry["name"] for group in groups().values() for entry in group}


def types_page(*, with_records: bool = True) -> Page:
    """Types and their bytes; `with_records` is whether the protocol has record batches."""
    groups = shown_groups(with_records)
    ids = {title: _IDS.get(title, anchor(title)) for title in groups}
    headings = tuple(Heading(title, id_, 2) for title, id_ in ids.items())
    html = render("types.html.jinja", root=root_of("types/"), groups=groups, ids=ids)
    return Page("types/", "Types and their bytes", html, headings, boost=1.5)
