"""`wirebook export`: layouts as JSON Lines, for other programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from wirebook.cli import exits
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.cli.terminal import print_layouts
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import Layout, layout, layouts


@dataclass(frozen=True)
class ExportRequest:
    """Which layouts to export: of one API or all, at one version or all (None)."""

    source: str | None = None
    api: str | None = None
    version: int | None = None


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help=HELP)
    parser.add_argument("--api", metavar="NAME", help="only this API or message")
    parser.add_argument("--version", type=int, metavar="N", help="only this version")


def run(options: argparse.Namespace) -> int:
    """Print the layouts; returns the exit code. Raises InputError, OSError."""
    print_layouts(exported(ExportRequest(options.source, options.api, options.version)))
    return exits.CLEAN


def exported(request: ExportRequest) -> list[Layout]:
    """The layouts of a request. Raises InputError if there is no such API or version, OSError."""
    specs = open_and_tell(request.source)
    if request.api is not None:
        return _of(specs.select(request.api), request)
    exported = _of(specs.protocol.messages, request)
    if not exported:
        raise InputError(f"no message of {specs.where} has a version {request.version}")
    return exported


def _of(originals: Iterable[Message], request: ExportRequest) -> list[Layout]:
    messages = map(with_texts, originals)
    if request.version is None:
        return [each for message in messages for each in layouts(message)]
    if request.api is not None:
        return [layout(message, request.version) for message in messages]
    having = (message for message in messages if request.version in message.valid_versions)
    return [layout(message, request.version) for message in having]
