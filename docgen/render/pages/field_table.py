"""The rows of a field table: the fields of a layout in wire order, with its tagged sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirebook.docgen.render.links import Ids, anchor
from wirebook.docgen.render.pages.wording import since_release

Doc = Mapping[str, Any]


@dataclass
class Row:
    """A row of a field table: a field at its depth, or the tagged section of a struct."""

    id: str
    depth: int
    parents: str
    field: Doc | None
    versions: str = ""
    since: str = ""
    section: str = ""


def field_rows(layout: Doc, known: Mapping[str, Doc], prefix: str, ids: Ids) -> Iterator[Row]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""

    def level(fields: Sequence[Doc], depth: int, above: str) -> Iterator[Row]:
        plain = [item for item in fields if item["tag"] is None]
        tagged = [item for item in fields if item["tag"] is not None]
        for item in plain:
            yield from one(item, depth, above)
        if layout["flexible"]:
            here = f"{prefix}-{anchor(above)}-tags" if above else f"{prefix}-tags"
            told = ", ".join(f"{item['tag']} {item['name']}" for item in tagged)
            yield Row(ids.take(here), depth, above, None, section=told)
            for item in tagged:
                yield from one(item, depth + 1, above)

    def one(item: Doc, depth: int, above: str) -> Iterator[Row]:
        about = known.get(item["path"], {})
        yield Row(
            ids.take(f"{prefix}-{anchor(item['path'])}"),
            depth,
            above,
            item,
            versions=about.get("versions", ""),
            since=since_release(about.get("events", ())),
        )
        if item["fields"] is not None:
            yield from level(item["fields"], depth + 1, item["path"])

    yield from level(layout["fields"], 0, "")
