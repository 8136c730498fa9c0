"""The specs that a served site is made from, and how its catalog is made anew when one of them changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


class Watched:
    """A folder of specs and the function that rebuilds the catalog from it."""

    def __init__(self, folder: Path | None, rebuild: Callable[[], None]) -> None:
        self.folder = folder
        self._rebuild = rebuild
        self._seen = self._state()

    def refresh(self) -> None:
        """Rebuild the catalog if a spec has changed since the last call; raises InputError."""
        now = self._state()
        if now != self._seen:
            self._seen = now
            self._rebuild()

    def _state(self) -> dict[Path, int]:
        paths = [] if self.folder is None else self.folder.rglob("*.json")
        return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}
