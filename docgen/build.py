"""`wirebook build`: the Spark pipeline, then the site."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from docgen import exits
from specs.problems import InputError


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add what the pipeline is told, by `build` and by `serve`."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="where the specs are")
    parser.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
    parser.add_argument("--releases", metavar="GLOB", help="which tags of it are releases")
    parser.add_argument("--master", metavar="URL", default="local[*]", help="the Spark master")
    parser.add_argument("--catalog", metavar="DIR", type=Path, help="where the tables are left")


def pipeline(options: argparse.Namespace) -> tuple[Path, Callable[[], None]]:
    """The catalog's folder, and what fills it. Raises InputError for options that do not go together."""
    if (options.history is None) != (options.releases is None):
        raise InputError(
            "--history and --releases belong together: the repository, and which tags are releases"
        )
    try:
        import mkdocs  # noqa: F401

        from docgen.pipeline.run import build_catalog
    except ModuleNotFoundError as error:
        raise InputError(
            f"building needs the package {error.name}: install wirebook[site,spark], or run make site"
        ) from None
    catalog = options.catalog or Path("build") / "catalog"

    def fill() -> None:
        build_catalog(catalog, options.source, options.history, options.releases, options.master)

    return catalog, fill


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_pipeline(parser)
    parser.add_argument("--site-dir", metavar="DIR", type=Path, default=Path("site"), help="default: site")


def run(options: argparse.Namespace) -> int:
    """Build the catalog and the site and say where it is; returns the exit code. Raises InputError."""
    catalog, fill = pipeline(options)
    from docgen.site import build_site, check_target

    check_target(options.site_dir)
    fill()
    build_site(catalog, options.site_dir)
    print(f"The site is in {options.site_dir}: open {options.site_dir / 'index.html'}")
    return exits.CLEAN
