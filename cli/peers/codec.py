"""`wirebook encode` and `wirebook decode`: convert values to bytes and back, for any message and version."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from wirebook.cli import exits
from wirebook.cli.front_door import HELP, declare_protocol, open_workspace
from wirebook.cli.terminal import coloured
from wirebook.specs.exchange.bare_records import BareRecords
from wirebook.specs.exchange.envelope import Envelope, named_layout
from wirebook.specs.exchange.lines import Wire, batch, compact_json, decoded, decoded_records, encoded
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

Explanation = Literal["table", "json"]


@dataclass(frozen=True)
class CodecRequest:
    """A message at a version, what surrounds its bytes (header, length), and whether to explain each byte.

    Without a message, the bytes are records only.
    """

    encode: bool
    message: str | None
    version: str | None
    source: str | None = None
    header: bool = False
    frame: bool = False
    explain: Explanation | None = None
    protocol: str | None = None
    records: bool = False


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that both commands accept."""
    add = parser.add_argument
    add("message", metavar="MESSAGE", nargs="?", help="a message, such as FetchRequest")
    add("version", metavar="VERSION", nargs="?", help="the version of the message")
    add("--source", metavar="SOURCE", help=HELP)
    declare_protocol(parser)
    add("--header", action="store_true", help='include the header: the value is {"header": …, "body": …}')
    add("--frame", action="store_true", help="include the length prefix of a connection")
    add("--explain", metavar="{table,json}", nargs="?", const="table", help="explain each byte")
    add("--records", action="store_true", help="parse records as batches; without MESSAGE, records only")
    add("--batch", action="store_true", help="JSON Lines: a message and version per line, a result per line")


def run(options: argparse.Namespace) -> int:
    """Read stdin, print the bytes or values; returns the exit code. Raises InputError, OSError."""
    if options.batch:
        if options.message or options.header or options.frame or options.explain:
            raise InputError(
                "--batch reads message and version from each line; it accepts only --source and --records"
            )
        specs = open_workspace(options.source, options.protocol)
        for answer in batch(sys.stdin.buffer, specs.only.protocol, specs.where, records=options.records):
            print(compact_json(answer))
        return exits.CLEAN
    request = _request(options)
    lines, problems = convert(request, sys.stdin.buffer, colour=coloured(sys.stdout, os.environ))
    for text in lines:
        print(text)
    sys.stdout.flush()
    for text in problems:
        print(f"wirebook: {visible(text)}", file=sys.stderr)
    return exits.FINDINGS if problems else exits.CLEAN


def _request(options: argparse.Namespace) -> CodecRequest:
    message, version, explain = options.message, options.version, options.explain
    if explain not in (None, "table", "json"):
        # `--explain FetchRequest 12`: the message is not the argument of --explain.
        if version is not None:
            raise InputError(f'--explain prints a table or json, not "{explain[:40]}"')
        message, version, explain = explain, message, "table"
    bare = options.records and message is None and not (options.header or options.frame)
    if not bare and (message is None or version is None):
        raise InputError(f"name the message and its version: wirebook {options.command} FetchRequest 12")
    encode = options.command == "encode"
    return CodecRequest(
        encode,
        message,
        version,
        options.source,
        options.header,
        options.frame,
        explain,
        options.protocol,
        options.records,
    )


def convert(
    request: CodecRequest, lines: Iterable[bytes], *, colour: bool = False
) -> tuple[list[str], list[str]]:
    """Convert `lines` to hex, JSON or explanations, one for each message, with any errors in records.

    Raises InputError, OSError.
    """
    envelope = _envelope(request)

    def explained(data: bytes) -> str:
        if request.explain == "json":
            return compact_json(envelope.spans_json(data, records=request.records))
        from wirebook.docgen.render.bytes.terminal import table

        return table(list(envelope.spans(data, records=request.records)), data, colour)

    if request.encode:
        return encoded(lines, envelope, explained if request.explain else bytes.hex), []
    if request.records and not request.explain:
        return decoded_records(lines, envelope)
    return decoded(lines, envelope, explained if request.explain else None), []


def _envelope(request: CodecRequest) -> Wire:
    if request.message is None:
        return BareRecords()
    specs = open_workspace(request.source, request.protocol)
    protocol = specs.holding(request.message).protocol
    chosen = named_layout(protocol, specs.where, request.message, request.version)
    return Envelope(chosen, protocol, header=request.header, frame=request.frame)
