"""The files of a catalog: the same bytes for the same data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.catalog.json_records import to_json

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


MANIFEST = "manifest.json"


def write_json(path: Path, document: object) -> None:
    """Write one JSON document, compact, with a line break at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(document) + b"\n")


class JsonList:
    """A JSON document with one long list, written item by item: {"schema": …, "<name>": [...]}."""

    def __init__(self, path: Path, schema: str, name: str) -> None:
        self.file = path.open("wb")
        self.file.write(f'{{"schema":"{schema}","{name}":['.encode())
        self.empty = True

    def add(self, item: object) -> None:
        """Write one item."""
        self.file.write(b"\n" if self.empty else b",\n")
        self.file.write(encoded(item))
        self.empty = False

    def __enter__(self) -> JsonList:
        return self

    def __exit__(self, *error: object) -> None:
        with self.file:
            self.file.write(b"\n]}\n")


def encoded(document: object) -> bytes:
    """A record or plain JSON as the catalog stores it: equal values have equal text."""
    text = json.dumps(to_json(document), ensure_ascii=False, separators=(",", ":"))
    # A spec may contain half of a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace")


def write_table(folder: Path, part: int, table: pa.Table) -> None:
    """Write one part of a Parquet table, under a name that depends only on its position."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table.replace_schema_metadata(None),
        folder / f"part-{part:04d}.parquet",
        compression="zstd",
        use_dictionary=True,
        write_statistics=True,
        row_group_size=1 << 17,
    )


def write_table_of_profile(folder: Path, what: str, text: str) -> None:
    """Keep a table that the profile names, such as "errors", as it is written."""
    (folder / f"{what}_table.json").write_text(text, encoding="utf-8")
