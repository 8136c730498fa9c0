"""The files that `wirebook serve` watches, and how the catalog is rebuilt when one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from wirebook.specs.reading.profiles import FILES


class Watched:
    """A folder of specs, and the function that rebuilds the catalog from it; `pages` are the files and the
    folders of a profile's own pages, which `renew` reads again.
    """

    def __init__(
        self,
        folder: Path | None,
        rebuild: Callable[[], None],
        pages: Sequence[Path] = (),
        renew: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder = folder
        self.pages = tuple(pages)
        self._rebuild = rebuild
        self._renew = renew
        self._seen = self._state(), self._pages_state()

    def refresh(self) -> None:
        """Rebuild the catalog if a spec or a profile has changed since the last call, or read the pages again
        if only one of them has; raises InputError.
        """
        now = self._state(), self._pages_state()
        before, self._seen = self._seen, now
        if now[0] != before[0]:
            self._rebuild()
        elif now != before:
            self._renew()

    def _state(self) -> dict[Path, int]:
        if self.folder is None:
            return {}
        return _times(path for name in ("*.json", *FILES) for path in self.folder.rglob(name))

    def _pages_state(self) -> dict[Path, int]:
        return _times(path for page in self.pages for path in (page, *page.rglob("*")))


def _times(paths: Iterable[Path]) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}
