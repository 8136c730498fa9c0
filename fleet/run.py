"""The function behind `wirebook fleet`: logs in, a table, a summary and a page out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.docgen.catalog.files import encoded, write_json, write_table
from wirebook.docgen.pipeline.session import at_hand, spark_context
from wirebook.docgen.progress import SILENT, Progress
from wirebook.fleet.counts import Counts
from wirebook.fleet.lines import Reason
from wirebook.fleet.logs import NOT_GZIP, is_address, lines_of, log_files
from wirebook.fleet.owners import Owners, read_owners
from wirebook.fleet.page import fleet_page
from wirebook.fleet.records import FleetSummary, RequestUse
from wirebook.fleet.summary import summarize
from wirebook.fleet.target import api_name
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.output import FLEET, check_output, replaced
from wirebook.specs.problems import InputError


@dataclass(frozen=True, slots=True)
class FleetRequest:
    """Logs, the target release, and where to write the result.

    Spark reads the logs if there is a `master`, a Spark setting in `conf` or a Spark session of the
    caller, under spark-submit, and at addresses; otherwise this process does. `tables` asks for
    Parquet as well.
    """

    logs: Sequence[str]
    target: str
    output: Path
    owners: Path | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    tables: bool = False


def fleet(request: FleetRequest, progress: Progress = SILENT) -> FleetSummary:
    """Read the logs, replace the output in one step, and return the summary.

    Raises InputError if it cannot finish.
    """
    check_output(request.output, FLEET)
    target = kafka_releases().broker(request.target)
    owners = read_owners(request.owners) if request.owners else Owners()
    try:
        counts = _counted(request, owners, progress)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}", str(error.filename or request.logs[0])
        ) from error
    _check(counts, request.logs[0])
    summary = summarize(counts, owners, target)
    progress.step("writing the result")
    with replaced(request.output, FLEET) as folder:
        rows = []
        for row, tally in sorted(counts.requests.items()):
            times = (tally.first or None, tally.last or None)
            rows.append(RequestUse(*row, api_name(row.api_key), tally.requests, *times))
        with (folder / "requests.jsonl").open("wb") as table:
            table.writelines(encoded(row) + b"\n" for row in rows)
        if request.tables:
            write_table(folder, "requests", RequestUse, rows)
        write_json(folder / "summary.json", summary)
        page = fleet_page(summary)
        (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    return summary


def _counted(request: FleetRequest, owners: Owners, progress: Progress) -> Counts:
    """Count the requests of all logs, in this process or on Spark. Raises InputError, OSError."""
    names = [name for name in request.logs if not is_address(name)]
    addresses = [name for name in request.logs if is_address(name)]
    files = log_files(names, request.output)
    if not (addresses or request.master or request.conf or at_hand()):
        counts = Counts(owners)
        progress.step("reading the logs", len(files))
        for path in files:
            counts.read(lines_of(path), str(path))
            progress.advance()
        counts.end()
        return counts
    try:
        from wirebook.fleet.spark import address_of, count_on
    except ModuleNotFoundError as error:
        raise InputError(f"this needs the package {error.name}: install wirebook[spark]") from None
    progress.step("starting Spark")
    with spark_context(request.master, request.conf):
        progress.step("reading the logs")
        return count_on([*(address_of(str(path)) for path in files), *addresses], owners)


def _check(counts: Counts, log: str) -> None:
    """Raise InputError if the result would wrongly show that nobody is cut off: if a file was not
    decompressed, or none of the lines is a request.
    """
    for sample in counts.samples:
        if sample.reason is Reason.PACKED:
            raise InputError(NOT_GZIP, sample.file)
    if not counts.requests:
        reasons = [f"{number:,} {reason}" for reason, number in counts.skipped.most_common(3)]
        lines = f"; lines are {', '.join(reasons)}" if reasons else ""
        how = "Kafka writes them if kafka.request.logger is at DEBUG"
        raise InputError(f"there is no request in these logs{lines}. {how}", log)
