"""`wirebook fleet`: which clients use a cluster, and which of them a release cuts off."""

import argparse
import time

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.site_options import QUIET, SPARK, need
from wirebook.docgen.progress import progress

ARGUMENTS: Arguments = {
    "logs LOG +": "request logs of brokers, or folders of them; addresses such as "
    "s3a://BUCKET/dt=*/ for Spark",
    "--target RELEASE": {
        "required": True,
        "help": "the Kafka release that the cluster is to be upgraded to",
    },
    "--output DIR": {"default": "build/fleet", "help": "default: %(default)s"},
    "--owners FILE": "owners and names of applications, by patterns of principals and client ids",
    "--tables": "write the counted requests as Parquet, too",
    **QUIET,
    **SPARK,
}


def run(options: argparse.Namespace) -> int:
    """Read the logs and print a short summary; cut-off clients do not make it fail."""
    need("fleet", "jinja2")
    if options.tables:
        need("--tables", "pyarrow")
    from wirebook.fleet.run import FleetRequest, fleet
    from wirebook.fleet.text import summary_text

    request = FleetRequest(
        logs=options.logs,
        target=options.target,
        output=options.output,
        owners=options.owners,
        master=options.master,
        conf=dict(options.conf),
        tables=options.tables,
    )
    started = time.monotonic()
    with progress(options.quiet) as steps:
        summary = fleet(request, steps)
    if not options.quiet:
        print("\n".join(summary_text(summary, time.monotonic() - started)))
        print(f"The result is in {options.output}: index.html, summary.json and requests.jsonl")
    return exits.CLEAN
