"""`wirebook serve`: the site on this machine, made anew when a spec or a page changes."""

from __future__ import annotations

import argparse
from pathlib import Path

from docgen import exits
from docgen.build import declare_pipeline, pipeline


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")


def run(options: argparse.Namespace) -> int:
    """Build and serve until stopped; returns the exit code. Raises InputError."""
    catalog, fill = pipeline(options)
    from docgen.site import serve_site
    from specs.registry import embedded_source

    fill()
    source = embedded_source() if options.source is None else Path(options.source)
    serve_site(catalog, options.port, source if source.is_dir() else None, fill)
    return exits.CLEAN
