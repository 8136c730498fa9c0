"""`wirebook audit`: the rules applied to a whole history."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.reference.options import declare_quiet, declare_spark, local_folder, need
from wirebook.docgen.progress import progress
from wirebook.specs.printable import number_of

DEFAULT = Path("build") / "audit"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("repository", metavar="REPO", help="a git repository, bare or not")
    add("--releases", metavar="GLOB", required=True, help="the tags that are releases")
    add("--commits", metavar="REV", default="HEAD", help="the newest commit to judge")
    add("--output", metavar="DIR", type=local_folder, default=DEFAULT, help=f"default: {DEFAULT}")
    declare_quiet(parser)
    declare_spark(parser)
    # The current configuration does not apply to past commits.
    ignored = "wirebook.toml (severities, deprecated_for, prerelease) and waivers are ignored"
    parser.description = f"{parser.description} Rules use their default severities: {ignored}."


def run(options: argparse.Namespace) -> int:
    """Judge the history and print a short summary; findings do not make the command fail."""
    need("audit", "pyarrow", "jinja2")
    from wirebook.docgen.pipeline.audit import audit

    folder: Path = options.output
    started = time.monotonic()
    with progress(options.quiet) as stages:
        summary = audit(
            options.repository,
            options.releases,
            folder,
            options.commits,
            master=options.master,
            conf=dict(options.conf),
            progress=stages,
        )
    if options.quiet:
        return exits.CLEAN
    steps = f"{number_of(summary.commits, 'commit')} and {number_of(summary.releases, 'release')}"
    print(f"{steps} in {time.monotonic() - started:.1f} s")
    findings = summary.findings
    for kind, counts in (("commits", findings.commits), ("releases", findings.releases)):
        worse = f"{number_of(counts.error, 'error')}, {number_of(counts.warning, 'warning')}"
        print(f"{kind}: {worse}, {counts.info} for information")
    print(
        f"The findings are in {folder}: index.html, findings.jsonl, summary.json and a Parquet "
        "table"
    )
    return exits.CLEAN
