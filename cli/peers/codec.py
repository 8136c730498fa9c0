"""What `wirebook encode` and `wirebook decode` share: their arguments, the specs, and JSON
Lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from wirebook.cli import exits
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.rules.opened import OpenedProject
from wirebook.specs.envelope import BareRecords, Envelope, named_layout
from wirebook.specs.lines import batch, compact_json
from wirebook.specs.names import Names, error_names
from wirebook.specs.numbers import read_errors, read_values, values_by_field
from wirebook.specs.problems import InputError


def declare(
    parser: argparse.ArgumentParser,
    *,
    data: tuple[str, str],
    message: str,
    header: str,
    records: str,
    batch: str,
) -> None:
    """Add the arguments that both commands have; `data` is the name of what they convert, and what
    it is."""
    add = parser.add_argument
    add("message", metavar="MESSAGE", nargs="?", help=f"a message, such as FetchRequest{message}")
    add("version", metavar="VERSION", nargs="?", help="the version of the message")
    add("data", metavar=data[0], nargs="?", help=f"{data[1]} (default: lines of standard input)")
    add("--source", metavar="SOURCE", help=HELP)
    add("--explain", choices=("table", "json"), nargs="?", const="table", help="explain each byte")
    add("--header", action="store_true", help=header)
    add("--frame", action="store_true", help="the length prefix of a connection is in front")
    # Only the embedded protocol has records.
    add("--records", action="store_true", help=records)
    add("--batch", action="store_true", help=batch)


def words(options: argparse.Namespace) -> list[str]:
    """The message, version and data on the command line."""
    return [word for word in (options.message, options.version, options.data) if word is not None]


def named(options: argparse.Namespace, message: str, version: str) -> Envelope:
    """The message that the command line names. Raises InputError."""
    specs = open_and_tell(options.source)
    chosen = named_layout(specs.protocol, specs.where, message, version)
    return Envelope(
        chosen,
        specs.protocol,
        header=options.header,
        frame=options.frame,
        records=options.records,
        names=names_of(specs),
    )


def bare(options: argparse.Namespace, found: Sequence[str], topic: str = "") -> BareRecords | None:
    """Records, if the command line names no message for --records."""
    is_bare = options.records and len(found) < 2 and not (options.header or options.frame)
    return BareRecords(topic) if is_bare else None


def run_batch(options: argparse.Namespace) -> int:
    """Answer JSON Lines. Raises InputError for options that do not fit."""
    if words(options) or options.explain:
        raise InputError(
            "--batch reads message and version from each line; it does not accept them, nor "
            "--explain"
        )
    specs = open_and_tell(options.source)
    for answer in batch(
        sys.stdin.buffer,
        specs.protocol,
        specs.where,
        records=options.records,
        header=options.header,
        frame=options.frame,
        names=names_of(specs),
    ):
        print(compact_json(answer))
    return exits.CLEAN


def unnamed(command: str) -> InputError:
    """The error for a message without a name or a version."""
    return InputError(f"name the message and its version: wirebook {command} FetchRequest 12")


def names_of(specs: OpenedProject) -> Names | None:
    """The tables of the protocol's own profile; None if it has those of Kafka or none."""
    values, errors = specs.table("values"), specs.table("errors")
    if values is None and errors is None:
        return None
    return Names(
        {} if values is None else values_by_field(read_values(*values)),
        error_names(() if errors is None else read_errors(*errors)),
    )


def lines_of(data: str | None) -> Iterable[bytes]:
    """What to convert: the argument, or else the lines of standard input."""
    return (
        sys.stdin.buffer if data is None else data.encode("utf-8", "surrogateescape").splitlines()
    )
