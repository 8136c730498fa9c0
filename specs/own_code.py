"""The code of wirebook itself, as a digest: what is cached depends on the code that computed it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import wirebook

PACKAGE = Path(wirebook.__file__).parent


def modules(*packages: str) -> Iterator[Path]:
    """Every Python file of some of the packages ("specs", "rules", …), of all without a name, in one order.

    In a checkout the packages are links to folders beside `wirebook/`, so links are followed.
    """
    for top in [PACKAGE / name for name in packages] or [PACKAGE]:
        for folder, below, names in os.walk(top, followlinks=True):
            below[:] = sorted(name for name in below if name != "__pycache__")
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def digest(*packages: str) -> str:
    """A digest of the texts of those modules: the same on every machine."""
    made = hashlib.sha256(wirebook.__version__.encode())
    for path in modules(*packages):
        made.update(f"\0{path.relative_to(PACKAGE).as_posix()}\0".encode() + path.read_bytes())
    return made.hexdigest()[:32]


def stamp(*packages: str) -> str:
    """As `digest`, by size and time of change instead of the texts: fast, and for this machine only."""
    found: list[tuple[str, int, int]] = []
    waiting = [os.path.join(PACKAGE, name) for name in packages] or [os.fspath(PACKAGE)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    found.append((entry.path, state.st_size, state.st_mtime_ns))
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)
    return hashlib.sha256(f"{wirebook.__version__}\0{sorted(found)}".encode()).hexdigest()[:32]
