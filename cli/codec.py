"""What `wirebook encode` and `decode` share: their arguments, the specs, and JSON Lines."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import HELP, open_and_tell
from wirebook.rules.opened import OpenedProject
from wirebook.specs.envelope import Envelope
from wirebook.specs.layout import layout
from wirebook.specs.lines import batch, compact_json
from wirebook.specs.model import NO_VALUES
from wirebook.specs.names import Names, error_names
from wirebook.specs.numbers import read_errors, read_values
from wirebook.specs.problems import InputError
from wirebook.specs.selection import select_message
from wirebook.specs.unnamed import BareRecords

FORM: Arguments = {
    "--source SOURCE": HELP,
    "--explain": {
        "choices": ("table", "json"),
        "nargs": "?",
        "const": "table",
        "help": "explain each byte",
    },
    "--frame": "the length prefix of a connection is in front",
}


def words(options: argparse.Namespace) -> list[str]:
    """The message, version and data on the command line."""
    return [word for word in (options.message, options.version, options.data) if word is not None]


def lines(options: argparse.Namespace) -> Iterable[bytes]:
    """What to convert: the argument, or else the lines of standard input."""
    given = words(options)
    if len(given) not in (1, 3):
        return sys.stdin.buffer
    return given[-1].encode("utf-8", "surrogateescape").splitlines()


def chosen(options: argparse.Namespace, topic: str = "") -> Envelope | BareRecords | None:
    """The message or records that the command line names, None for neither. Raises InputError."""
    if options.version is not None:
        return envelopes(options)(options.message, options.version)
    is_bare = options.records and not options.header and not options.frame
    return BareRecords(topic) if is_bare else None


def envelopes(options: argparse.Namespace) -> Callable[[str, str], Envelope]:
    """What makes the envelope of a message and a version, in digits, by the options.

    Raises InputError, and so does its result if there is no such message or version, and for an
    API, which has several messages.
    """
    specs = open_and_tell(options.source)
    names = names_of(specs)

    @lru_cache(maxsize=4096)
    def of(name: str, version: str) -> Envelope:
        message = select_message(specs.protocol, name, specs.where)
        if re.fullmatch("[0-9]{1,5}", version) is None:
            has = f"is not a version; {name} has {message.valid_versions}"
            raise InputError(f'"{version[:40]}" {has}')
        return Envelope(
            layout(message, int(version)),
            specs.protocol,
            header=options.header,
            frame=options.frame,
            records=options.records,
            names=names,
        )

    return of


def names_of(specs: OpenedProject) -> Names | None:
    """The names of the protocol's own tables, if it has any."""
    values, errors = specs.table("values"), specs.table("errors")
    if values is None and errors is None:
        return None
    return Names(
        read_values(*values) if values else {},
        error_names(read_errors(*errors)) if errors else NO_VALUES,
    )


def run_batch(options: argparse.Namespace) -> int:
    """Answer JSON Lines. Raises InputError for options that do not fit."""
    if words(options) or options.explain:
        accepted = "it does not accept them, nor --explain"
        raise InputError(f"--batch reads message and version from each line; {accepted}")
    for answer in batch(sys.stdin.buffer, envelopes(options)):
        print(compact_json(answer))
    return exits.CLEAN


def unnamed(command: str) -> InputError:
    """The error for a message without a name or a version."""
    return InputError(f"name the message and its version: wirebook {command} FetchRequest 12")
