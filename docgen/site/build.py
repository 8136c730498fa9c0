"""Builds the site out of a catalog: beside its place first, then swapped in; the last good one stays."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from wirebook.specs.files import replaced
from wirebook.specs.problems import InputError

MARK = ".wirebook-site"
ROOT = Path(__file__).resolve().parents[2]


def build_site(catalog: Path, site_dir: Path, *, strict: bool = True) -> None:
    """Render the catalog into `site_dir`.

    An existing site there is replaced when the new one is whole. Raises InputError where the folder holds
    somebody's other files, where the catalog is none, or where MkDocs refuses; nothing is lost then.
    """
    with replaced(site_dir, refuse=check_target) as fresh:
        _mkdocs(catalog, fresh, strict)
        (fresh / MARK).write_text(
            "Made by wirebook; the next build replaces this folder.\n", encoding="utf-8"
        )


def serve_site(catalog: Path, port: int, specs: Path | None, rebuild: Callable[[], None]) -> None:
    """Serve the site on this machine alone, with live reload, until stopped.

    A changed page is rendered anew; where a file below `specs` has changed, `rebuild` makes the catalog
    anew before. What is wrong with a spec is said, and the last good site stays.
    """
    _environment(catalog)
    from mkdocs.commands.serve import serve

    global _watched
    _watched = Watched(specs, rebuild)
    try:
        serve(str(_config_file()), livereload=True, dev_addr=f"127.0.0.1:{port}", strict=False)
    finally:
        _watched = None


class Watched:
    """The specs that a served site is made from, and how its catalog is made anew."""

    def __init__(self, folder: Path | None, rebuild: Callable[[], None]) -> None:
        self.folder = folder
        self._rebuild = rebuild
        self._seen = self._state()

    def refresh(self) -> None:
        """Make the catalog anew where a spec has changed; raises InputError as the pipeline does."""
        now = self._state()
        if now != self._seen:
            self._seen = now
            self._rebuild()

    def _state(self) -> dict[Path, int]:
        paths = [] if self.folder is None else self.folder.rglob("*.json")
        return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}


_watched: Watched | None = None


def watched() -> Watched | None:
    """What is watched while a site is served; None when one is only built."""
    return _watched


def check_target(site_dir: Path) -> None:
    """Raise InputError where a site cannot be written: a file, or a folder of somebody's other files."""
    if site_dir.is_dir() and any(site_dir.iterdir()) and not (site_dir / MARK).is_file():
        raise InputError("this folder holds other files; name an empty one", str(site_dir))
    for folder in (site_dir, *site_dir.absolute().parents):
        if folder.exists():
            if not folder.is_dir():
                raise InputError("this is not a folder", str(folder))
            if not os.access(folder, os.W_OK | os.X_OK):
                raise InputError("this folder cannot be written to", str(folder))
            break


def _config_file() -> Path:
    """mkdocs.yml of the checkout; raises InputError where wirebook was installed without one."""
    path = ROOT / "mkdocs.yml"
    if not path.is_file():
        raise InputError(
            "building the site needs a checkout of wirebook: its mkdocs.yml and site_src are not installed"
        )
    return path


def _environment(catalog: Path) -> None:
    os.environ["WIREBOOK_CATALOG"] = str(catalog.resolve())
    # The theme's makers warn of MkDocs 2 on every build; this project is pinned below it.
    os.environ["NO_MKDOCS_2_WARNING"] = "1"


def _mkdocs(catalog: Path, target: Path, strict: bool) -> None:
    _environment(catalog)
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    logger, warnings = logging.getLogger("mkdocs"), _Warnings()
    logger.setLevel(logging.WARNING)
    logger.addHandler(warnings)
    try:
        config = load_config(str(_config_file()), site_dir=str(target), strict=strict)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    except (MkDocsException, SystemExit) as error:
        first = warnings.texts[0] if warnings.texts else str(error)
        more = f" (and {len(warnings.texts) - 1} more)" if len(warnings.texts) > 1 else ""
        raise InputError(f"the site cannot be built: {first}{more}") from None
    finally:
        logger.removeHandler(warnings)


class _Warnings(logging.Handler):
    """Keeps what MkDocs warns of, so that a refusal can say why."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
