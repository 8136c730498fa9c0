"""Builds the site from a catalog, and serves it."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.site.mkdocs_config import BUILTIN
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from wirebook.docgen.site.watch import Watched

# Material warns about MkDocs 2 on import, and has no other switch; this project is pinned below 2.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")


def read_config(file: Path = BUILTIN) -> MkDocsConfig:
    """A configuration of MkDocs. Raises InputError if MkDocs refuses it."""
    from mkdocs.config import load_config

    with _refusals():
        return load_config(str(file))


def render_site(
    catalog: Path, folder: Path, config: MkDocsConfig | None = None, progress: Progress = SILENT
) -> None:
    """Render the catalog into an empty folder, with the built-in configuration unless another is
    given.

    Raises InputError if the catalog is not one, or if MkDocs refuses.
    """
    from mkdocs.commands.build import build

    from wirebook.docgen.site.plugin import Run, WirebookPlugin

    progress.step("preparing pages")
    config = config or read_config()
    config.site_dir = str(folder)
    WirebookPlugin.run = Run(catalog.resolve(), progress)
    with _refusals():
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()


def serve_site(catalog: Path, file: Path, port: int, watched: Watched) -> None:
    """Serve the site on this machine only, with live reload, until stopped. After an edit the site
    is built again, and before it the catalog, if a spec or a page of the profile has changed. An
    error in a spec is reported, and the last good site stays."""
    from mkdocs.commands.serve import serve

    from wirebook.docgen.site.plugin import Run, WirebookPlugin

    WirebookPlugin.run = Run(catalog.resolve(), watched=watched)
    serve(str(file), dev_addr=f"127.0.0.1:{port}", strict=False)


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


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise InputError with what MkDocs warned about first, if it refuses in the block; its lesser
    messages are not printed."""
    from mkdocs.exceptions import MkDocsException

    logger = logging.getLogger("mkdocs")
    handler = BufferingHandler(sys.maxsize)
    level = logger.level
    handler.setLevel(logging.WARNING)
    logger.setLevel(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    except (MkDocsException, SystemExit) as error:
        messages = [record.getMessage() for record in handler.buffer] or [str(error)]
        first = " ".join(messages[0].split())
        more = f" (and {len(messages) - 1} more)" if messages[1:] else ""
        raise InputError(f"the site cannot be built: {first}{more}") from None
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
