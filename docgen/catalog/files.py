"""The files of a catalog: the same bytes for the same data."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from wirebook.specs.json_records import to_json

MANIFEST = "manifest.json"
ERRORS = "errors.json"
"""The table of errors, as it is written; it exists only if the protocol has one."""


def write_json(path: Path, document: object) -> None:
    """Write one JSON document, compact, with a line break at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(document) + b"\n")


def write_list(path: Path, schema: str, name: str, items: Iterable[object]) -> None:
    """Write a JSON document with one long list, an item a line: {"schema": …, "<name>": [...]}."""
    lines = b",".join(b"\n" + encoded(item) for item in items)
    path.write_bytes(f'{{"schema":"{schema}","{name}":['.encode() + lines + b"\n]}\n")


def encoded(document: object) -> bytes:
    """A record or plain JSON as the catalog stores it: equal values have equal text."""
    text = json.dumps(to_json(document), ensure_ascii=False, separators=(",", ":"))
    # A spec may contain half of a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace")


def write_table(folder: Path, name: str, kind: type, records: Iterable[object]) -> None:
    """Write a Parquet table of records into a folder: the fields of `kind` that have a type are
    columns."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    plain = {str: pa.string(), int: pa.int32(), bool: pa.bool_()}

    def arrow(hint: Any) -> Any:
        """The type of a column, None if there is none."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return arrow(arguments[0])
        if origin is tuple:
            return pa.list_(arrow(arguments[0]))
        if is_dataclass(hint):
            return pa.struct([(each, arrow(inner)) for each, inner in get_type_hints(hint).items()])
        return plain.get(hint)

    columns = {
        each: arrow(hint) for each, hint in get_type_hints(kind).items() if arrow(hint) is not None
    }
    rows = list(records)
    arrays = [
        pa.array([_cell(getattr(row, column)) for row in rows], of)
        for column, of in columns.items()
    ]
    (folder / "tables").mkdir(exist_ok=True)
    table = pa.Table.from_arrays(arrays, names=list(columns))
    pq.write_table(table, folder / "tables" / f"{name}.parquet", compression="zstd")


def _cell(value: Any) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
