"""The files that `wirebook serve` watches, and the catalog that follows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from wirebook.rules.settings import FILE


class Watched:
    """A folder of specs, the files and folders of a profile's own pages, and the function that
    rebuilds the catalog from them.
    """

    def __init__(
        self, folder: Path | None, pages: Sequence[Path], rebuild: Callable[[], object]
    ) -> None:
        self._folders = [] if folder is None else [folder]
        self._pages = pages
        self.roots = [*self._folders, *pages]
        self._rebuild = rebuild
        self._seen = self._state()

    def refresh(self) -> None:
        """Rebuild the catalog if a file has changed since the last call; raises InputError."""
        before = self._seen
        self._seen = self._state()
        if before != self._seen:
            self._rebuild()

    def _state(self) -> dict[Path, int]:
        paths: list[Path] = []
        for folder in self._folders:
            paths += [*folder.rglob("*.json"), *folder.rglob(FILE)]
        for page in self._pages:
            paths += [page, *page.rglob("*")]
        return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}
