"""Prints a text as far as the terminal can show it, or writes it to a file whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path


def emit(text: str, output: Path | None = None) -> None:
    """Print a text, or write it to a file. Raises OSError."""
    if output is not None:
        from docgen.check import write_atomically

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
