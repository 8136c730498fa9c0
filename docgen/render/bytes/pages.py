"""A page for each version: its messages with their headers in hex, beside its grammar and its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from wirebook.docgen.catalog.bnf import Token, bnf_lines, bnf_title, spelling
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.render.bytes.examples import CASES, Case, WireError, cases, header
from wirebook.docgen.render.bytes.headers import EMBEDDED, ProtocolHeaders
from wirebook.docgen.render.bytes.hexview import (
    HexPart,
    Keys,
    frame_part,
    grammar_block,
    hex_block,
    range_table,
)
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.field_table import TableRow
from wirebook.docgen.render.kit.links import Ids
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.sections import MessagePart, version_sections
from wirebook.specs.wire.codec import Codec, codec
from wirebook.specs.wire.exported import ExportedLayout

_SHOWN = ("empty", "filled", "tagged")


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as a page shows it; `size` counts the frame's length too."""

    id: str
    name: str
    about: str
    size: int
    hex: Markup
    ranges: Markup
    value: str


@dataclass(frozen=True, slots=True)
class MessageBytes:
    """A message of a version: its rows, each with the key of its field, its grammar and its examples.

    `same` is whether the API's page has only a link to another version's table, so no anchors of sections.
    """

    title: str
    id: str
    name: str
    layout: ExportedLayout
    rows: Sequence[tuple[TableRow, str]]
    grammar: Markup
    examples: Sequence[Shown]
    refused: str
    same: bool


def has_byte_pages(document: ApiDocument, protocol: ProtocolRecord) -> bool:
    """Whether versions have pages in bytes: in the embedded family, those of requests and responses."""
    return document.is_api or not protocol.family


def version_pages(
    document: ApiDocument,
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
    headers: ProtocolHeaders = EMBEDDED,
    mentions: Mentions | None = None,
) -> Iterator[Page]:
    """The pages of all versions of an API or other message, newest first; `mentions` become links."""
    if not has_byte_pages(document, protocol):
        return
    mentions = mentions or Mentions()
    sections = sorted(version_sections(document, Ids()), key=lambda item: -item.number)
    numbers = [section.number for section in sections]
    for position, section in enumerate(sections):
        number = section.number
        path = f"api/{document.slug}/v{number}/"
        messages = [_message(part, protocol, headers) for part in section.parts]
        html = render(
            "version.html.jinja",
            root=root_of(path),
            document=document,
            number=number,
            section=section,
            link=partial(mentions.linked, root=root_of(path), without=document.api),
            messages=messages,
            newer=numbers[position - 1] if position else None,
            older=numbers[position + 1] if position + 1 < len(numbers) else None,
        )
        about = f"{document.api} version {number} byte by byte: its headers, fields and grammar."
        yield Page(
            path,
            f"{document.api} {number} in bytes",
            html,
            tuple(Heading(message.title, message.id, 2) for message in messages),
            boost=0,
            description=about,
        )


def _message(part: MessagePart, protocol: ProtocolRecord, headers: ProtocolHeaders) -> MessageBytes:
    layout = part.version.layout
    kind = layout.type
    name = kind if kind in ("request", "response") else "message"
    keys = Keys(name[2])  # "q", "s"
    of = codec(layout)
    rows = []
    for row in part.rows:
        field = row.field.path if row.field else f"{row.parents}/"
        rows.append((row, keys.key("body", field)))
    message_cases: list[Case] = []
    refused = ""
    try:
        message_cases = [case for case in cases(layout, of, server=protocol.server) if case.name in _SHOWN]
    except WireError as error:
        refused = str(error)
    examples = []
    for case in message_cases:
        try:
            examples.append(_shown(layout, case, of, f"{name}-{case.name}", keys, (protocol, headers)))
        except WireError as error:
            refused = str(error)
    parts = [(list(lines), kind) for lines, kind in _grammars(layout, of, headers, protocol.headers)]
    grammar = Markup("\n\n").join(grammar_block(lines, kind, keys) for lines, kind in parts)
    same = part.same_as is not None
    return MessageBytes(part.title, name, part.message.name, layout, rows, grammar, examples, refused, same)


def _shown(
    layout: ExportedLayout,
    case: Case,
    of: Codec,
    prefix: str,
    keys: Keys,
    around: tuple[ProtocolRecord, ProtocolHeaders],
) -> Shown:
    protocol, headers = around
    head = header(layout, case.name, headers)
    body = HexPart("body", "Body" if head else "Message", case.body, of.explain(case.body))
    parts = [body]
    if head is not None:
        title = f"{layout.type.capitalize()} header v{head.version}"
        header_part = HexPart("header", title, head.data, head.codec.explain(head.data))
        parts = [header_part, body]
        if protocol.frame_length:
            parts.insert(0, frame_part(len(head.data) + len(case.body), protocol.frame_length))
    return Shown(
        prefix,
        case.name,
        CASES[case.name],
        sum(len(part.data) for part in parts),
        hex_block(parts, prefix, keys),
        range_table(parts, prefix, keys, f"{layout.message} {layout.version}, {case.name}"),
        json.dumps(case.value, indent=1, ensure_ascii=False),
    )


def _grammars(
    layout: ExportedLayout, of: Codec, headers: ProtocolHeaders, family: str
) -> Iterator[tuple[Iterator[list[Token]], str]]:
    """The lines of the grammars of a message, each with the name of its part."""
    spell = spelling(family)
    head = headers.shape(layout.type, layout.header_version)
    if head is not None:
        title = bnf_title(head.name, "header", None, head.version)
        yield bnf_lines(title, head.codec.fields, head.codec.flexible, spell), "header"
    title = bnf_title(layout.message, layout.type, layout.api if family else None, layout.version)
    yield bnf_lines(title, of.fields, of.flexible, spell), "body"
