"""The files that `wirebook serve` watches, and what follows when one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.specs.reading.profiles import FILES


class Changed(NamedTuple):
    """Whether a spec, a text or a profile has changed, and whether one of the profile's own pages has."""

    specs: bool
    pages: bool

    def __or__(self, other: Changed) -> Changed:
        return Changed(self.specs or other.specs, self.pages or other.pages)


NOTHING = Changed(specs=False, pages=False)


class Watched:
    """A folder of specs, and the function that rebuilds the catalog from it; `pages` are the files and the
    folders of a profile's own pages, which `renew` reads again.

    `edited` returns the documents that have changed since its last call, and `write_pages` writes the
    profile's pages into a folder: neither needs Spark or changes the catalog.
    """

    def __init__(
        self,
        folder: Path | None,
        rebuild: Callable[[], object],
        pages: Sequence[Path] = (),
        renew: Callable[[], None] = lambda: None,
        edited: Callable[[], Sequence[ApiDocument]] = lambda: (),
        write_pages: Callable[[Path], None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self.pages = tuple(pages)
        self.edited = edited
        self.write_pages = write_pages
        self._rebuild = rebuild
        self._renew = renew
        self._seen = self._state(), self._pages_state()

    def refresh(self) -> None:
        """Update the catalog if a file has changed since the last call; raises InputError."""
        self.update(self.changed())

    def changed(self) -> Changed:
        """What has changed since the last call."""
        now = self._state(), self._pages_state()
        before, self._seen = self._seen, now
        return Changed(now[0] != before[0], now[1] != before[1])

    def update(self, changed: Changed) -> None:
        """Rebuild the catalog if specs have changed, or read the pages again if only one of them has; raises
        InputError.
        """
        if changed.specs:
            self._rebuild()
        elif changed.pages:
            self._renew()

    def _state(self) -> dict[Path, int]:
        if self.folder is None:
            return {}
        return _times(path for name in ("*.json", *FILES) for path in self.folder.rglob(name))

    def _pages_state(self) -> dict[Path, int]:
        return _times(path for page in self.pages for path in (page, *page.rglob("*")))


def _times(paths: Iterable[Path]) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}
