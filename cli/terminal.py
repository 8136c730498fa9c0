"""The output of commands: to a terminal, with or without colour, or to a file."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.files import refuse_links, write_atomically
from wirebook.specs.printable import quiet, quiet_json, visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.specs.layout import Layout


def coloured() -> bool:
    """Whether to colour the output. NO_COLOR overrides FORCE_COLOR; an empty one is unset."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    return forced != "0" if forced else sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def described(error: Exception) -> str:
    """A description of an error that ends a command."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return f"internal error: {type(error).__name__}: {error}"


def emit(text: str, output: Path | None = None, said: str = "") -> None:
    """Print a text; or write it to a file, and that on stderr, after what is `said` of it.

    Raises InputError for a path through a link of a repository, OSError.
    """
    if output is None:
        print(text, end="", flush=True)
        return
    refuse_links(output)
    write_atomically(output, text.encode("utf-8", "backslashreplace"))
    if said:
        print(f"wirebook: {said}; written to {output}", file=sys.stderr)


def print_safely(text: str) -> None:
    """Print lines that quote specs, so that they control neither a terminal nor a CI runner."""
    for line in text.removesuffix("\n").split("\n"):
        print(quiet(visible(line)))


def print_layouts(layouts: "Iterable[Layout]") -> None:
    """Print each layout as a line of JSON (wirebook/layout/1)."""
    for item in layouts:
        print(quiet_json(json.dumps(item.to_json(), separators=(",", ":"))))
