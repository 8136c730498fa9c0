"""`wirebook survey`: compares the histories of several repositories."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.spark_options import declare_quiet, declare_spark, local_folder, need
from wirebook.docgen.progress import progress
from wirebook.docgen.survey.repositories import parse_given
from wirebook.specs.printable import visible

if TYPE_CHECKING:
    from wirebook.docgen.pipeline.survey.run import SurveyResult

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

    request = SurveyRequest(
        repositories=[parse_given(text) for text in options.repositories],
        output=options.output,
        reference=options.reference,
        protocol=options.protocol,
        master=options.master,
        conf=options.conf,
        tables=options.tables,
    )
    with progress(options.quiet) as steps:
        result = survey(request, steps)
    if not options.quiet:
        _print(result, options.output)
    return exits.CLEAN


def _print(result: SurveyResult, folder: Path) -> None:
    summary = result.summary
    commits = sum(repository.commits for repository in summary.repositories)
    print(
        f"{len(summary.repositories):,} repositories, {result.unchanged:,} of them unchanged; {commits:,} "
        f"commits, {summary.texts:,} different specs in {result.seconds:.1f} s"
    )
    for repository in summary.repositories[:_LISTED]:
        counts = repository.layouts
        print(
            visible(
                f"  {repository.name} {repository.newest.name}: {counts.same:,} versions as in "
                f"{summary.reference}, {counts.earlier:,} as in its past, {counts.other:,} with other bytes, "
                f"{counts.own:,} of its own; nearest to {repository.nearest[0]}, "
                f"{repository.difference.differing:,} differ"
            )
        )
        if repository.problems:
            print(
                visible(
                    f"  {repository.name}: {repository.problems:,} specs cannot be read or contradict others"
                )
            )
    if len(summary.repositories) > _LISTED:
        print(f"  and {len(summary.repositories) - _LISTED:,} more")
    collisions = summary.collisions
    print(
        f"{len(collisions.keys):,} API keys, {len(collisions.tags):,} tags and "
        f"{len(collisions.versions):,} versions of messages mean different things"
    )
    print(f"The result is in {folder}: index.html, survey.json and Parquet tables")
