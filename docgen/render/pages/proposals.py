"""The rejected proposals of KIP-35's drafts: their specs, and their bytes by the codec."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from wirebook.docgen.catalog.json_records import from_json
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.field_table import KnownField, TableRow, field_rows
from wirebook.docgen.render.kit.links import Ids, anchor
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.prose import inline
from wirebook.specs.kafka.brokers import broker_named
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.registry import FOLDER, embedded_source, read_embedded
from wirebook.specs.model import Json, Message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout

_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_CLIENT_ID = "book"


@dataclass(frozen=True, slots=True)
class FramePiece:
    """Some bytes of a message: hex, the path of the field, its type and its value in words."""

    hex: str
    path: str
    type: str
    value: str


@dataclass(frozen=True)
class FrameExample:
    """A message as it would be on the wire: the whole frame, and piece by piece."""

    title: str
    message: str
    version: int
    frame: bytes
    pieces: tuple[FramePiece, ...]

    @property
    def hex(self) -> str:
        """The frame, in groups of four bytes."""
        return self.frame.hex(" ", -4)


@dataclass(frozen=True, slots=True)
class WrittenExample:
    """An example of a proposal: a message of its specs and the value to encode."""

    message: str
    version: int
    correlation_id: int
    title: str
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal of a draft: its name, and what its page says."""

    slug: str
    title: str
    short: str
    was: tuple[str, ...]
    wire: str
    became: str
    left: tuple[str, ...]
    examples: tuple[WrittenExample, ...]


@dataclass(frozen=True, slots=True)
class _Proposals:
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class _ShownMessage:
    """A message of a proposal on its page: its newest version, and the rows of its table."""

    message: Message
    version: int
    id: str
    rows: list[TableRow]


@cache
def proposals() -> tuple[Proposal, ...]:
    """The proposals (proposals.json)."""
    path = Path(__file__).resolve().parent / "proposals.json"
    return from_json(_Proposals, json.loads(path.read_text(encoding="utf-8"))).proposals


@cache
def specs_of(slug: str) -> tuple[Message, ...]:
    """The specs of a proposal, requests first."""
    folder = FOLDER / "proposals" / slug
    specs = map(read_embedded, sorted(folder.glob("*.json")))
    return tuple(sorted(specs, key=lambda message: message.type))


def examples(proposal: Proposal) -> Iterator[FrameExample]:
    """The examples of a proposal, as bytes."""
    messages = {message.name: message for message in specs_of(proposal.slug)}
    for item in proposal.examples:
        yield example(messages[item.message], item)


def example(message: Message, frame: WrittenExample) -> FrameExample:
    """One example: the frame's length, the header and the body, each byte explained."""
    body = layout(message, frame.version)
    header = header_layout(message.type, body.header_version or 0)
    header_value: dict[str, Json] = {"CorrelationId": frame.correlation_id}
    if message.type == "request":
        header_value |= {
            "RequestApiKey": message.api_key,
            "RequestApiVersion": frame.version,
            "ClientId": _CLIENT_ID,
        }
    first, second = codec(header).encode(header_value), codec(body).encode(frame.value)
    length = (len(first) + len(second)).to_bytes(4, "big")
    pieces = [FramePiece(length.hex(" "), "length of the frame", "INT32", str(int.from_bytes(length, "big")))]
    pieces += [*_pieces(header, first), *_pieces(body, second)]
    return FrameExample(frame.title, message.name, frame.version, length + first + second, tuple(pieces))


def _pieces(of: Layout, data: bytes) -> Iterator[FramePiece]:
    words = {"length": "length of {}", "count": "count of {}", "null": "{} is null", "value": "{}"}
    for span in codec(of).explain(data):
        value = "" if span.kind == "null" else "" if span.value is None else json.dumps(span.value)
        path = words.get(span.kind, "{}").format(span.path)
        yield FramePiece(data[span.start : span.end].hex(" "), path, span.type, value)


@cache
def comparison() -> str:
    """How long the answer of a real broker is, in the draft's form and in that of ApiVersions 0."""
    draft = next(m for m in specs_of("protocol-version-request") if m.type == "response")
    kafka = read_embedded(embedded_source() / "ApiVersionsResponse.json")
    lengths = []
    for release in ("0.10.0", "4.3"):
        broker = broker_named(release)
        listed = broker.listed()
        long = codec(layout(draft, 0)).encode(
            {
                "Apis": [
                    {
                        "ApiKey": key,
                        "ApiName": f"{broker.names[key]}Request",
                        "ApiVersions": list(versions),
                        "ApiDeprecatedVersions": [],
                    }
                    for key, versions in listed.items()
                ]
            }
        )
        short = codec(layout(kafka, 0)).encode(
            {
                "ErrorCode": 0,
                "ApiKeys": [
                    {"ApiKey": key, "MinVersion": versions.lowest, "MaxVersion": versions.highest}
                    for key, versions in listed.items()
                ],
            }
        )
        lengths.append(
            f"for the {len(listed)} APIs of a {release} broker the draft's response has {len(long):,} bytes, "
            f"that of ApiVersions 0 has {len(short):,}"
        )
    return "; ".join(lengths) + "."


def proposal_pages() -> Iterator[Page]:
    """The list of the proposals, and a page for each."""
    path = "proposals/"
    html = render("proposals.html.jinja", root=root_of(path), proposals=proposals(), linked=linked)
    yield Page(
        path,
        "Rejected proposals",
        html,
        words=("proposals", "drafts of KIP-35"),
        description="What drafts of KIP-35 proposed and Kafka did not adopt, as specs and bytes.",
    )
    for proposal in proposals():
        yield _page(proposal)


def _page(proposal: Proposal) -> Page:
    path = f"proposals/{proposal.slug}/"
    ids = Ids()
    messages: list[_ShownMessage] = []
    for message in specs_of(proposal.slug):
        newest = layout(message, message.valid_versions.highest)
        messages.append(
            _ShownMessage(message, newest.version, ids.take(anchor(message.name)), _rows(newest, ids))
        )
    root = root_of(path)
    html = render(
        "proposal.html.jinja",
        root=root,
        proposal=proposal,
        messages=messages,
        examples=list(examples(proposal)),
        linked=lambda text: linked(text.replace("{comparison}", comparison()), root),
    )
    headings = [Heading("What it was", "was", 2), Heading("On the wire", "wire", 2)]
    headings += [Heading(message.message.name, message.id, 3) for message in messages]
    headings += [Heading("What Kafka shipped", "became", 2), Heading("Why it was rejected", "left", 2)]
    return Page(
        path,
        proposal.title,
        html,
        tuple(headings),
        words=("proposal", "KIP-35 draft"),
        description=proposal.short,
    )


def _rows(of: Layout, ids: Ids) -> list[TableRow]:
    present: dict[str, KnownField] = {}

    def note(fields: Any) -> None:
        for field in fields:
            present[field.path] = KnownField(str(field.field.present))
            note(field.fields or ())

    note(of.fields)
    return list(field_rows(of.exported(), present, anchor(of.name), ids))


def linked(text: str, root: str) -> Markup:
    """A line of text with code, emphasis and links into the site, which are written from its root."""
    markup, at = Markup(""), 0
    for link in _LINK.finditer(text):
        markup += inline(text[at : link.start()])
        markup += Markup('<a href="{}{}">{}</a>').format(root, link[2], link[1])
        at = link.end()
    return markup + inline(text[at:])
