"""`wirebook build`: the Spark pipeline, then the site."""

from __future__ import annotations

import argparse
import sys
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
    from wirebook.docgen.build import fill_catalog
    from wirebook.docgen.site.build import render_site
    from wirebook.docgen.site.mkdocs_config import find_config
    from wirebook.specs.output import CATALOG, SITE, all_replaced

    config = find_config(Path())
    site_dir = options.site_dir or config.site_dir
    # Both in folders of this run, and put in place together: another build may run at the same time.
    with all_replaced((request.catalog, CATALOG), (site_dir, SITE)) as (catalog, site):
        print("\n".join(fill_catalog(request, catalog)), file=sys.stderr, flush=True)
        render_site(catalog, site, config)
    print(f"The site is in {site_dir}: open {site_dir / 'index.html'}")
    return exits.CLEAN
