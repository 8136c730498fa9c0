"""Prints a text as far as the terminal can show it, or writes it to a file whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def target(name: str) -> Path | None:
    """The file that `--output` names; None for "-", which is where a command prints."""
    return None if name == "-" else Path(name)


def emit(text: str, output: Path | None = None) -> None:
    """Print a text, or write it to a file. Raises OSError."""
    if output is not None:
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


def write_atomically(path: Path, text: bytes) -> None:
    """Write a file so that nobody ever sees half of it; raises OSError, and then leaves the old one."""
    import errno
    import tempfile

    if path.exists() and not path.is_file():
        # A pipe or a terminal cannot be replaced.
        path.write_bytes(text)
        return
    if not path.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "there is no such folder", str(path.parent))
    number, place = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(number, "wb") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(place, 0o666 & ~mask)
        os.replace(place, path)
    except BaseException:
        os.unlink(place)
        raise
