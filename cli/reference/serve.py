"""`wirebook serve`: the site on this machine, rebuilt when a spec or a page changes."""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.build_options import build_request, declare_pipeline
from wirebook.cli.reference.spark_options import declare_quiet
from wirebook.docgen.pipeline.inputs import own_pages, renew_pages, write_pages
from wirebook.docgen.progress import progress
from wirebook.docgen.site.mkdocs_config import find_config
from wirebook.docgen.site.watch import Watched
from wirebook.specs.files import locked_exclusively
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.output import check_output

if TYPE_CHECKING:
    from wirebook.docgen.request import BuildRequest


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    declare_quiet(parser)
    # Two sites that are served at the same time must not share a catalog.
    parser.set_defaults(catalog=None, master=None, conf={})
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")


def run(options: argparse.Namespace) -> int:
    """Build and serve until stopped; returns the exit code. Raises InputError."""
    with tempfile.TemporaryDirectory(prefix="wirebook-serve-") as folder:
        options.catalog = options.catalog or Path(folder) / "catalog"
        request = build_request(options)
        words = "another wirebook serve uses this catalog; choose another with --catalog, or omit the option"
        with locked_exclusively(request.catalog, words):
            _serve(request, options.port, options.quiet)
    return exits.CLEAN


def _serve(request: BuildRequest, port: int, quiet: bool) -> None:
    from wirebook.docgen.pipeline.distribute import in_process
    from wirebook.docgen.pipeline.edited import EditedDocuments
    from wirebook.docgen.pipeline.run import build_catalog
    from wirebook.docgen.site.build import check_port, serve_site

    check_port(port)
    check_output(request.catalog)
    config = find_config(Path())
    with progress(quiet) as steps:
        build_catalog(request, steps, distribute=in_process)
    workspace = request.workspace
    watched = Watched(
        # With the texts beside the embedded specs.
        FOLDER if workspace.is_embedded else workspace.folder,
        partial(build_catalog, request, distribute=in_process),
        own_pages(request),
        partial(renew_pages, request),
        EditedDocuments(request).changed,
        partial(write_pages, request),
    )
    serve_site(request.catalog, config, port, watched)
