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
from wirebook.docgen.catalog.files import json_schema
from wirebook.docgen.catalog.protocol import LevelRecords, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, Index, Snapshots

_HOME = Path(__file__).resolve().parents[2]

SCHEMAS: Mapping[str, str | type] = {
    "message": "specs/schema/message.json",
    "structs": "specs/schema/structs.json",
    "api-versions": "specs/schema/api_versions.json",
    "texts": "specs/schema/texts.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "changes": "rules/schema/changes.json",
    "report": "rules/schema/report.json",
    "config": "rules/schema/config.json",
    "bytes": "specs/schema/bytes.json",
    "errors": "specs/schema/errors.json",
    "broker-versions": "specs/schema/broker_versions.json",
    "kips": "specs/schema/kips.json",
    "advisories": "specs/schema/advisories.json",
    "removals": "specs/schema/removals.json",
    "finalized-features": "specs/schema/finalized_features.json",
    "aliases": "specs/schema/aliases.json",
    "releases": "specs/schema/releases.json",
    "origins": "specs/schema/origins.json",
    "field-code": "specs/schema/field_code.json",
    "values": "specs/schema/values.json",
    "flow": "specs/schema/flow.json",
    "audit-summary": AuditSummary,
    "audit-finding": AuditFinding,
    "ranges": "peers/schema/ranges.json",
    "negotiation": "peers/schema/negotiation.json",
    "probe": "peers/schema/probe.json",
    "mock": "peers/schema/mock.json",
    "negotiation-data": "peers/schema/negotiation_data.json",
    "clients": "peers/schema/clients.json",
    "fleet": "fleet.records:FleetSummary",
    "manifest": Manifest,
    "index": Index,
    "api": ApiDocument,
    "snapshots": Snapshots,
    "levels": LevelRecords,
    "protocol": ProtocolRecord,
    "vectors": "docgen/schema/vectors.json",
    "headers": "docgen/schema/headers.json",
    "layouts": "docgen/schema/layouts.json",
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
    if not isinstance(where, str):
        return _written(json_schema(where))
    module, _, record = where.partition(":")
    if record:
        return _written(json_schema(getattr(import_module(f"wirebook.{module}"), record)))
    return (_HOME / where).read_text(encoding="utf-8")


@cache
def read_schema(name: str) -> dict[str, Any]:
    """A schema by its name."""
    schema: dict[str, Any] = json.loads(_text(name))
    return schema


def _written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
