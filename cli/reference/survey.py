"""`wirebook survey`: compares the histories of several repositories."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.spark_options import declare_quiet, declare_spark, local_folder, need

if TYPE_CHECKING:
    from wirebook.docgen.survey.records import SurveySummary

DEFAULT = Path("build") / "survey"
_LISTED = 20


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "repositories",
        metavar="REPO",
        nargs="+",
        help="a git repository, bare or not, or a bundle: PATH or NAME=PATH, followed by @GLOB for the "
        "tags (or else branches) of its releases; without @GLOB, all tags that name a release, except "
        "pre-releases",
    )
    parser.add_argument(
        "--reference", metavar="NAME", help="the repository to compare with (default: the first)"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=local_folder, default=DEFAULT, help=f"default: {DEFAULT}"
    )
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, if the specs define several")
    declare_quiet(parser)
    declare_spark(parser)


def run(options: argparse.Namespace) -> int:
    """Compare the repositories and print a line for each; returns the exit code. Raises InputError."""
    need("survey", "pyspark", "pyarrow", "jinja2")
    from wirebook.docgen.pipeline.survey.run import SurveyRequest, survey
    from wirebook.docgen.progress import progress
    from wirebook.docgen.survey.repositories import parse_given

    request = SurveyRequest(
        repositories=[parse_given(text) for text in options.repositories],
        output=options.output,
        reference=options.reference,
        protocol=options.protocol,
        master=options.master,
        conf=options.conf,
        tables=options.tables,
    )
    with progress(options.quiet) as shown:
        result = survey(request, shown)
    if not options.quiet:
        _print(result.summary, result.seconds, options.output)
    return exits.CLEAN


def _print(summary: SurveySummary, seconds: float, folder: Path) -> None:
    from wirebook.specs.printable import visible

    commits = sum(item.commits for item in summary.repositories)
    print(
        f"{len(summary.repositories):,} repositories, {commits:,} commits, {summary.texts:,} different specs "
        f"in {seconds:.1f} s"
    )
    for item in summary.repositories[:_LISTED]:
        counts = item.layouts
        print(
            visible(
                f"  {item.name} {item.newest.name}: {counts.same:,} versions as in {summary.reference}, "
                f"{counts.earlier:,} as in its past, {counts.other:,} with other bytes, "
                f"{counts.own:,} of its own; nearest to {item.nearest[0]}, "
                f"{item.difference.differing:,} differ"
            )
        )
        if item.problems:
            print(visible(f"  {item.name}: {item.problems:,} specs cannot be read or contradict others"))
    if len(summary.repositories) > _LISTED:
        print(f"  and {len(summary.repositories) - _LISTED:,} more")
    found = summary.collisions
    print(
        f"{len(found.keys):,} API keys, {len(found.tags):,} tags and {len(found.versions):,} versions of "
        "messages mean different things"
    )
    print(f"The result is in {folder}: index.html, survey.json and Parquet tables")
