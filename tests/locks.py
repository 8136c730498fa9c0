"""The packages of the lock files."""

from __future__ import annotations

import re

from tests.support import ROOT


def lock(name: str) -> str:
    """The text of a lock file."""
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, set[str]]:
    """The packages of a lock file with the versions pinned, one for each kind of Python."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found
