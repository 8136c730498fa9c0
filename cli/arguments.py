"""The arguments of a command, as data."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from wirebook.specs.printable import visible

Arguments: TypeAlias = Mapping[str, str | dict[str, Any]]
"""Each argument as it is written, such as `--released GLOB *` or `--format text|json`, and its
help.

The second word is the placeholder of the value: it decides the type of the value, or lists the
choices, of which the first is the default. An argument without one is a flag. The third word is how
often an argument may be given: "?", "*" or "+"; "*" repeats an option. In place of the help, a
dictionary has more of what `add_argument` takes.
"""


def declare(parser: argparse.ArgumentParser, arguments: Arguments) -> None:
    """Add the arguments of a command to its parser."""
    for form, given in arguments.items():
        names, value, count = [*form.split(), "", ""][:3]
        details: dict[str, Any] = {"help": given} if isinstance(given, str) else dict(given)
        if "|" in value:
            choices = value.split("|")
            details |= {"choices": choices, "default": choices[0]}
        elif value:
            details = {"type": _TYPES.get(value, str), "metavar": value} | details
        elif isinstance(given, str):
            details["action"] = "store_true"
        if count == "*" and names.startswith("-"):
            details |= {"action": "append", "default": []}
        elif count:
            details["nargs"] = count
        parser.add_argument(*names.split("/"), **details)


def _folder(text: str) -> Path:
    """A folder of this machine. Raises ArgumentTypeError for a URI."""
    if "://" in text:
        words = f'"{visible(text)}" is a URI; name a folder of this machine'
        raise argparse.ArgumentTypeError(words)
    return Path(text)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f'"{text}" is not a Spark setting; write spark.NAME=VALUE')
    return name, value


_TYPES: dict[str, Any] = {
    "DIR": _folder,
    "FILE": Path,
    "KEY=VALUE": _setting,
    "N": int,
    "S": float,
}
