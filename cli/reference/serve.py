"""`wirebook serve`: the site on this machine, rebuilt when a spec or a page changes."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.options import build_request, declare_pipeline, declare_quiet
from wirebook.docgen.progress import progress
from wirebook.docgen.site.mkdocs_config import find_config
from wirebook.docgen.site.watch import Watched
from wirebook.docgen.site_files import site_paths
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.texts import renew_texts

if TYPE_CHECKING:
    from wirebook.docgen.request import BuildRequest, Sources


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    declare_quiet(parser)
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")


def run(options: argparse.Namespace) -> int:
    """Build and serve until stopped; returns the exit code. Raises InputError."""
    with tempfile.TemporaryDirectory(prefix="wirebook-serve-") as folder:
        request, sources = build_request(options)
        _serve(replace(request, catalog=Path(folder) / "catalog"), sources, options)
    return exits.CLEAN


def _serve(request: BuildRequest, sources: Sources, options: argparse.Namespace) -> None:
    from wirebook.docgen.pipeline.distribute import in_process
    from wirebook.docgen.pipeline.run import build_catalog
    from wirebook.docgen.site.build import check_port, serve_site

    def rebuild() -> None:
        renew_texts()
        build_catalog(request, distribute=in_process)

    check_port(options.port)
    config = find_config(Path())
    with progress(options.quiet) as steps:
        build_catalog(request, steps, distribute=in_process)
    specs = sources.specs
    # With the texts beside the embedded specs.
    watched = Watched(FOLDER if specs.is_embedded else specs.top, site_paths(specs), rebuild)
    serve_site(request.catalog, config, options.port, watched)
