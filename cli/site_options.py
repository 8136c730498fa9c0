"""The options of the commands that build a site or run on Spark."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli.front_door import tell_fallback
from wirebook.docgen.request import BuildRequest, Sources, sources_of
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.pipeline.run import Built

# What the extra `site` installs, by the name that is imported.
PACKAGES = ("mkdocs", "material", "mkdocstrings", "jinja2", "pyarrow")


def need(what: str, *packages: str, extra: str = "spark") -> None:
    """Raise InputError before any work if a package of an extra is missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise InputError(f"{what} needs {', '.join(missing)}: pip install 'wirebook[{extra}]'")


def local_folder(text: str) -> Path:
    """The folder of this machine that an option names. Raises ArgumentTypeError for a URI."""
    if "://" in text:
        raise argparse.ArgumentTypeError(
            f'"{visible(text)}" is a URI; name a folder of this machine'
        )
    return Path(text)


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what to build, and from what."""
    here = "those of this repository or folder with its releases, otherwise kafka"
    source = f"where the specs are; kafka selects the built-in ones (default: {here})"
    add = parser.add_argument
    add("source", metavar="SOURCE", nargs="?", help=source)
    add("--history", metavar="REPO", help="a git repository whose releases are shown")
    releases = "the tags that are releases (default: those that the settings name, or all versions)"
    add("--releases", metavar="GLOB", help=releases)


def declare_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option that turns off progress and the summary."""
    quiet = "print only warnings and errors, without progress"
    parser.add_argument("-q", "--quiet", action="store_true", help=quiet)


def declare_spark(parser: argparse.ArgumentParser) -> None:
    """Add the options that select where and how Spark runs; they override the user's Spark
    configuration."""
    add = parser.add_argument
    add("--master", metavar="URL", help="the Spark master (default: local[*])")
    setting = "a Spark setting, such as spark.driver.memory=4g; repeatable"
    add("--conf", metavar="KEY=VALUE", type=_setting, action="append", default=[], help=setting)


def build_request(options: argparse.Namespace) -> tuple[BuildRequest, Sources]:
    """The request of the options of `declare_pipeline`, with its specs and releases. Raises
    InputError."""
    need("building a site", *PACKAGES, extra="site")
    request = BuildRequest(options.source, options.history, options.releases)
    sources = sources_of(request)
    tell_fallback(sources.specs)
    return request, sources


def say(made: Built, seconds: float, *, quiet: bool) -> None:
    """Print what was left out of a catalog, and unless `quiet` a summary of it."""
    for line in (*made.problems, *(() if quiet else (f"{made.summary} in {seconds:.1f} s",))):
        print(f"wirebook: {line}", file=sys.stderr, flush=True)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f'"{text}" is not a Spark setting; write spark.NAME=VALUE')
    return name, value
