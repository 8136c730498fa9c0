"""The finished catalog, read without Spark: its documents, and its tables as Arrow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from wirebook.docgen.catalog.files import ERRORS
from wirebook.docgen.catalog.protocol import LevelRecord, LevelRecords, ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    Index,
    IndexRow,
    SnapshotRecord,
    Snapshots,
    Tool,
)
from wirebook.specs.json_records import from_json
from wirebook.specs.problems import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Manifest:
    """manifest.json: which tool built a catalog, and what it left out."""

    SCHEMA: ClassVar[str] = "wirebook/manifest/1"
    tool: Tool
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Catalog:
    """One catalog folder; `Catalog.open` checks that it is one."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The catalog in `folder`; raises InputError if there is none of this edition."""
        return cls(folder, _read(folder, "manifest.json", Manifest))

    @cached_property
    def index(self) -> tuple[IndexRow, ...]:
        """A row for each API and other message: APIs by key first, the rest by type and name."""
        return _read(self.folder, "index.json", Index).apis

    @cached_property
    def snapshots(self) -> tuple[SnapshotRecord, ...]:
        """Every snapshot in order, with what each API offers in it and what is new in it."""
        return _read(self.folder, "snapshots.json", Snapshots).snapshots

    @cached_property
    def levels(self) -> tuple[LevelRecord, ...]:
        """Every ApiVersion with the snapshot that first had it; () if the protocol has none."""
        return _read(self.folder, "levels.json", LevelRecords).levels

    @cached_property
    def error_table(self) -> bytes | None:
        """The text of the table of errors; None if the protocol has none."""
        path = self.folder / ERRORS
        return path.read_bytes() if path.is_file() else None

    @cached_property
    def protocol(self) -> ProtocolRecord:
        """How the protocol presents itself."""
        return _read(self.folder, "protocol.json", ProtocolRecord)

    @cached_property
    def documents(self) -> tuple[ApiDocument, ...]:
        """The documents of all APIs and messages, in the order of the index."""
        names = [f"api/{row.slug}.json" for row in self.index]
        return tuple(_read(self.folder, name, ApiDocument) for name in names)


def _read(folder: Path, name: str, kind: type[T]) -> T:
    """A document of a catalog. Raises InputError if it is not there, or not one of its kind."""
    path, expected = folder / name, getattr(kind, "SCHEMA", None)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] == expected:
            return from_json(kind, document)
    except FileNotFoundError:
        raise InputError("there is no catalog here; run wirebook build", str(folder)) from None
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the catalog is damaged ({error!r})", str(path)) from None
    words = f"this is not {expected} but {document['schema']!r}; build the catalog again"
    raise InputError(words, str(path))
