"""`wirebook build`: the Spark pipeline, then the site, or one for each protocol."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.build_options import build_request, declare_pipeline
from wirebook.cli.reference.spark_options import declare_quiet, declare_spark, local_folder
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.progress import progress
from wirebook.docgen.site.mkdocs_config import builtin_config, find_config
from wirebook.specs.output import CATALOG, SITE, all_replaced

if TYPE_CHECKING:
    from wirebook.docgen.progress import Progress
    from wirebook.docgen.request import BuildRequest
    from wirebook.docgen.site.mkdocs_config import SiteConfig


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    declare_spark(parser)
    declare_quiet(parser)
    parser.add_argument(
        "--catalog",
        metavar="DIR",
        type=local_folder,
        default=Path("build") / "catalog",
        help="where to keep the tables (default: build/catalog)",
    )
    parser.add_argument(
        "--site-dir",
        metavar="DIR",
        type=local_folder,
        help="where to write the site (default: that of ./mkdocs.yml, otherwise site)",
    )


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and print where it is; returns the exit code. Raises InputError."""
    from wirebook.docgen.render.start_page import write_start_page

    request = replace(
        build_request(options), master=options.master, conf=options.conf, catalog=options.catalog
    )
    config = find_config(Path())
    site_dir = options.site_dir or config.site_dir
    names = request.protocols()
    # Both are written to folders of this run and moved into place together: another build may run
    # concurrently.
    with (
        all_replaced((request.catalog, CATALOG), (site_dir, SITE)) as (catalog, site),
        progress(options.quiet) as steps,
    ):
        if len(names) == 1:
            _build(request, catalog, site, config, steps, options)
        else:
            if not config.is_builtin:
                words = "is for the site of one protocol (--protocol NAME); these have the built-in look"
                print(f"wirebook: {config.file.name} {words}", file=sys.stderr)
            config = replace(builtin_config(), is_one_of_several=True)
            _check_readable(request, names, steps)
            for name in names:
                (catalog / name).mkdir()
                (site / name).mkdir()
                part, steps.above = request.choosing(name), name
                _build(part, catalog / name, site / name, config, steps, options)
            write_start_page({name: catalog / name for name in names}, site)
    if not options.quiet:
        print(f"The site is in {site_dir}: open {site_dir / 'index.html'}")
    return exits.CLEAN


def _check_readable(request: BuildRequest, names: Sequence[str], steps: Progress) -> None:
    """Read the specs of all protocols. Raises InputError for unusable ones before the work on any of them."""
    for name in names:
        steps.above = name
        steps.step("reading the specs")
        gather(request.choosing(name))


def _build(
    request: BuildRequest,
    catalog: Path,
    site: Path,
    config: SiteConfig,
    steps: Progress,
    options: argparse.Namespace,
) -> None:
    """Fill the catalog and the site of one protocol."""
    from wirebook.docgen.pipeline.run import fill_catalog
    from wirebook.docgen.site.build import render_site

    filled = fill_catalog(request, catalog, steps)
    for line in filled.warnings if options.quiet else (*filled.warnings, filled.summary):
        print(line, file=sys.stderr, flush=True)
    render_site(catalog, site, config, steps)
