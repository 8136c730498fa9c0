"""The files of wirebook itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wirebook import _version

PACKAGE = Path(_version.__file__).parent


def modules() -> Iterator[Path]:
    """All Python files, in a fixed order. In a checkout, they are behind the links beside
    `_version.py`."""
    for folder, folders, names in os.walk(PACKAGE, followlinks=True):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def tables() -> list[Path]:
    """The facts of Kafka that code reads, such as its profile and the names of its APIs."""
    folder = PACKAGE / "specs" / "kafka"
    return sorted([*folder.glob("*.json"), folder / "profile.toml"])
