"""The output of commands: to a terminal, with or without colour, or to a file."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from wirebook.specs.files import refuse_links, write_atomically
from wirebook.specs.printable import quiet, quiet_json, visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.specs.layout import Layout


def coloured(stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether to colour a stream. NO_COLOR overrides FORCE_COLOR; an empty variable counts as
    unset."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"


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
    """Print text that quotes specs, escaped so that it can control neither a terminal nor a CI
    runner."""
    print("\n".join(quiet(visible(line)) for line in text.split("\n")), end="")


def print_layouts(layouts: "Iterable[Layout]") -> None:
    """Print each layout as a line of JSON (wirebook/layout/1)."""
    for item in layouts:
        print(quiet_json(json.dumps(item.to_json(), separators=(",", ":"))))
