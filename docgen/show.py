"""`wirebook show`: layouts in the terminal."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterable

from docgen import exits
from specs.layout import Layout, layout
from specs.model import Message, Protocol
from specs.problems import InputError
from specs.reader import read_message, read_protocol
from specs.registry import embedded_source


def load(source: str | None) -> tuple[Protocol, str]:
    """The protocol of a source (None: the embedded specs) and one line that says what was read."""
    if source is None:
        texts = sorted(embedded_source().glob("*.json"))
        messages = [read_message(path.read_bytes(), f"specs/messages/{path.name}") for path in texts]
        return Protocol.of(messages), "the embedded specs"
    from specs.sources import open_source

    opened = open_source(source)
    return read_protocol(opened.texts(), source), opened.description


def select(protocol: Protocol, name: str, where: str) -> tuple[Message, ...]:
    """The messages that `name` means: an API by name or key, or one message.

    Raises InputError with the nearest names where there is none.
    """
    found = protocol.api(name)
    if found:
        return found
    message = protocol.find(name)
    if message is not None:
        return (message,)
    import difflib

    known = sorted({message.api for message in protocol} | {message.name for message in protocol})
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if not near:
        near = [item for item in known if name and name.casefold() in item.casefold()][:3]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    if name.isdecimal():
        keys = sorted({message.api_key for message in protocol if message.api_key is not None})
        hint = f"; its API keys are {', '.join(map(str, keys))}" if keys else ""
    raise InputError(f'there is no API or message "{name}" in {where}{hint}')


def newest(message: Message) -> int:
    """The newest stable version; the newest of all where none is stable. Raises InputError if none is."""
    valid = message.valid_versions
    if valid.empty:
        raise InputError(f"{message.name} has no version any more: its valid versions are none")
    unstable = message.latest_version_unstable and valid.highest > valid.lowest
    return valid.highest - 1 if unstable else valid.highest


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("api", metavar="API", help="an API (Fetch, or its key 1) or a message (FetchRequest)")
    parser.add_argument("--version", type=int, metavar="N", help="by default the newest stable one")
    parser.add_argument("--source", metavar="SOURCE", help="where the specs are")
    parser.add_argument("--format", choices=("table", "bnf", "json"), default="table")


def run(options: argparse.Namespace) -> int:
    """Print the layouts; returns the exit code. Raises InputError, OSError."""
    protocol, where = load(options.source)
    messages = select(protocol, options.api, where)
    if options.version is None and all(message.valid_versions.empty for message in messages):
        newest(messages[0])
    shown: list[Layout] = []
    for message in messages:
        shown.append(layout(message, newest(message) if options.version is None else options.version))
    if options.format == "json":
        print_layouts(shown)
    elif options.format == "bnf":
        from docgen.render.bnf import bnf

        _print("\n".join(bnf(item) for item in shown))
    else:
        from docgen.render.terminal import table

        width = shutil.get_terminal_size((100, 24)).columns
        _print("\n".join(table(item, width) for item in shown))
    return exits.CLEAN


def _print(text: str) -> None:
    """Print what holds texts of a spec: they steer no terminal, and command no runner that shows its log."""
    from rules.formats.words import quiet
    from specs.printable import visible

    print("\n".join(quiet(visible(line)) for line in text.split("\n")), end="")


def print_layouts(found: Iterable[Layout]) -> None:
    """Print each as a line of JSON (wirebook/layout/1)."""
    for item in found:
        # A runner of GitHub takes "##[" anywhere in a line of its log for a command.
        print(json.dumps(item.to_json(), separators=(",", ":")).replace("##[", "##\\u005b"))
