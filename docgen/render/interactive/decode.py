"""The page that decodes pasted hex in the browser, and the headers as data, which it reads as well."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.render.bytes.headers import ProtocolHeaders
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.groups import grouped, kind_title
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.specs.profile import HALVES

PATH = "decode/"
SCHEMA = "wirebook/headers/1"


def decode_page(index: Sequence[IndexRow], protocol: ProtocolRecord, headers: ProtocolHeaders) -> Page:
    """The page; its list of messages feeds the script; without scripts it leads to their pages."""
    html = render(
        "decode.html.jinja",
        root=root_of(PATH),
        protocol=protocol,
        groups=listed(index),
        about=_ABOUT,
        request_names=headers.names_message("request"),
        response_names=headers.names_message("response"),
    )
    headings = (
        Heading("Paste the bytes", "bytes", 2),
        Heading("What it reads", "forms", 2),
        Heading("Without the browser", "terminal", 2),
        Heading("All messages", "messages", 2),
    )
    words = ("decode hex", "annotate bytes", "Wireshark", "xxd", "hex dump")
    return Page(PATH, "Decode bytes", html, headings, boost=4.0, words=words, description=_ABOUT)


_ABOUT = "Paste the bytes of a message in hex, and see which field each of them is."


def listed(index: Sequence[IndexRow]) -> dict[str, list[IndexRow]]:
    """Every API by its group, then the other messages by their kind."""
    groups = grouped(sorted((row for row in index if row.is_api), key=lambda row: key_order(row.api_key)))
    for row in index:
        if not row.is_api:
            groups.setdefault(kind_title(row.kind), []).append(row)
    return groups


def headers_text(protocol: ProtocolRecord, headers: ProtocolHeaders) -> str:
    """The headers before messages, with the size of the length: `wirebook/headers/1`."""
    sides = {kind: [layout.to_json() for layout in headers.layouts(kind)] for kind in protocol.header_types}
    others = {kind: sides.pop(kind) for kind in protocol.header_types if kind not in HALVES}
    document = {
        "schema": SCHEMA,
        "frame_length": protocol.frame_length,
        **sides,
        "others": others,
        "fields": asdict(headers.fields),
    }
    return json.dumps(document, separators=(",", ":")) + "\n"
