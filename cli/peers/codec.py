"""What `wirebook encode` and `wirebook decode` share: values to bytes and back, for any message."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from wirebook.cli import exits
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.cli.terminal import coloured
from wirebook.docgen.render.bytes.terminal import table
from wirebook.rules.opened import OpenedProject
from wirebook.specs.exchange.bare_records import BareRecords
from wirebook.specs.exchange.envelope import Envelope, MessagesByHeader, named_layout
from wirebook.specs.exchange.lines import (
    Input,
    PartlyReadError,
    WireOfLine,
    batch,
    compact_json,
    decoded,
    decoded_records,
    encoded,
    rendered,
)
from wirebook.specs.printable import quiet, visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.texts.model import TableValues
from wirebook.specs.wire.codec import Span, WireError

Explanation = Literal["table", "json"]


@dataclass(frozen=True)
class CodecRequest:
    """A message at a version, what surrounds its bytes (header, length), and whether to explain each byte.

    Without a message, the bytes are requests that their headers name, or without a header records only.
    """

    encode: bool
    message: str | None
    version: str | None
    source: str | None = None
    header: bool = False
    frame: bool = False
    explain: Explanation | None = None
    records: bool = False
    topic: str = ""


@dataclass(frozen=True)
class OptionHelp:
    """What the options that both commands have do in one of them."""

    header: str
    frame: str
    records: str
    batch: str


def declare(parser: argparse.ArgumentParser, words: OptionHelp) -> None:
    """Add the arguments that both commands have."""
    add = parser.add_argument
    add("message", metavar="MESSAGE", nargs="?", help="a message, such as FetchRequest")
    add("version", metavar="VERSION", nargs="?", help="the version of the message")
    add("--source", metavar="SOURCE", help=HELP)
    add("--explain", metavar="{table,json}", nargs="?", const="table", help="explain each byte")
    add("--header", action="store_true", help=words.header)
    add("--frame", action="store_true", help=words.frame)
    # Only the embedded protocol has records.
    add("--records", action="store_true", help=words.records)
    add("--batch", action="store_true", help=words.batch)


def run(options: argparse.Namespace) -> int:
    """Read stdin, print the bytes or values; returns the exit code. Raises InputError, OSError."""
    if options.batch:
        if options.binary or options.topic:
            raise InputError("--batch reads hex or values, and accepts neither --binary nor --topic")
        if options.message or options.explain:
            raise InputError(
                "--batch reads message and version from each line; it does not accept them, nor --explain"
            )
        specs = open_and_tell(options.source)
        protocol, surroundings = specs.protocol, {"header": options.header, "frame": options.frame}
        tabled = _tabled(specs)
        for answer in batch(
            sys.stdin.buffer, protocol, specs.where, records=options.records, tabled=tabled, **surroundings
        ):
            print(compact_json(answer))
        return exits.CLEAN
    request = _request(options)
    data: Iterable[bytes] = sys.stdin.buffer
    if options.binary:
        data = [sys.stdin.buffer.read().hex().encode()]
    try:
        converted = convert(request, data, colour=coloured(sys.stdout, os.environ))
    except PartlyReadError as error:
        _print(error.lines)
        raise
    _print(converted.lines)
    for text in (*converted.notes, *converted.problems):
        print(f"wirebook: {quiet(visible(text))}", file=sys.stderr)
    return exits.FINDINGS if converted.problems else exits.CLEAN


def _print(lines: Iterable[str]) -> None:
    for text in lines:
        print(text)
    sys.stdout.flush()


def _request(options: argparse.Namespace) -> CodecRequest:
    message, version, explain = options.message, options.version, options.explain
    if explain not in (None, "table", "json"):
        # `--explain FetchRequest 12`: the message is not the argument of --explain.
        if version is not None:
            raise InputError(f'--explain prints a table or json, not "{explain[:40]}"')
        message, version, explain = explain, message, "table"
    encode = options.command == "encode"
    bare = options.records and message is None and not (options.header or options.frame)
    by_header = options.header and message is None and not encode
    if options.topic and (not bare or explain):
        raise InputError("--topic is for records only: wirebook decode --records --topic TOPIC")
    if not (bare or by_header) and (message is None or version is None):
        raise InputError(f"name the message and its version: wirebook {options.command} FetchRequest 12")
    return CodecRequest(
        encode,
        message,
        version,
        options.source,
        options.header,
        options.frame,
        explain,
        options.records,
        options.topic,
    )


class Converted(NamedTuple):
    """What a conversion prints: lines of hex, JSON or explanations, and notes and errors in records."""

    lines: list[str]
    notes: Sequence[str] = ()
    problems: Sequence[str] = ()


def convert(request: CodecRequest, lines: Iterable[bytes], *, colour: bool = False) -> Converted:
    """Convert `lines` to hex, JSON or explanations, one for each message.

    Raises InputError (PartlyReadError if a part of the bytes is readable), OSError.
    """
    wire = _wire(request)

    def shown(of: WireOfLine, data: bytes, spans: Sequence[tuple[str, Span]]) -> str:
        if request.explain == "json":
            return compact_json(of.described(data, spans))
        return "\n".join(map(quiet, table(spans, data, colour).split("\n")))

    def explained(of: WireOfLine, data: bytes, place: str = "") -> str:
        return shown(of, data, list(of.spans(data, records=request.records)))

    def explained_until(of: WireOfLine, data: bytes, error: WireError) -> str:
        spans = of.read_until(data, error)
        return shown(of, data, spans) if spans else ""

    if request.encode and not isinstance(wire, MessagesByHeader):
        return Converted(encoded(lines, wire, partial(explained, wire) if request.explain else bytes.hex))
    problems: list[str] = []
    if request.explain:
        converted = rendered(lines, wire, explained, explained_until)
    elif request.records:
        converted, problems = decoded_records(lines, wire)
    else:
        converted = decoded(lines, wire)
    return Converted(converted, [*dict.fromkeys(wire.notes)], problems)


def _wire(request: CodecRequest) -> Input:
    if request.message is None and not request.header:
        return BareRecords(request.topic)
    specs = open_and_tell(request.source)
    protocol = specs.protocol
    if request.message is None:
        return MessagesByHeader(protocol, frame=request.frame, tabled=_tabled(specs))
    chosen = named_layout(protocol, specs.where, request.message, request.version)
    strict = not request.encode
    surroundings = {"header": request.header, "frame": request.frame, "strict": strict}
    return Envelope(chosen, protocol, **surroundings, tabled=_tabled(specs))


def _tabled(specs: OpenedProject) -> TableValues | None:
    """The values in the table of the protocol's own profile."""
    table = specs.table("values")
    return None if table is None else values_by_field(read_values(*table))
