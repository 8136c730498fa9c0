"""The options of the commands that build a site, and the request built from them."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from wirebook.cli.front_door import tell_fallback
from wirebook.docgen.request import BuildRequest, Sources, sources_of
from wirebook.specs.problems import InputError

# What the extra `site` installs, by the name that is imported.
PACKAGES = ("mkdocs", "material", "mkdocstrings", "jinja2", "pyarrow")


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what to build, and from what."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help=(
            "where the specs are; kafka selects the built-in ones (default: those of this repository or "
            "folder with its releases, otherwise kafka)"
        ),
    )
    parser.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
    parser.add_argument(
        "--releases",
        metavar="GLOB",
        help="the tags that are releases (default: those that the settings name, or all versions)",
    )


def check_packages() -> None:
    """Raise InputError if a package of the extra `site` is missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(f"building a site needs {', '.join(missing)}: pip install 'wirebook[site]'")


def build_request(options: argparse.Namespace) -> tuple[BuildRequest, Sources]:
    """The request of the options of `declare_pipeline`, with its specs and releases. Raises InputError."""
    check_packages()
    request = BuildRequest(options.source, options.history, options.releases)
    sources = sources_of(request)
    tell_fallback(sources.specs)
    return request, sources
