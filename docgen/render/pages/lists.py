"""The pages that list one thing for all APIs: the index, deprecations, tags and error codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wirebook.docgen.render.environment import render
from wirebook.docgen.render.links import anchor
from wirebook.docgen.render.pages.page import Heading, Page, root_of
from wirebook.docgen.render.pages.wording import event_words, moment, since_word

Doc = Mapping[str, Any]


def api_index(index: Sequence[Doc], snapshots: Sequence[Doc]) -> Page:
    """The table of all APIs and other messages."""
    path = "api/"
    apis = [item for item in index if item["kind"] == "api"]
    others = [item for item in index if item["kind"] != "api"]
    groups: dict[str, list[Doc]] = {}
    for item in others:
        groups.setdefault(item["kind"], []).append(item)
    html = render(
        "api_index.html.jinja",
        root=root_of(path),
        apis=apis,
        groups=groups,
        moment=moment,
        since_word=since_word,
    )
    headings = [Heading("APIs", "apis", 2), *(Heading(_plural(kind), anchor(kind), 2) for kind in groups)]
    return Page(path, "All APIs", html, tuple(headings), boost=3.0)


def _plural(kind: str) -> str:
    return {
        "header": "Headers",
        "data": "Data",
        "metadata": "Metadata records",
        "coordinator-key": "Coordinator record keys",
        "coordinator-value": "Coordinator record values",
    }.get(kind, kind)


def deprecations_page(documents: Iterable[Doc]) -> Page:
    """What is deprecated, what was, and what has been removed."""
    path = "deprecations/"
    now: list[tuple[Doc, Doc]] = []
    removed: list[tuple[Doc, Doc]] = []
    before: list[tuple[Doc, Doc]] = []
    for document in documents:
        for version in document["versions"]:
            kinds = {event["event"] for event in version["events"]}
            if version["state"] == "deprecated":
                now.append((document, version))
            elif version["state"] == "removed":
                removed.append((document, version))
            elif "deprecated" in kinds:
                before.append((document, version))
    html = render(
        "deprecations.html.jinja",
        root=root_of(path),
        now=_spans(now),
        removed=_spans(removed),
        before=_spans(before),
    )
    headings = (
        Heading("Deprecated now", "now", 2),
        Heading("Removed", "removed", 2),
        Heading("Deprecated once, and still there", "before", 2),
    )
    return Page(path, "Deprecations", html, headings)


def _place(document: Doc) -> tuple[bool, int, str]:
    """Requests and responses by their key; other messages, whose keys count something else, by name."""
    is_api = document["kind"] == "api" and document["api_key"] is not None
    return (not is_api, document["api_key"] if is_api else 0, document["api"])


def _spans(found: Sequence[tuple[Doc, Doc]]) -> list[dict[str, Any]]:
    """Versions of one API with the same events as one row."""
    rows: list[dict[str, Any]] = []
    for document, version in sorted(
        found,
        key=lambda pair: (*_place(pair[0]), pair[1]["version"]),
    ):
        events = [event_words(event) for event in version["events"] if event["event"] not in ("flexible",)]
        told = [text for text in events if not text.startswith(("added", "stable", "unstable"))]
        last = rows[-1] if rows else None
        if (
            last
            and last["document"] is document
            and last["events"] == told
            and last["high"] == version["version"] - 1
        ):
            last["high"] = version["version"]
        else:
            rows.append(
                {"document": document, "low": version["version"], "high": version["version"], "events": told}
            )
    return rows


def tags_page(documents: Iterable[Doc]) -> Page:
    """Every tag of every struct, the burnt ones too."""
    path = "tags/"
    rows = [
        (document, message, tag)
        for document in documents
        for message in document["messages"]
        for tag in message["tags"]
    ]
    rows.sort(key=lambda row: (*_place(row[0]), row[1]["name"], row[2]["struct"], row[2]["tag"]))
    html = render("tags.html.jinja", root=root_of(path), rows=rows)
    return Page(path, "Tags", html, boost=20.0)


def errors_page(errors: Sequence[Doc], index: Sequence[Doc]) -> Page:
    """The error codes: what happened, whether a retry helps, since when, and which API answers it."""
    path = "errors/"
    slugs = {item["api"]: item["slug"] for item in index}
    html = render("errors.html.jinja", root=root_of(path), errors=errors, slugs=slugs)
    return Page(path, "Error codes", html, boost=0)
