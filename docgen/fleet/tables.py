"""The Parquet tables of a fleet: one file per day, with counted requests and their status at the target."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from wirebook.docgen.catalog.files import write_table
from wirebook.live.fleet.advice import api_name
from wirebook.live.fleet.counting import Count
from wirebook.live.fleet.requests import LoggedRequest
from wirebook.live.fleet.verdicts import Target
from wirebook.specs.problems import InputError

FOLDER = "requests"
_PART = "day="


def schema() -> pa.Schema:
    """The columns of a day; the day itself is in the name of its folder, as Spark and Arrow read it."""
    text, moment = pa.string(), pa.timestamp("ms")
    return pa.schema(
        {
            "client_software": text,
            "software_version": text,
            "client_id": text,
            "principal": text,
            "listener": text,
            "owner": text,
            "api_key": pa.int16(),
            "api": text,
            "version": pa.int16(),
            "requests": pa.int64(),
            "first_seen": moment,
            "last_seen": moment,
            "deprecated": pa.bool_(),
            "status": text,
        }
    )


def write_day(top: Path, day: str, counts: Iterable[Count], target: Target) -> None:
    """Write the counts of a day below `top`."""
    columns: dict[str, list[Any]] = {name: [] for name in schema().names}
    add = [columns[name].append for name in schema().names]
    for request, number, first, last in counts:
        # Requests counted without a day move to their day once that is known.
        if not number:
            continue
        values = (
            request.software,
            request.software_version,
            request.client_id,
            request.principal,
            request.listener,
            request.owner,
            request.api_key,
            api_name(request.api_key),
            request.version,
            number,
            first or None,
            last or None,
            request.deprecated,
            target.verdict(request.api_key, request.version).status.value,
        )
        for append, value in zip(add, values, strict=True):
            append(value)
    arrays = []
    for field in schema():
        if pa.types.is_timestamp(field.type):
            arrays.append(pa.array(columns[field.name], pa.string()).cast(field.type))
        else:
            arrays.append(pa.array(columns[field.name], field.type))
    write_table(top / FOLDER / f"{_PART}{day}", 0, pa.Table.from_arrays(arrays, schema=schema()))


def days_in(top: Path) -> list[str]:
    """The days that a fleet's folder has tables of."""
    folder = top / FOLDER
    if not folder.is_dir():
        return []
    return sorted(path.name.removeprefix(_PART) for path in folder.iterdir() if path.name.startswith(_PART))


def path_of(top: Path, day: str) -> Path:
    """Where the table of a day is."""
    return top / FOLDER / f"{_PART}{day}" / "part-0000.parquet"


def read_day(top: Path, day: str) -> pa.Table:
    """The table of a day. Raises InputError if it cannot be read."""
    path = path_of(top, day)
    try:
        table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"this table cannot be read: {error}", str(path)) from None
    if table.schema != schema():
        raise InputError("this is not a table of a fleet of this version of wirebook", str(path))
    return table


def counts_of(top: Path, day: str) -> Iterator[Count]:
    """The counts of a day, as they were written."""
    for row in read_day(top, day).to_pylist():
        request = LoggedRequest(
            day,
            row["client_software"],
            row["software_version"],
            row["client_id"],
            row["principal"],
            row["listener"],
            row["api_key"],
            row["version"],
            row["deprecated"],
            row["owner"],
        )
        yield Count(request, row["requests"], *(_written(row[name]) for name in ("first_seen", "last_seen")))


def _written(moment: Any) -> str:
    return "" if moment is None else str(moment.isoformat(timespec="milliseconds"))


def keep_day(old: Path, new: Path, day: str) -> None:
    """Keep the table of a day unchanged: the same file, if the file system supports links."""
    for source in sorted((old / FOLDER / f"{_PART}{day}").iterdir()):
        target = new / FOLDER / f"{_PART}{day}" / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)


def read_all(top: Path) -> pa.Table:
    """All days as one table with the column `day`."""
    parts = []
    for day in days_in(top):
        table = read_day(top, day)
        parts.append(table.append_column("day", pa.array([day] * len(table), pa.string())))
    return pa.concat_tables(parts) if parts else schema().append(pa.field("day", pa.string())).empty_table()
