"""The releases as feeds: Atom (RFC 4287) and JSON Feed 1.1, with an entry for each release that has a date.

Without the address of the site, links of the Atom feed are relative to it, and the JSON feed has none.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from urllib.parse import quote
from xml.etree import ElementTree

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, NewErrorCode, SnapshotRecord
from wirebook.docgen.catalog.rows import snapshot_slug
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.stories import Story, first_release, stories
from wirebook.specs.printable import visible

ATOM = "feed.xml"
JSON = "feed.json"
_ATOM = "http://www.w3.org/2005/Atom"
_IDS = uuid.UUID("f0c6a51e-5f0d-5a3c-9d3c-6a1f6a0f7b52")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A release: its id, title, page (from the root of the reference), time, what changed, as HTML."""

    id: str
    title: str
    place: str
    updated: str
    summary: str
    html: str


@dataclass(frozen=True, slots=True)
class Feed:
    """The releases of a protocol, newest first."""

    id: str
    title: str
    subtitle: str
    entries: tuple[FeedEntry, ...]

    def atom(self, base: str) -> str:
        """As Atom; `base` is the address of the reference with a slash at its end, or ""."""
        root = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
        _add(root, "id", self.id)
        _add(root, "title", self.title)
        _add(root, "subtitle", self.subtitle)
        _add(root, "updated", self.entries[0].updated)
        _add(ElementTree.SubElement(root, "author"), "name", self.title)
        _add(root, "generator", "wirebook")
        if base:
            _add(root, "link", rel="self", type="application/atom+xml", href=base + ATOM)
        _add(root, "link", rel="alternate", type="text/html", href=base or "./")
        for entry in self.entries:
            element = ElementTree.SubElement(root, "entry")
            _add(element, "id", entry.id)
            _add(element, "title", entry.title)
            _add(element, "updated", entry.updated)
            _add(element, "published", entry.updated)
            _add(element, "link", rel="alternate", type="text/html", href=base + entry.place)
            _add(element, "summary", entry.summary)
            _add(element, "content", entry.html, type="html")
        ElementTree.indent(root)
        text = ElementTree.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'

    def json(self, base: str) -> str:
        """As JSON Feed; `base` is as for `atom`."""
        document: dict[str, object] = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.title,
            "description": self.subtitle,
            "language": "en",
        }
        if base:
            document |= {"home_page_url": base, "feed_url": base + JSON}
        document["items"] = [
            {
                "id": entry.id,
                **({"url": base + entry.place} if base else {}),
                "title": entry.title,
                "summary": entry.summary,
                "content_html": entry.html,
                "date_published": entry.updated,
            }
            for entry in self.entries
        ]
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def release_feed(
    index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord
) -> Feed | None:
    """The feed of the snapshots that have a date; None if none has one, because an entry needs its time.

    The ids depend on the names of the protocol and of the snapshot only, so that a site may move.
    """
    name = protocol.name or protocol.heading
    dated = [(_day(snapshot), position, snapshot) for position, snapshot in enumerate(snapshots)]
    dated.sort(key=lambda row: (row[0] or "", row[1]), reverse=True)
    entries = []
    for day, _, snapshot in dated:
        if day is None:
            continue
        apis, others = stories(snapshot, index)
        html = "".join(_html(apis, others, snapshot.errors, protocol.others_title))
        nothing = first_release(snapshot, index, protocol) or "No changes in the protocol."
        entries.append(
            FeedEntry(
                id=_id(name, snapshot.name),
                title=visible(f"{protocol.product or protocol.heading} {snapshot.name}"),
                place=quote(f"{RELEASES}{snapshot_slug(snapshot.name)}/"),
                updated=f"{day}T00:00:00Z",
                summary=_summary(apis, others, snapshot.errors) or nothing,
                html=html or f"<p>{nothing}</p>",
            )
        )
    if not entries:
        return None
    title = visible(f"{protocol.heading}: releases")
    return Feed(_id(name), title, "What each release changes in the protocol.", tuple(entries))


def _day(snapshot: SnapshotRecord) -> str | None:
    try:
        return date.fromisoformat((snapshot.date or "")[:10]).isoformat()
    except ValueError:
        return None


def _id(*names: str) -> str:
    return uuid.uuid5(_IDS, "\n".join(names)).urn


def _summary(apis: Sequence[Story], others: Sequence[Story], errors: Sequence[NewErrorCode]) -> str:
    parts = [
        f"{len(items)} {what if len(items) == 1 else what + 's'}{' changed' if changed else ''}"
        for items, what, changed in (
            (apis, "API", True),
            (others, "other message", True),
            (errors, "new error code", False),
        )
        if items
    ]
    return f"{', '.join(parts)}." if parts else ""


def _html(
    apis: Sequence[Story], others: Sequence[Story], errors: Sequence[NewErrorCode], rest: str
) -> Iterator[str]:
    """The news of a release; `rest` is the title of those that are about no API."""
    for title, news in (("APIs", apis), (rest, others)):
        if news:
            lines = "".join(f"<li><b>{_text(story.api)}</b>{_lines(story)}</li>" for story in news)
            yield f"<h2>{title}</h2><ul>{lines}</ul>"
    if errors:
        codes = "".join(f"<li>{code.code} {_text(code.name)}</li>" for code in errors)
        yield f"<h2>New error codes</h2><ul>{codes}</ul>"


def _lines(story: Story) -> str:
    items = (f"<li>{line.title}: {_text('; '.join(line.details) or line.words)}</li>" for line in story.lines)
    return f"<ul>{''.join(items)}</ul>"


def _text(text: str) -> str:
    return escape(visible(text))


def _add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> None:
    ElementTree.SubElement(parent, name, attributes).text = text or None
