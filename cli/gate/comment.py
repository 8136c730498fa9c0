"""`wirebook comment`: a report as a single comment on a pull or merge request."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.posting.place import Wanted, target
from wirebook.cli.posting.thread import keep
from wirebook.docgen.render.review.markdown import MARK, not_checked
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError

MISSING = "the report was not written; the log of the job has the reason"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `wirebook comment`."""
    add = parser.add_argument
    add("report", metavar="REPORT", type=Path, help="the output of `wirebook report --for-comment`")
    server = parser.add_mutually_exclusive_group()
    server.add_argument("--github", metavar="OWNER/NAME", help="the repository (default: that of the CI job)")
    server.add_argument(
        "--gitlab", metavar="PROJECT", help="the project, by id or path (default: that of the CI job)"
    )
    add(
        "--number",
        metavar="N",
        type=_positive,
        help="the pull or merge request (default: that of the CI job)",
    )
    add(
        "--api",
        metavar="URL",
        help="the base URL of the API (default: that of the CI job, else "
        "https://api.github.com or gitlab.com)",
    )
    add("--author", metavar="NAME", help="the account of the token (default: queried)")
    add(
        "--patience",
        metavar="SECONDS",
        type=_positive,
        default=120,
        help="total time to wait for retries (default: 120)",
    )


def run(options: argparse.Namespace) -> int:
    """Post, edit or remove the comment; returns 0. Raises InputError if the API refuses, OSError."""
    thread, longest = target(_wanted(options), os.environ)
    outcome = keep(thread, MARK, _body(options.report, longest))
    print(f"wirebook: {outcome.value}")
    return exits.CLEAN


def _wanted(options: argparse.Namespace) -> Wanted:
    return Wanted(
        options.github, options.gitlab, options.number, options.api, options.author, options.patience
    )


def _body(report: Path, longest: int) -> str | None:
    """The text of the comment: None if the report is empty, the reason if there is no report."""
    try:
        with report.open("rb") as file:
            # A pipe is accepted, but not one that never ends.
            raw = file.read(MAX_TEXT + 1)
        if len(raw) > MAX_TEXT:
            raise InputError(f"the file is larger than {MAX_TEXT >> 20} MiB", str(report))
        text = raw.decode()
    except FileNotFoundError:
        return not_checked(MISSING)
    except UnicodeDecodeError:
        raise InputError("the report is not UTF-8", str(report)) from None
    if not text.strip():
        return None
    body = text if text.startswith(MARK) else f"{MARK}\n{text}"
    if len(body) > longest:
        raise InputError(f"{len(body):,} characters; a comment has at most {longest:,}", str(report))
    return body


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)
