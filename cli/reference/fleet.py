"""`wirebook fleet`: which clients use a cluster, and which of them a release cuts off."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.cli import exits
from wirebook.cli.reference.spark_options import declare_quiet, declare_spark, local_folder, need
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.pipeline.fleet.run import Fleet

DEFAULT = Path("build") / "fleet"
_LISTED = 10


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="*",
        help="request logs or metrics of brokers, outputs of other runs, or folders of them",
    )
    parser.add_argument(
        "--target", metavar="RELEASE", help="the Kafka release that the cluster is to be upgraded to"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=local_folder, default=DEFAULT, help=f"default: {DEFAULT}"
    )
    parser.add_argument(
        "--owners",
        metavar="FILE",
        type=Path,
        help="the owners of clients, by patterns of principals and client ids",
    )
    parser.add_argument(
        "--baseline", metavar="DIR", type=Path, help="the output of an earlier run, to compare with"
    )
    parser.add_argument(
        "--pseudonymize",
        metavar="KEYFILE",
        type=Path,
        help="replace principals and client ids with HMACs, using this key",
    )
    parser.add_argument(
        "--simulate",
        metavar="FILE",
        type=Path,
        help="write the logs of the simulated fleet that FILE describes, and the "
        "expected result, to --output",
    )
    declare_quiet(parser)
    declare_spark(parser)


def run(options: argparse.Namespace) -> int:
    """Read the logs and print a short summary; cut-off clients do not make it fail. Raises InputError,
    OSError.
    """
    if options.simulate is not None:
        return _simulate(options)
    if not options.logs or options.target is None:
        raise InputError("name the logs and the release: wirebook fleet LOG… --target 4.0")
    need("fleet", "pyarrow", "jinja2")
    from wirebook.docgen.pipeline.fleet.run import FleetRequest, fleet
    from wirebook.docgen.progress import progress

    request = FleetRequest(
        logs=options.logs,
        target=options.target,
        output=options.output,
        owners=options.owners,
        baseline=options.baseline,
        pseudonymize=options.pseudonymize,
        master=options.master,
        conf=options.conf,
        tables=options.tables,
    )
    with progress(options.quiet) as shown:
        result = fleet(request, shown)
    if not options.quiet:
        _print(result, options.output)
    return exits.CLEAN


def _print(result: Fleet, folder: Path) -> None:
    from wirebook.specs.printable import visible

    summary = result.summary
    upgraded = summary.clients.upgraded
    rate = result.lines / result.seconds if result.seconds else 0
    print(
        f"{result.files} files, {result.unchanged} of them unchanged; {result.lines:,} new lines "
        f"in {result.seconds:.1f} s ({rate:,.0f} a second)"
    )
    print(
        f"{summary.requests.refused:,} of {summary.logs.requests:,} requests are refused at "
        f"{summary.target}; {summary.clients.cut_off:,} of {summary.clients.total:,} clients are cut off"
        + (f", {upgraded:,} more were upgraded meanwhile" if upgraded else "")
    )
    for client in [item for item in summary.cut_off if item.state != "upgraded"][:_LISTED]:
        sent = ", ".join(f"{use.api} v{use.versions}" for use in client.sends if use.status == "refused")
        owner = client.owner or "no owner known"
        print(
            visible(
                f"  {client.client_id or client.principal} ({owner}): {client.refused:,} requests, {sent}"
            )
            + (f", last {client.unseen_days} days ago" if client.unseen_days else "")
        )
    if summary.clients.cut_off > _LISTED:
        print(f"  and {summary.clients.cut_off - _LISTED:,} more")
    if summary.requests.unknown:
        print(f"{summary.requests.unknown:,} requests have an unknown API or version")
    skipped = sum(summary.logs.skipped.values())
    if skipped:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in summary.logs.skipped.items())
        print(f"{skipped:,} lines are not requests: {reasons}")
    for problem in summary.logs.problems[:_LISTED]:
        print(visible(f"{problem.file}: {problem.problem}"))
    print(f"The result is in {folder}: index.html, summary.json and Parquet tables by day")


def _simulate(options: argparse.Namespace) -> int:
    from wirebook.live.fleet.simulation.run import simulate

    lines = simulate(options.simulate, options.output)
    if not options.quiet:
        print(f"{lines:,} lines of logs and truth.json are in {options.output}")
    return exits.CLEAN
