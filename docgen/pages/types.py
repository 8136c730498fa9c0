"""The wire types, byte by byte."""

from __future__ import annotations

from wirebook.docgen.pages.page import Page, page_of
from wirebook.docgen.pages.shipped import shipped


def shown_groups(with_records: bool) -> dict[str, list[dict[str, str]]]:
    """The types of a site by group: name, the meaning of its bytes, an example in hex, and the
    meaning of the example; record batches and their varints only `with_records`.

    Source: Kafka's Type.java and MessageDataGenerator.
    """

    def is_of_records(name: str) -> bool:
        return "RECORDS" in name or name in ("VARINT", "VARLONG", "UNSIGNED_VARLONG")

    return {
        title: [entry for entry in group if with_records or not is_of_records(entry["name"])]
        for title, group in shipped("types.json").items()
    }


def types_page(with_records: bool) -> Page:
    """Types and their bytes; `with_records` is whether the protocol has record batches."""
    title = "Types and their bytes"
    return page_of("types.html.jinja", "types/", title, groups=shown_groups(with_records))
