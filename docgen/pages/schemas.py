"""The JSON Schemas of what wirebook reads and writes: files of the package, or those of records, by
name.

A record of a package above this one is named by its module.

A document names its format by `"schema": "wirebook/NAME/EDITION"`; NAME is the key here. A site has
each schema at `schema/NAME/EDITION.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.audit_records import AuditFinding, AuditSummary
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.protocol import LevelRecords, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, Index, Snapshots
from wirebook.docgen.pages.record_schema import json_schema

_HOME = Path(__file__).resolve().parents[2]
_FOLDERS = ("specs", "rules", "peers", "docgen")

_FILES = [file for folder in _FOLDERS for file in sorted(_HOME.glob(f"{folder}/schema/*.json"))]
SCHEMAS: Mapping[str, Path | str | type] = {
    **{file.stem.replace("_", "-"): file for file in _FILES},
    "audit-summary": AuditSummary,
    "audit-finding": AuditFinding,
    "fleet": "fleet.records:FleetSummary",
    "manifest": Manifest,
    "index": Index,
    "api": ApiDocument,
    "snapshots": Snapshots,
    "levels": LevelRecords,
    "protocol": ProtocolRecord,
}

# Those of the documents of any site; the others are about what wirebook reads and prints, much of
# it Kafka's.
OF_SITES = ("index", "api", "vectors", "headers", "layouts", "snapshots", "errors")


def bundled(name: str) -> str:
    """The text of a self-contained schema: those that it refers to by `$id` are in its `$defs`.
    JSON Schema 2020-12 (9.3) calls this a compound document: a reference to an `$id` resolves
    inside it."""
    text = _text(name)
    schema = json.loads(text)
    inner = {}
    for other in SCHEMAS:
        referred = read_schema(other)
        if other != name and f'"$ref": "{referred["$id"]}' in text:
            inner[other] = referred
    if not inner:
        return text
    return _written({**schema, "$defs": {**schema.get("$defs", {}), **inner}})


def place(name: str) -> str:
    """Where a site has a schema, from the root of the reference."""
    return f"schema/{name}/{read_schema(name)['$id'].rpartition(':')[2]}.json"


def title(name: str) -> tuple[str, str]:
    """The title of a schema, and its first sentence."""
    schema = read_schema(name)
    return schema["title"], schema["description"].partition(". ")[0].rstrip(".") + "."


@cache
def _text(name: str) -> str:
    """The text of a schema: a file of the package, or what a record says of itself."""
    where = SCHEMAS[name]
    if isinstance(where, Path):
        return where.read_text(encoding="utf-8")
    if isinstance(where, str):
        module, _, record = where.partition(":")
        where = getattr(import_module(f"wirebook.{module}"), record)
    return _written(json_schema(where))


@cache
def read_schema(name: str) -> dict[str, Any]:
    """A schema by its name."""
    schema: dict[str, Any] = json.loads(_text(name))
    return schema


def _written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
