"""The options of the commands that run the pipeline, and the request built from them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli.front_door import tell_fallback
from wirebook.cli.worded import Worded
from wirebook.docgen.pipeline.ready import check_ready
from wirebook.docgen.request import BuildRequest
from wirebook.specs.limits import MAX_BUILD_HEAP
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.request import BuildRequest


def need(command: str, *packages: str) -> None:
    """Raise InputError before any work if a package of the extra `spark` is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise InputError(f"{command} needs the package {package}: install wirebook[spark]")


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what to build, from what, and where Spark runs."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help=Worded(
            "where the specs are; kafka selects the built-in ones (default: those of this repository or "
            "folder with its releases, otherwise kafka)",
            own="where the specs are (default: those of this repository or folder, with its releases)",
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


def local_folder(text: str) -> Path:
    """The folder of this machine that an option names. Raises ArgumentTypeError for a URI."""
    if "://" in text:
        raise argparse.ArgumentTypeError(
            f'"{visible(text)}" is a URI; name a folder of this machine (--tables URI writes the Parquet '
            "tables there)"
        )
    return Path(text)


def declare_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option that turns off progress and the summary."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print only warnings and errors, without progress"
    )


def declare_spark(parser: argparse.ArgumentParser) -> None:
    """Add the options that select where and how Spark runs; they override the user's Spark configuration."""
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: local[*])")
    parser.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        type=_setting,
        action=_Settings,
        default={},
        help="a Spark setting, such as spark.driver.memory=4g; repeatable",
    )
    parser.add_argument(
        "--tables",
        metavar="URI",
        type=_uri,
        help="write the Parquet tables there as well, by Spark's executors, such as s3a://BUCKET/FOLDER",
    )
    parser.add_argument(
        "--ui",
        action=_Settings,
        nargs=0,
        const=("spark.ui.enabled", "true"),
        dest="conf",
        default=argparse.SUPPRESS,
        help="start Spark's web interface during the run, and print its address",
    )


class _Settings(argparse.Action):
    """Collects settings by name; the last value of a name wins."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, Sequence)
        name, value = values or self.const
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), name: value})


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f'"{text}" is not a Spark setting; write spark.NAME=VALUE')
    return name, value


def _uri(text: str) -> str:
    from wirebook.docgen.pipeline.spark.storage import checked_uri

    try:
        return checked_uri(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


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


def untrusted_request(options: argparse.Namespace) -> BuildRequest:
    """As `build_request`, on a local Spark with a limited heap. Raises InputError for options that use the
    network.
    """
    options.master = options.master or "local[*]"
    if not options.master.startswith("local") or options.tables or "PYSPARK_GATEWAY_PORT" in os.environ:
        raise InputError("--untrusted runs on this machine only: without --tables and another Spark master")
    options.conf = {"spark.driver.memory": f"{MAX_BUILD_HEAP >> 20}m", **options.conf}
    return build_request(options)
