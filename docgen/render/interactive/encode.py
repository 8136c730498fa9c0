"""The page that encodes a value in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.render.interactive.decode import listed
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.page import Heading, Page, root_of

PATH = "encode/"
_ABOUT = (
    "Fill in a message in a form or as JSON, and get its bytes in hex and as a literal of five languages."
)


def encode_page(index: Sequence[IndexRow], protocol: ProtocolRecord) -> Page:
    """The page; its list of messages feeds the script; without scripts it leads to their pages."""
    html = render(
        "encode.html.jinja", root=root_of(PATH), protocol=protocol, groups=listed(index), about=_ABOUT
    )
    headings = (
        Heading("Write the value", "value", 2),
        Heading("How values are written", "forms", 2),
        Heading("Without the browser", "terminal", 2),
        Heading("All messages", "messages", 2),
    )
    words = ("encode JSON", "build a request", "byte literal", "hex of a message")
    return Page(PATH, "Encode messages", html, headings, boost=4.0, words=words, description=_ABOUT)
