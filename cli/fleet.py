"""`wirebook fleet`: which clients use a cluster, and which of them a release cuts off."""

from __future__ import annotations

import argparse
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.site_options import declare_quiet, declare_spark, local_folder, need
from wirebook.docgen.progress import progress

DEFAULT = Path("build") / "fleet"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    logs = "request logs of brokers, or folders of them; patterns, and addresses such as s3a://BUCKET/dt=*/"
    add("logs", metavar="LOG", nargs="+", help=f"{logs} for Spark")
    target = "the Kafka release that the cluster is to be upgraded to"
    add("--target", metavar="RELEASE", required=True, help=target)
    add("--output", metavar="DIR", type=local_folder, default=DEFAULT, help=f"default: {DEFAULT}")
    owners = "owners and names of applications, by patterns of principals and client ids"
    add("--owners", metavar="FILE", type=Path, help=owners)
    declare_quiet(parser)
    declare_spark(parser)


def run(options: argparse.Namespace) -> int:
    """Read the logs and print a short summary; cut-off clients do not make it fail. Raises
    InputError, OSError.
    """
    need("fleet", "jinja2")
    from wirebook.fleet.run import FleetRequest, fleet
    from wirebook.fleet.text import summary_text

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
        print("\n".join(summary_text(result.summary, result.seconds)))
        print(f"The result is in {options.output}: index.html, summary.json and requests.jsonl")
    return exits.CLEAN
