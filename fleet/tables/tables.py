"""The Parquet tables of a fleet, a file for each day: counted requests, and client ids of applications."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from wirebook.docgen.catalog.files import write_table
from wirebook.fleet.applications.naming import Names
from wirebook.fleet.counting.counting import Count, Counting, Who, number_of_ids
from wirebook.fleet.requests import Origin, Row
from wirebook.fleet.verdicts.advice import api_name
from wirebook.specs.problems import InputError

Named = TypeVar("Named", Row, Who)
FOLDER, IDS = "requests", "client_ids"
_PART = "day="


def schema() -> pa.Schema:
    """The columns of a day; the day itself is in the name of its folder, as Spark and Arrow read it."""
    text, moment = pa.string(), pa.timestamp("us")
    return pa.schema(
        {
            "origin": text,
            "client_software": text,
            "software_version": text,
            "application": text,
            "principal": text,
            "owner": text,
            "listener": text,
            "api_key": pa.int16(),
            "api": text,
            "version": pa.int16(),
            "requests": pa.int64(),
            "first_seen": moment,
            "last_seen": moment,
            "deprecated": pa.bool_(),
        }
    )


def ids_schema() -> pa.Schema:
    """The columns of a day's client ids: some hashes, from which their number follows, and a few of them."""
    text = pa.string()
    return pa.schema(
        {
            "application": text,
            "principal": text,
            "owner": text,
            "client_ids": pa.int64(),
            "samples": pa.list_(text),
            "hashes": pa.list_(pa.uint64()),
        }
    )


def write_day(top: Path, counting: Counting, day: str) -> None:
    """Write the counts of a day, and its client ids, below `top`."""
    rows = [
        row._asdict()
        | {
            "client_software": row.software,
            "api": api_name(row.api_key),
            "requests": number,
            "first_seen": _moment(first),
            "last_seen": _moment(last),
        }
        for row, number, first, last in counting.of_day(day)
        # Requests counted without a day move to their day once that is known.
        if number
    ]
    table = pa.Table.from_pylist(rows, schema=schema())
    write_table(top / FOLDER / f"{_PART}{day}", 0, table)
    ids = [
        (who.application, who.principal, who.owner, ids.number, list(ids.names), sorted(ids.hashes))
        for who, ids in counting.ids_of_day(day)
        if ids.hashes
    ]
    rows = [dict(zip(ids_schema().names, values, strict=True)) for values in ids]
    write_table(top / IDS / f"{_PART}{day}", 0, pa.Table.from_pylist(rows, schema=ids_schema()))


def days_in(top: Path) -> list[str]:
    """The days that a fleet's folder has tables of."""
    folder = top / FOLDER
    if not folder.is_dir():
        return []
    return sorted(path.name.removeprefix(_PART) for path in folder.iterdir() if path.name.startswith(_PART))


def path_of(top: Path, day: str, name: str = FOLDER) -> Path:
    """Where a table of a day is."""
    return top / name / f"{_PART}{day}" / "part-0000.parquet"


def digest(top: Path, day: str) -> bytes:
    """A digest of the requests of a day. Raises InputError if the table cannot be read."""
    path = path_of(top, day)
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", str(path)) from None


def read_day(top: Path, day: str, name: str = FOLDER, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of a day, or some columns of it. Raises InputError if it cannot be read."""
    path = path_of(top, day, name)
    try:
        file = pq.ParquetFile(path)
        if file.schema_arrow == (schema() if name == FOLDER else ids_schema()):
            return file.read(columns)
    except FileNotFoundError:
        raise InputError("this table is missing; remove the folder to start over", str(path)) from None
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"this table cannot be read: {error}", str(path)) from None
    raise InputError("this is not a table of a fleet of this version of wirebook", str(path))


def check(top: Path, requests: int) -> None:
    """Raise InputError unless the tables of all days can be read, and hold the number of requests counted."""
    written = 0
    for day in days_in(top):
        read_day(top, day, IDS, ())
        written += pc.sum(read_day(top, day, columns=("requests",))["requests"]).as_py() or 0
    if written != requests:
        words = f"has counted {requests:,} requests, and its tables hold {written:,}: some are missing or old"
        raise InputError(f"{words}; remove the folder to start over", str(top))


def counts_of(top: Path, day: str) -> Iterator[Count]:
    """The counts of a day, as they were written."""
    for columns in read_day(top, day).to_pylist():
        first, last = _written(columns["first_seen"]), _written(columns["last_seen"])
        values = columns | {
            "day": day,
            "origin": Origin(columns["origin"]),
            "software": columns["client_software"],
        }
        yield Count(Row(*(values[name] for name in Row._fields)), columns["requests"], first, last)


def samples_of(ids: pa.Table) -> dict[Names, str]:
    """A client id of each application in a table of client ids: the first of those that are kept."""
    samples: dict[Names, str] = {}
    for *names, kept in zip(*(ids[name].to_pylist() for name in (*Names._fields, "samples")), strict=True):
        who = Names(*names)
        samples[who] = min(kept[0], samples.get(who, kept[0]))
    return samples


def add_day(top: Path, day: str, into: Counting, hidden: Callable[[Names], Names] | None = None) -> None:
    """Add a day as it was written, or under the pseudonyms that `hidden` has for its names."""
    for counted, requests, first, last in counts_of(top, day):
        is_nameless = counted.origin is Origin.METRICS
        into.add(counted if is_nameless else _renamed(counted, hidden), requests, first, last)
    for row in read_day(top, day, IDS).to_pylist():
        who = Who(day, row["principal"], row["owner"], row["application"])
        hashes, samples, number = row["hashes"], row["samples"], row["client_ids"]
        if hidden is not None:
            # Hashes of names would show which names there are; of ids, only the samples can be replaced.
            hashes, samples = [], list(map(into.naming.client_id, samples))
        # The number counts only if not all hashes are there from which it follows.
        at_least = number if number > number_of_ids(hashes) else 0
        into.ids_at(_renamed(who, hidden)).merge(hashes, map(str.encode, samples), at_least)


def _renamed(of: Named, hidden: Callable[[Names], Names] | None) -> Named:
    if hidden is None:
        return of
    return of._replace(**hidden(Names(of.application, of.principal, of.owner))._asdict())


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _written(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat(timespec="milliseconds")


def keep_day(old: Path, new: Path, day: str) -> None:
    """Keep the tables of a day unchanged."""
    for name in (FOLDER, IDS):
        keep_file(path_of(old, day, name), path_of(new, day, name))


def keep_file(source: Path, target: Path) -> None:
    """Keep a file unchanged: the same file, if the file system supports links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def read_all(top: Path, name: str = FOLDER) -> pa.Table:
    """All days as one table with the column `day`."""
    parts = []
    for day in days_in(top):
        table = read_day(top, day, name)
        parts.append(table.append_column("day", pa.array([day] * len(table), pa.string())))
    if parts:
        return pa.concat_tables(parts)
    columns = schema() if name == FOLDER else ids_schema()
    return columns.append(pa.field("day", pa.string())).empty_table()
