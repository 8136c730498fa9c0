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
from wirebook.cli.reference.spark_options import declare_quiet, local_folder
from wirebook.docgen.anchors import check_anchors, read_anchors
from wirebook.docgen.offline import check_zip, zipped
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
    declare_quiet(parser)
    parser.add_argument(
        "--site-dir",
        metavar="DIR",
        type=local_folder,
        help="where to write the site (default: that of ./mkdocs.yml, otherwise site)",
    )
    parser.add_argument(
        "--zip",
        metavar="FILE",
        type=Path,
        help="also write the site as a zip file that works without a server",
    )
    parser.add_argument(
        "--keep-anchors",
        metavar="LAST",
        type=Path,
        help="fail if a page or an anchor of the site LAST (its folder, or its anchors.json) is missing",
    )


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and print where it is; returns the exit code. Raises InputError."""
    from wirebook.docgen.render.start_page import write_start_page

    request = build_request(options)
    config = find_config(Path())
    site_dir = options.site_dir or config.site_dir
    if options.zip is not None:
        check_zip(options.zip, site_dir)
    names = request.protocols()
    last: Path | None = options.keep_anchors
    lasts = {} if last is None else {name: last / name if len(names) > 1 else last for name in names}
    for each in lasts.values():
        read_anchors(each)
    # Both are written to folders of this run and moved into place together: another build may run
    # concurrently. The zip file follows them.
    files: dict[Path, bytes] = {}
    with (
        all_replaced((request.catalog, CATALOG), (site_dir, SITE), files=files) as (catalog, site),
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
        for name, each in lasts.items():
            check_anchors(each, site / name if len(names) > 1 else site)
        if options.zip is not None:
            files[options.zip] = zipped(site, options.zip.stem)
    if not options.quiet:
        print(f"The site is in {site_dir}: open {site_dir / 'index.html'}")
    return exits.CLEAN


def _check_readable(request: BuildRequest, names: Sequence[str], steps: Progress) -> None:
    """Read the specs of all protocols. Raises InputError for unusable ones before the work on any of them."""
    for name in names:
        steps.above = name
        steps.step("reading the specs")
        gather(request.choosing(name), checked=False)


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
