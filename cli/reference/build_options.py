"""The options of the commands that build a site, and the request built from them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from wirebook.cli.front_door import tell_fallback
from wirebook.cli.reference.spark_options import declare_spark, local_folder
from wirebook.docgen.pipeline.ready import check_ready
from wirebook.docgen.request import BuildRequest
from wirebook.specs.problems import InputError


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what to build, from what, and where Spark runs."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help=(
            "where the specs are; kafka selects the built-in ones (default: those of this repository or "
            "folder with its releases, otherwise kafka)"
        ),
    )
    parser.add_argument("--source", dest="named", metavar="SOURCE", help="same as the argument")
    parser.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
    parser.add_argument(
        "--releases",
        metavar="GLOB",
        help="the tags that are releases (default: those of the specs, without other products)",
    )
    parser.add_argument(
        "--protocol",
        metavar="NAME",
        help="the protocol, if the specs define several (default: a site for each)",
    )
    declare_spark(parser)
    parser.add_argument(
        "--catalog",
        metavar="DIR",
        type=local_folder,
        default=Path("build") / "catalog",
        help="where to keep the tables (default: build/catalog)",
    )


def build_request(options: argparse.Namespace) -> BuildRequest:
    """Build the request from the options of `declare_pipeline`. Raises InputError if they contradict each
    other.
    """
    if options.source is not None and options.named is not None:
        raise InputError("SOURCE is named twice")
    check_ready(options.master)
    request = BuildRequest.of(
        options.source or options.named, options.history, options.releases, protocol=options.protocol
    )
    tell_fallback(request.workspace)
    return replace(
        request,
        master=options.master,
        catalog=options.catalog,
        conf=options.conf,
        tables=options.tables,
    )
