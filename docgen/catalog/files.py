"""The files of a catalog: the same bytes for the same data, with the columns of tables by the types
of the fields of records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wirebook.specs.json_records import members, shape_of, to_json

ERRORS = "errors.json"
"""The table of errors, as it is written; it exists only if the protocol has one."""


def write_json(path: Path, document: object) -> None:
    """Write one JSON document, compact, with a line break at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(document) + b"\n")


def encoded(document: object) -> bytes:
    """A record or plain JSON as the catalog stores it: equal values have equal text."""
    text = json.dumps(to_json(document), ensure_ascii=False, separators=(",", ":"))
    # A spec may contain half of a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace")


def write_table(folder: Path, name: str, kind: type, records: Iterable[object]) -> None:
    """Write a Parquet table of records: the fields of `kind` that have a type are columns."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    rows, columns = list(records), {}
    for each in members(kind):
        type_of = arrow_type(each.hint)
        values = [getattr(row, each.name) for row in rows]
        if type_of is not None:
            is_record = pa.types.is_struct(type_of)
            columns[each.name] = pa.array(to_json(values) if is_record else values, type_of)
    (folder / "tables").mkdir(exist_ok=True)
    path = folder / "tables" / f"{name}.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd")


def arrow_type(hint: Any) -> Any:
    """The type of the column of a table for the values of a type; None if there is none."""
    import pyarrow as pa

    shape, inner = shape_of(hint)
    if shape == "optional":
        return arrow_type(inner)
    if shape == "list":
        return pa.list_(arrow_type(inner))
    if shape == "record":
        return pa.struct([(each.name, arrow_type(each.hint)) for each in members(hint)])
    plain = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
    return plain.get(hint)
