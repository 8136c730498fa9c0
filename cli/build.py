"""`wirebook build`: the Spark pipeline, then the site."""

import argparse
import time
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.site_options import (
    PIPELINE,
    QUIET,
    SPARK,
    build_request,
    say,
)
from wirebook.docgen.progress import progress
from wirebook.docgen.site.mkdocs_config import BUILTIN, find_config
from wirebook.specs.output import CATALOG, SITE, replaced

ARGUMENTS: Arguments = {
    **PIPELINE,
    **SPARK,
    **QUIET,
    "--catalog DIR": {
        "default": "build/catalog",
        "help": "where to keep the tables (default: %(default)s)",
    },
    "--site-dir DIR": "where to write the site (default: that of ./mkdocs.yml, otherwise site)",
}


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site; returns the exit code. Raises InputError."""
    _, sources = build_request(options)
    from wirebook.docgen.pipeline.distribute import distribution
    from wirebook.docgen.pipeline.inputs import gather
    from wirebook.docgen.pipeline.run import build
    from wirebook.docgen.site.build import read_config, render_site

    started = time.monotonic()
    file = find_config(Path())
    config = read_config(file)
    site_dir = options.site_dir or Path("site" if file == BUILTIN else config.site_dir)
    with (
        replaced(options.catalog, CATALOG) as catalog,
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
