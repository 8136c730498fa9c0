"""The options of the commands that build a site or run on Spark."""

import argparse
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import tell_fallback
from wirebook.docgen.request import BuildRequest, Sources, sources_of
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.pipeline.run import Built

# What the extra `site` installs, by the name that is imported.
PACKAGES = ("mkdocs", "material", "mkdocstrings", "jinja2", "pyarrow")

PIPELINE: Arguments = {
    "source SOURCE ?": "where the specs are; kafka selects the built-in ones (default: those of "
    "this repository or folder with its releases, otherwise kafka)",
    "--history REPO": "a git repository whose releases are shown",
    "--releases GLOB": "the tags that are releases (default: those that the settings name, or all "
    "versions)",
}
QUIET: Arguments = {"-q/--quiet": "print only warnings and errors, without progress"}
# They override the user's Spark configuration.
SPARK: Arguments = {
    "--master URL": "the Spark master (default: local[*])",
    "--conf KEY=VALUE *": "a Spark setting, such as spark.driver.memory=4g; repeatable",
}


def need(what: str, *packages: str, extra: str = "spark") -> None:
    """Raise InputError before any work if a package of an extra is missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise InputError(f"{what} needs {', '.join(missing)}: install wirebook[{extra}]")


def build_request(options: argparse.Namespace) -> tuple[BuildRequest, Sources]:
    """The request of the options in `PIPELINE`, with its specs and releases. Raises
    InputError."""
    need("building a site", *PACKAGES, extra="site")
    request = BuildRequest(options.source, options.history, options.releases)
    sources = sources_of(request)
    tell_fallback(sources.specs)
    return request, sources


def say(made: "Built", seconds: float, *, quiet: bool) -> None:
    """Print what was left out of a catalog, and unless `quiet` a summary of it."""
    for line in (*made.problems, *(() if quiet else (f"{made.summary} in {seconds:.1f} s",))):
        print(f"wirebook: {line}", file=sys.stderr, flush=True)
