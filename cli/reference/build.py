"""`wirebook build`: the Spark pipeline, then the site."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.reference.spark_options import build_request, declare_pipeline


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    parser.add_argument("--site-dir", metavar="DIR", type=Path, help="default: site, or as in ./mkdocs.yml")


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and print where it is; returns the exit code. Raises InputError."""
    request = build_request(options)
    from wirebook.docgen.build import build_catalog
    from wirebook.docgen.site.build import build_site, check_target
    from wirebook.docgen.site.mkdocs_config import find_config

    config = find_config(Path())
    site_dir = options.site_dir or config.site_dir
    check_target(site_dir)
    build_catalog(request)
    build_site(request.catalog, site_dir, config)
    print(f"The site is in {site_dir}: open {site_dir / 'index.html'}")
    return exits.CLEAN
