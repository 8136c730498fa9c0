"""What is shown of each version of an API: its messages, their tables, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirebook.docgen.render.links import Ids, version_anchor
from wirebook.docgen.render.pages.field_table import Row, field_rows
from wirebook.docgen.render.pages.wording import event_words

Doc = Mapping[str, Any]


@dataclass
class Part:
    """One message of one version. `same_as` is the lowest version of the very same layout, where that is
    another one: its table is then not written again, and each row only points there."""

    title: str
    id: str
    message: Doc
    version: Doc
    rows: list[Row] = field(default_factory=list)
    same_as: int | None = None
    prefix: str = ""


def version_sections(document: Doc, ids: Ids) -> list[dict[str, Any]]:
    """What is shown of each version, the newest stable one first; its ids are those of the API's page."""
    newest = document["newest_stable"]
    sections: list[dict[str, Any]] = []
    for version in document["versions"]:
        number = version["version"]
        shown = number == newest or (newest is None and version is document["versions"][0])
        parts = list(_parts(document, number, shown, ids))
        previous = next((item["version"] for item in document["versions"] if item["version"] < number), None)
        sections.append(
            {
                "number": number,
                "id": ids.take(f"v{number}"),
                "info": version,
                "parts": parts,
                "previous": previous,
                "events": [event_words(event) for event in version["events"]],
                "told": _told(parts),
                "open": shown,
            }
        )
    sections.sort(key=lambda section: not section["open"])
    return sections


def _parts(document: Doc, number: int, shown: bool, ids: Ids) -> Iterator[Part]:
    for message in document["messages"]:
        version = message["versions"].get(str(number))
        if version is None:
            continue
        known = {item["path"]: item for item in message["fields"]}
        prefix = version_anchor(number, message["type"])
        short = f"v{number}" if message["type"] != "response" else prefix
        part = Part(_title(message), ids.take(prefix), message, version, prefix=short)
        part.rows = list(field_rows(version["layout"], known, short, ids))
        same = number if shown else _same_as(message["versions"], number)
        if same != number:
            part.same_as = same
        yield part


def _told(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """(whose, what changed) for the messages of a version; nobody's where all of them say the same."""
    told = {part.title: told_of(part.version) for part in parts if told_of(part.version)}
    if len(set(told.values())) < 2:
        return [("", text) for text in told.values()][:1]
    return list(told.items())


def told_of(version: Doc) -> str:
    """What a message's version changed, in its history's words or else in those of its comments."""
    return version.get("about") or " ".join(version["notes"])


def _same_as(versions: Mapping[str, Doc], number: int) -> int:
    """The lowest version from which on the layout is the one of `number`, without a gap."""
    while True:
        this, before = versions[str(number)], versions.get(str(number - 1))
        if before is None or this["changes"] or _shape(this["layout"]) != _shape(before["layout"]):
            return number
        number -= 1


def _shape(layout: Doc) -> dict[str, Any]:
    """A layout without its version and marks: what two versions of the same table share."""
    return {key: layout[key] for key in ("flexible", "header_version", "fields")}


def _title(message: Doc) -> str:
    name: str = message["name"]
    return {"request": "Request", "response": "Response"}.get(message["type"], name)
