"""The finished catalog, read without Spark: its documents, and its tables as Arrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from wirebook.specs.problems import InputError

Doc = dict[str, Any]

TABLES = ("snapshots", "messages", "versions", "fields", "changes")
SCHEMAS = {
    "manifest": "wirebook/manifest/1",
    "index": "wirebook/index/1",
    "snapshots": "wirebook/snapshots/1",
    "changes": "wirebook/release-changes/1",
    "errors": "wirebook/error-codes/1",
    "levels": "wirebook/levels/1",
    "api": "wirebook/api/1",
}


@dataclass(frozen=True)
class Catalog:
    """One catalog folder; `Catalog.open` checks that it is one."""

    folder: Path
    manifest: Doc

    @classmethod
    def open(cls, folder: Path) -> Catalog:
        """The catalog in `folder`; raises InputError where there is none, or one of another edition."""
        manifest = _read(folder, "manifest.json", SCHEMAS["manifest"])
        return cls(folder, manifest)

    @cached_property
    def index(self) -> tuple[Doc, ...]:
        """A row for each API and other message: APIs by key first, the rest by type and name."""
        return tuple(_read(self.folder, "index.json", SCHEMAS["index"])["apis"])

    @cached_property
    def snapshots(self) -> tuple[Doc, ...]:
        """Every snapshot in order, with what each API offers in it and what is new in it."""
        return tuple(_read(self.folder, "snapshots.json", SCHEMAS["snapshots"])["snapshots"])

    @cached_property
    def changes(self) -> tuple[Doc, ...]:
        """For each snapshot but the first, in words, what changed against its predecessor."""
        return tuple(_read(self.folder, "changes.json", SCHEMAS["changes"])["pairs"])

    @cached_property
    def errors(self) -> tuple[Doc, ...]:
        """The error codes with their first release; () where the protocol has no list of them."""
        return tuple(_read(self.folder, "errors.json", SCHEMAS["errors"])["errors"])

    @cached_property
    def levels(self) -> tuple[Doc, ...]:
        """Every ApiVersion with the snapshot that first had it; () where the protocol has none."""
        return tuple(_read(self.folder, "levels.json", SCHEMAS["levels"])["levels"])

    def api(self, name: str) -> Doc:
        """The document of an API or message, by its slug, its name, a former name, or its API key in digits.

        Raises InputError where there is none.
        """
        folded = name.casefold()
        for row in self.index:
            names = {row["slug"], row["api"].casefold(), *(one.casefold() for one in row["former_names"])}
            if folded in names or (row["kind"] == "api" and folded == str(row["api_key"])):
                return _read(self.folder, f"api/{row['slug']}.json", SCHEMAS["api"])
        raise InputError(f'there is no API or message "{name}" in this catalog', str(self.folder))

    def apis(self) -> Iterator[Doc]:
        """The documents of all APIs and messages, in the order of the index."""
        for row in self.index:
            yield _read(self.folder, f"api/{row['slug']}.json", SCHEMAS["api"])

    def table(self, name: str) -> Any:
        """A table as a pyarrow.Table, its parts in order; raises InputError where it cannot be read."""
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        parts = sorted((self.folder / "tables" / name).glob("part-*.parquet"))
        if not parts:
            raise InputError(f'there is no table "{name}" in this catalog', str(self.folder))
        try:
            return pa.concat_tables(pq.read_table(part) for part in parts)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"the table is damaged ({error})", str(parts[0].parent)) from None


def _read(folder: Path, name: str, schema: str) -> Doc:
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no catalog here; wirebook build makes one", str(folder)) from None
    except (OSError, ValueError) as error:
        raise InputError(f"the catalog is damaged ({error})", str(folder / name)) from None
    told = found.get("schema") if isinstance(found, dict) else None
    if told != schema:
        raise InputError(f"this is no {schema} but {told!r}; build the catalog again", str(folder / name))
    assert isinstance(found, dict)
    return found
