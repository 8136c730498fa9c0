"""`wirebook serve`: the site on this machine, rebuilt when a spec or a page changes."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.reference.spark_options import build_request, declare_pipeline


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")


def run(options: argparse.Namespace) -> int:
    """Build and serve until stopped; returns the exit code. Raises InputError."""
    request = build_request(options)
    from wirebook.docgen.build import build_catalog
    from wirebook.docgen.site.build import check_port, serve_site
    from wirebook.docgen.site.mkdocs_config import find_config
    from wirebook.docgen.site.watch import Watched
    from wirebook.specs.kafka.registry import embedded_source

    check_port(options.port)
    config = find_config(Path())
    build_catalog(request)
    source = embedded_source() if request.source is None else Path(request.source)
    watched = Watched(source if source.is_dir() else None, partial(build_catalog, request))
    serve_site(request.catalog, config, options.port, watched)
    return exits.CLEAN
