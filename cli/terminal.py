"""What is printed, and how: in colour or not, as far as a terminal can show it, or into a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from wirebook.specs.wire.layout import Layout


def coloured(stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether a stream gets colours. NO_COLOR goes before FORCE_COLOR; both count unless they are empty."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"


def target(name: str) -> Path | None:
    """The file that `--output` names; None for "-", which is where a command prints."""
    return None if name == "-" else Path(name)


def emit(text: str, output: Path | None = None) -> None:
    """Print a text, or write it to a file. Raises OSError."""
    if output is not None:
        from wirebook.specs.files import write_atomically

        write_atomically(output, text.encode("utf-8", "backslashreplace"))
        return
    # What a file is called may be no text in the terminal's own encoding.
    sys.stdout.flush()
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        print(text, end="")
        return
    out.write(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    out.flush()


def print_safely(text: str) -> None:
    """Print what holds texts of a spec: they steer no terminal, and command no runner that shows its log."""
    from wirebook.specs.printable import quiet, visible

    print("\n".join(quiet(visible(line)) for line in text.split("\n")), end="")


def print_layouts(found: Iterable[Layout]) -> None:
    """Print each as a line of JSON (wirebook/layout/1)."""
    import json

    for item in found:
        # A runner of GitHub takes "##[" anywhere in a line of its log for a command.
        print(json.dumps(item.to_json(), separators=(",", ":")).replace("##[", "##\\u005b"))
