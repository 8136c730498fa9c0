"""`wirebook fleet`: which clients use a cluster, and which of them a release cuts off."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.options import declare_quiet, declare_spark, local_folder, need
from wirebook.docgen.progress import progress
from wirebook.specs.printable import number_of, visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.fleet.run import Fleet

DEFAULT = Path("build") / "fleet"
_LISTED = 10


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.description = f"{parser.description} Only Kafka's protocol is supported."
    add = parser.add_argument
    logs = "request logs of brokers, or folders of them; patterns, and addresses such as s3a://BUCKET/dt=*/"
    add("logs", metavar="LOG", nargs="*", help=f"{logs} for Spark")
    add("--target", metavar="RELEASE", help="the Kafka release that the cluster is to be upgraded to")
    add("--output", metavar="DIR", type=local_folder, default=DEFAULT, help=f"default: {DEFAULT}")
    owners = "owners and names of applications, by patterns of principals and client ids"
    add("--owners", metavar="FILE", type=Path, help=owners)
    declare_quiet(parser)
    declare_spark(parser)


def run(options: argparse.Namespace) -> int:
    """Read the logs and print a short summary; cut-off clients do not make it fail. Raises InputError,
    OSError.
    """
    if not options.logs or options.target is None:
        raise InputError("name the logs and the release: wirebook fleet LOG… --target 4.0")
    need("fleet", "jinja2")
    from wirebook.fleet.run import FleetRequest, fleet

    request = FleetRequest(
        logs=options.logs,
        target=options.target,
        output=options.output,
        owners=options.owners,
        master=options.master,
        conf=dict(options.conf),
    )
    with progress(options.quiet) as steps:
        result = fleet(request, steps)
    if not options.quiet:
        _print(result, options.output)
    return exits.CLEAN


def _print(result: Fleet, folder: Path) -> None:
    summary = result.summary
    counts = summary.applications
    rate = summary.logs.lines / result.seconds if result.seconds else 0
    print(
        f"{number_of(summary.logs.files, 'file')}; {number_of(summary.logs.lines, 'line')} "
        f"in {result.seconds:.1f} s ({rate:,.0f} a second)"
    )
    upgraded = f"; {counts.upgraded:,} more {'was' if counts.upgraded == 1 else 'were'} upgraded meanwhile"
    print(summary.headline + (upgraded if counts.upgraded else ""))
    refused = [application for application in summary.cut_off if application.state != "upgraded"]
    for application in refused[:_LISTED]:
        sent = ", ".join(f"{use.api} v{use.versions}" for use in application.sends if use.status == "refused")
        name, owner = application.name or application.principal, application.owner or "no owner known"
        print(
            visible(f"  {name} ({owner}): {number_of(application.refused, 'request')}, {sent}")
            + (f", last {number_of(application.unseen_days, 'day')} ago" if application.unseen_days else "")
        )
    if counts.cut_off > _LISTED:
        print(f"  and {counts.cut_off - _LISTED:,} more")
    for sentence in summary.not_known:
        print(visible(f"Not known: {sentence[0].lower()}{sentence[1:]}"))
    skipped = sum(summary.logs.skipped.values())
    if skipped:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in summary.logs.skipped.items())
        are_no = "is not a request" if skipped == 1 else "are not requests"
        print(f"{number_of(skipped, 'line')} {are_no}: {reasons}")
    print(f"The result is in {folder}: index.html, summary.json and requests.jsonl")
