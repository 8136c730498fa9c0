"""`wirebook export`: layouts as JSON Lines, for other programs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from wirebook.cli import exits
from wirebook.cli.default_source import HELP, load_specs
from wirebook.cli.terminal import print_layouts
from wirebook.specs.load import select
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
    """The layouts of a request. Raises InputError where there is no such API or version, OSError."""
    protocol, where = load_specs(request.source)
    messages = protocol.messages if request.api is None else select(protocol, request.api, where)
    if request.version is None:
        return [each for message in messages for each in layouts(message)]
    if request.api is not None:
        return [layout(message, request.version) for message in messages]
    having = [message for message in messages if request.version in message.valid_versions]
    if not having:
        raise InputError(f"no message of {where} has a version {request.version}")
    return [layout(message, request.version) for message in having]
