"""The options of the commands that run the pipeline, and the request that they make."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.build import BuildRequest


def declare_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is built, from what, and where Spark runs."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="where the specs are, or kafka for those that come with wirebook; default: those of this "
        "repository or folder with its releases, or else kafka",
    )
    parser.add_argument("--source", dest="named", metavar="SOURCE", help="the same")
    parser.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
    parser.add_argument("--releases", metavar="GLOB", help="which tags of it are releases")
    parser.add_argument(
        "--protocol", metavar="NAME", help="of specs of several protocols, this one; default: a site for each"
    )
    declare_spark(parser)
    parser.add_argument(
        "--catalog",
        metavar="DIR",
        type=Path,
        default=Path("build") / "catalog",
        help="where the tables are left",
    )


def declare_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option that turns off progress and the summary."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print warnings and errors only, and no progress"
    )


def declare_spark(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where and how Spark runs; the user's configuration of Spark is below them."""
    parser.add_argument("--master", metavar="URL", help="the Spark master; default: local[*]")
    parser.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        type=_setting,
        action=_Settings,
        default={},
        help="a setting of Spark, such as spark.driver.memory=4g; can be given again",
    )


class _Settings(argparse.Action):
    """Collects settings by name; the last one of a name counts."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, Sequence)
        name, value = values
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), name: value})


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f'"{text}" is not a setting of Spark; write spark.NAME=VALUE')
    return name, value


def build_request(options: argparse.Namespace) -> BuildRequest:
    """The request that the options of `declare_pipeline` make; raises InputError where it cannot be met."""
    from wirebook.docgen.build import BuildRequest, check_ready
    from wirebook.docgen.choice import choose

    if options.source is not None and options.named is not None:
        raise InputError("SOURCE is named twice")
    given = BuildRequest(
        options.source or options.named,
        options.history,
        options.releases,
        options.master,
        options.catalog,
        options.conf,
        options.protocol,
    )
    check_ready(given)
    choice = choose(options.source or options.named, options.history, options.releases, Path())
    return replace(given, source=choice.source, history=choice.history, releases=choice.releases)
