"""The output of commands: to a terminal, with or without colour, or to a file."""

from __future__ import annotations

import codecs
import io
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

_ESCAPING = "wirebook-escape"


def escape_unencodable() -> None:
    """Have stdout escape the characters that its encoding lacks, as JSON does.

    Otherwise Python raises an error in the middle of the output.
    """
    codecs.register_error(_ESCAPING, _escaped)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_ESCAPING)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


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


def target(name: str) -> Path | None:
    """The file that `--output` names; None for "-", which is stdout."""
    return None if name == "-" else Path(name)


def emit(text: str, output: Path | None = None) -> None:
    """Print a text, or write it to a file. Raises InputError for a path through a link of a
    repository, OSError.
    """
    if output is not None:
        refuse_links(output)
        write_atomically(output, text.encode("utf-8", "backslashreplace"))
        return
    # The terminal's encoding may lack characters of a file name, so they are escaped.
    sys.stdout.flush()
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        print(text, end="")
        return
    out.write(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    out.flush()


def print_safely(text: str) -> None:
    """Print text that quotes specs, escaped so that it can control neither a terminal nor a CI
    runner."""
    print("\n".join(quiet(visible(line)) for line in text.split("\n")), end="")


def print_layouts(layouts: Iterable[Layout]) -> None:
    """Print each layout as a line of JSON (wirebook/layout/1)."""
    for item in layouts:
        print(quiet_json(json.dumps(item.to_json(), separators=(",", ":"))))
