"""`wirebook build`: the Spark pipeline, then the site."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.reference.pipeline import build_request, declare_pipeline


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    parser.add_argument("--site-dir", metavar="DIR", type=Path, default=Path("site"), help="default: site")


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and print where it is; returns the exit code. Raises InputError."""
    request = build_request(options)
    from wirebook.docgen.build import build_catalog
    from wirebook.docgen.site.build import build_site, check_target

    check_target(options.site_dir)
    build_catalog(request)
    build_site(request.catalog, options.site_dir)
    print(f"The site is in {options.site_dir}: open {options.site_dir / 'index.html'}")
    return exits.CLEAN
