"""Builds the site from a catalog, and serves it."""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.site.mkdocs_config import SiteConfig, builtin_config
from wirebook.docgen.site.own_config import fitted_settings
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.site.watch import Watched


def render_site(
    catalog: Path, folder: Path, config: SiteConfig | None = None, progress: Progress = SILENT
) -> None:
    """Render the catalog into an empty folder, with the built-in configuration unless another is
    given.

    Raises InputError if the catalog is not one, or if MkDocs refuses.
    """
    site = config or builtin_config()
    _quiet_theme()
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    progress.step("preparing pages")
    plugins = site.with_options(catalog=str(catalog.resolve()), progress=progress)
    with ExitStack() as stack:
        stack.enter_context(_rare_collections())
        records = stack.enter_context(_warnings())
        settings = stack.enter_context(fitted_settings(catalog, site))
        try:
            loaded = load_config(str(site.file), site_dir=str(folder), plugins=plugins, **settings)
            loaded.plugins.on_startup(command="build", dirty=False)
            try:
                build(loaded)
            finally:
                loaded.plugins.on_shutdown()
        except (MkDocsException, SystemExit) as error:
            first = records[0].getMessage() if records else str(error)
            more = f" (and {len(records) - 1} more)" if len(records) > 1 else ""
            raise InputError(f"the site cannot be built: {first}{more}") from None


def serve_site(catalog: Path, config: SiteConfig, port: int, watched: Watched) -> None:
    """Serve the site on this machine only, with live reload, until stopped. After an edit the site
    is built again, and before it the catalog, if a spec or a page of the profile has changed. An
    error in a spec is reported, and the last good site stays."""
    _quiet_theme()
    from mkdocs.commands.serve import serve

    plugins = config.with_options(catalog=str(catalog.resolve()), watched=watched)
    address = f"127.0.0.1:{port}"
    with fitted_settings(catalog, config) as settings:
        serve(
            str(config.file),
            livereload=True,
            dev_addr=address,
            strict=False,
            plugins=plugins,
            **settings,
        )


def check_port(port: int) -> None:
    """Raise InputError if a site cannot be served at this port of the machine."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"cannot serve at port {port} ({reason}); choose another with --port"
            ) from None


def _quiet_theme() -> None:
    # Material warns about MkDocs 2 on import, and has no other switch; this project is pinned below
    # 2.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Python's default searches for cycles are a tenth of a build: each goes through all documents
    again.

    The thresholds leave the most memory that a build takes unchanged.
    """
    before = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _warnings() -> Iterator[list[logging.LogRecord]]:
    """What MkDocs warns about in the block; its lesser messages are not printed."""
    logger, handler = logging.getLogger("mkdocs"), BufferingHandler(sys.maxsize)
    level = logger.level
    handler.setLevel(logging.WARNING)
    logger.setLevel(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield handler.buffer
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
