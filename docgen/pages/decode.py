"""The page that decodes hex in the browser, and the data that it reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.groups import listed
from wirebook.docgen.pages.headers import ProtocolHeaders
from wirebook.docgen.pages.page import Page
from wirebook.specs.defaults import ZERO_UUID
from wirebook.specs.json_records import to_json
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.profile import FRAME_LENGTH, HALVES, EmbeddedMessage

SCHEMA = "wirebook/headers/1"
LAYOUTS = "wirebook/layouts/1"


def pages(book: Book) -> Iterator[Page]:
    """The page; its list of messages feeds the script; without scripts it leads to their pages."""
    about = (
        "Paste messages as you have them, and see what they are and which field each byte belongs "
        "to."
    )
    words = "decode bytes", "encode", "decode hex", "annotate bytes", "Wireshark", "xxd", "tcpdump"
    yield book.page(
        "decode.html.jinja",
        "decode/",
        "Decode and encode",
        about,
        words,
        section="Protocol",
        after="bytes.md",
        groups=listed(book.index),
        about=about,
        request_names=book.headers.names_message("request"),
        response_names=book.headers.names_message("response"),
    )


def layouts_text(documents: Iterable[ApiDocument], embedded: Iterable[EmbeddedMessage]) -> str:
    """The layout of every version of every message, without words: `wirebook/layouts/1`."""
    messages = [
        {
            "name": message.name,
            "type": message.type,
            "api": document.api,
            "slug": document.slug,
            **({"api_key": document.api_key} if document.is_api else {}),
            "versions": {
                str(number): _layout(each.layout) for number, each in message.versions.items()
            },
        }
        for document in documents
        for message in document.messages
    ]
    inner = [each._asdict() | {"when": dict(each.when)} for each in embedded]
    document = {"schema": LAYOUTS, "embedded": inner, "messages": messages}
    return json.dumps(document, separators=(",", ":")) + "\n"


def _layout(layout: Layout) -> dict[str, Any]:
    header = {} if layout.header_version is None else {"header_version": layout.header_version}
    return {"flexible": layout.flexible, **header, "fields": list(map(_field, layout.fields))}


def _field(field: LayoutField) -> dict[str, Any]:
    """A field, with the keys that have something to say."""
    more = {
        "nullable": field.nullable or None,
        "tag": field.tag,
        "element": field.element,
        "fields": None if field.fields is None else list(map(_field, field.fields)),
    }
    kept = {key: value for key, value in more.items() if value is not None}
    # What a generator needs to leave out a tagged field that has its default; null is said.
    is_zero = field.default == ZERO_UUID or (not field.default and field.default is not None)
    default = {} if is_zero else {"default": field.default}
    return {"name": field.name, "type": field.type, **kept, **default}


def headers_text(headers: ProtocolHeaders) -> str:
    """The headers before messages, with the size of the length: `wirebook/headers/1`."""
    document = {
        "schema": SCHEMA,
        "frame_length": FRAME_LENGTH,
        **{kind: to_json(headers.layouts(kind)) for kind in HALVES},
        "fields": headers.fields._asdict(),
    }
    return json.dumps(document, separators=(",", ":")) + "\n"
