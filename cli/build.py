"""`wirebook build`: the Spark pipeline, then the site."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.site_options import (
    build_request,
    declare_pipeline,
    declare_quiet,
    declare_spark,
    local_folder,
    say,
)
from wirebook.docgen.progress import progress
from wirebook.docgen.site.mkdocs_config import find_config
from wirebook.specs.output import SITE, replaced


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    declare_spark(parser)
    declare_quiet(parser)
    add, default = parser.add_argument, Path("build") / "catalog"
    catalog = "where to keep the tables (default: build/catalog)"
    add("--catalog", metavar="DIR", type=local_folder, default=default, help=catalog)
    site = "where to write the site (default: that of ./mkdocs.yml, otherwise site)"
    add("--site-dir", metavar="DIR", type=local_folder, help=site)


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and print where it is; returns the exit code. Raises
    InputError."""
    _, sources = build_request(options)
    from wirebook.docgen.pipeline.distribute import distribution
    from wirebook.docgen.pipeline.inputs import gather
    from wirebook.docgen.pipeline.run import build
    from wirebook.docgen.site.build import render_site

    started = time.monotonic()
    config = find_config(Path())
    site_dir = options.site_dir or config.site_dir
    with (
        replaced(options.catalog) as catalog,
        replaced(site_dir, SITE) as site,
        progress(options.quiet) as steps,
    ):
        steps.step("reading the specs")
        inputs = gather(sources)
        with distribution(options.master, dict(options.conf), steps) as distribute:
            made = build(inputs, catalog, distribute, steps)
        say(made, time.monotonic() - started, quiet=options.quiet)
        render_site(catalog, site, config, steps)
    if not options.quiet:
        print(f"The site is in {site_dir}: open {site_dir / 'index.html'}")
    return exits.CLEAN
