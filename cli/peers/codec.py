"""`wirebook encode` and `wirebook decode`: values to bytes and back, by any version of any message."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from wirebook.cli import exits
from wirebook.cli.default_source import HELP, declare_protocol, load_specs
from wirebook.specs.exchange.envelope import Envelope, named_layout
from wirebook.specs.exchange.lines import batch, compact_json, decoded, encoded
from wirebook.specs.problems import InputError

Explanation = Literal["table", "json"]


@dataclass(frozen=True)
class CodecRequest:
    """One message at one version, what surrounds its bytes, and whether to explain each byte."""

    encode: bool
    message: str
    version: str
    source: str | None = None
    header: bool = False
    frame: bool = False
    explain: Explanation | None = None
    protocol: str | None = None


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that both commands take."""
    add = parser.add_argument
    add("message", metavar="MESSAGE", nargs="?", help="a message, such as FetchRequest")
    add("version", metavar="VERSION", nargs="?", help="a version of it")
    add("--source", metavar="SOURCE", help=HELP)
    declare_protocol(parser)
    add("--header", action="store_true", help='with its header: the value is {"header": …, "body": …}')
    add("--frame", action="store_true", help="with the length that precedes it on a connection")
    add("--explain", metavar="{table,json}", nargs="?", const="table", help="explain each byte")
    add("--batch", action="store_true", help="JSON Lines, each with message and version; an answer a line")


def run(options: argparse.Namespace) -> int:
    """Read standard input, print the bytes or values; returns the exit code. Raises InputError, OSError."""
    if options.batch:
        if options.message or options.header or options.frame or options.explain:
            raise InputError("--batch reads message and version from each line, so it accepts only --source")
        specs = load_specs(options.source, options.protocol)
        for answer in batch(sys.stdin.buffer, specs.only.protocol, specs.where):
            print(compact_json(answer))
        return exits.CLEAN
    request = _request(options)
    from wirebook.cli.terminal import coloured

    for text in convert(request, sys.stdin.buffer, colour=coloured(sys.stdout, os.environ)):
        print(text)
    return exits.CLEAN


def _request(options: argparse.Namespace) -> CodecRequest:
    message, version, explain = options.message, options.version, options.explain
    if explain not in (None, "table", "json"):
        # `--explain FetchRequest 12`: the message is not the argument of --explain.
        if version is not None:
            raise InputError(f'--explain prints a table or json, not "{explain[:40]}"')
        message, version, explain = explain, message, "table"
    if message is None or version is None:
        raise InputError(f"name the message and its version: wirebook {options.command} FetchRequest 12")
    encode = options.command == "encode"
    return CodecRequest(
        encode, message, version, options.source, options.header, options.frame, explain, options.protocol
    )


def convert(request: CodecRequest, lines: Iterable[bytes], *, colour: bool = False) -> list[str]:
    """What `lines` become: hex, JSON or an explanation for each message. Raises InputError, OSError."""
    specs = load_specs(request.source, request.protocol)
    protocol = specs.holding(request.message).protocol
    chosen = named_layout(protocol, specs.where, request.message, request.version)
    envelope = Envelope(chosen, protocol, header=request.header, frame=request.frame)

    def explained(data: bytes) -> str:
        if request.explain == "json":
            return compact_json(envelope.spans_json(data))
        from wirebook.docgen.render.bytes.terminal import table

        return table(list(envelope.spans(data)), data, colour)

    if request.encode:
        return encoded(lines, envelope, explained if request.explain else bytes.hex)
    return decoded(lines, envelope, explained if request.explain else None)
