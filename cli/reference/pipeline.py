"""The options of the commands that run the pipeline, and the request that they make."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebook.docgen.build import BuildRequest


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is built, from what, and where Spark runs."""
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="where the specs are")
    parser.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
    parser.add_argument("--releases", metavar="GLOB", help="which tags of it are releases")
    parser.add_argument("--master", metavar="URL", default="local[*]", help="the Spark master")
    parser.add_argument(
        "--catalog",
        metavar="DIR",
        type=Path,
        default=Path("build") / "catalog",
        help="where the tables are left",
    )


def build_request(options: argparse.Namespace) -> BuildRequest:
    """The request that the options of `declare_pipeline` make; raises InputError where it cannot be met."""
    from wirebook.docgen.build import BuildRequest, check_ready

    request = BuildRequest(options.source, options.history, options.releases, options.master, options.catalog)
    check_ready(request)
    return request
