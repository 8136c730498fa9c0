"""The wire types, byte by byte: types.json holds their descriptions, the codec computes their examples."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from wirebook.docgen.render.bytes.primer import field, tiny
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.specs.wire.records.varints import varint
from wirebook.specs.wire.scalars import write_unsigned

# Groups keep the ids of their former titles, since other sites link to them.
_IDS = {"Integers and booleans": "numbers-and-truth", "Strings and bytes": "texts-and-bytes"}


@cache
def groups() -> dict[str, list[dict[str, Any]]]:
    """Types by group: name, the meaning of its bytes, a value, its bytes in hex, and the meaning of the
    example.

    Source: Kafka's Type.java and MessageDataGenerator.
    """
    path = Path(__file__).resolve().parent / "types.json"
    document: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    for group in document.values():
        for entry in group:
            entry["example"] = example(entry["name"], entry["value"]).hex(" ")
    return document


def example(type_: str, value: Any) -> bytes:
    """The bytes of a value of a type; arrays are of INT16. Raises WireError."""
    if type_ in ("UNSIGNED_VARINT", "UNSIGNED_VARLONG"):
        out = bytearray()
        write_unsigned(out, value)
        return bytes(out)
    if type_ in ("VARINT", "VARLONG"):
        return varint(value)
    if type_ == "TAG_BUFFER":
        return tiny(field("F", "COMPACT_STRING", tag=0, default=""), flexible=True).encode(value)
    if type_.endswith("STRUCT"):
        inner = [field("X", "INT16", path="F.X")]
        if value is not None:
            return tiny(*inner, flexible=True).encode(value)
        return tiny(field("F", type_, fields=inner)).encode({"F": value})
    if type_.endswith("ARRAY"):
        form = type_.replace("NULLABLE_", "")
        return tiny(field("F", form, element="INT16", nullable="NULLABLE" in type_)).encode({"F": value})
    return tiny(field("F", type_)).encode({"F": value})


def shown_groups(with_records: bool) -> dict[str, list[dict[str, Any]]]:
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
