"""The options of all commands that run on Spark."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError


def need(command: str, *packages: str) -> None:
    """Raise InputError before any work if a package of the extra `spark` is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise InputError(f"{command} needs the package {package}: install wirebook[spark]")


def local_folder(text: str) -> Path:
    """The folder of this machine that an option names. Raises ArgumentTypeError for a URI."""
    if "://" in text:
        raise argparse.ArgumentTypeError(f'"{visible(text)}" is a URI; name a folder of this machine')
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
        action="append",
        default=[],
        help="a Spark setting, such as spark.driver.memory=4g; repeatable",
    )


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f'"{text}" is not a Spark setting; write spark.NAME=VALUE')
    return name, value
