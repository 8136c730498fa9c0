"""The wire types, byte by byte: types.json holds what is said of each, and its page is made of that."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from docgen.render.environment import render
from docgen.render.links import anchor
from docgen.render.pages import Heading, Page, root_of


@cache
def groups() -> dict[str, list[dict[str, str]]]:
    """Types by group: name, what its bytes are, an example in hex, and what the example says.

    Source: Kafka's Type.java and MessageDataGenerator; the bytes are those of its Java client.
    """
    path = Path(__file__).resolve().parent / "types.json"
    found: dict[str, list[dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def known() -> set[str]:
    """The names of all wire types that the page explains."""
    return {item["name"] for group in groups().values() for item in group}


def types_page() -> Page:
    """Types and their bytes."""
    headings = tuple(Heading(title, anchor(title), 2) for title in groups())
    html = render("types.html.jinja", root=root_of("types/"), groups=groups())
    return Page("types/", "Types and their bytes", html, headings, boost=1.5)
