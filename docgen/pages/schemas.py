"""The JSON Schemas of what wirebook reads and writes: files of the package, or those of records, by
name.

A record of a package above this one is named by its module.

A document names its format by `"schema": "wirebook/NAME/EDITION"`; NAME is the key here. A site has
each schema at `schema/NAME/EDITION.json`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.audit_records import AuditFinding, AuditManifest, AuditSummary
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.json_records import json_schema
from wirebook.docgen.catalog.protocol import LevelRecords, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, Index, Snapshots
from wirebook.docgen.pages.release_data import ReleaseDocument

_HOME = Path(__file__).resolve().parents[2]
_FORM = re.compile(r'\{(\s*)"schema":( ?)"wirebook/([a-z-]+)/(\d+)"')

SCHEMAS: Mapping[str, str | type] = {
    "message": "specs/schema/message.json",
    "structs": "specs/schema/structs.json",
    "api-versions": "specs/schema/api_versions.json",
    "texts": "specs/schema/texts.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "changes": "rules/schema/changes.json",
    "report": "rules/schema/report.json",
    "rules": "rules/schema/rules.json",
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
    "audit": AuditManifest,
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
    "release": ReleaseDocument,
    "protocol": ProtocolRecord,
    "vectors": "docgen/schema/vectors.json",
    "headers": "docgen/schema/headers.json",
    "layouts": "docgen/schema/layouts.json",
}

# Those of the documents of any site; the others are about what wirebook reads and prints, much of
# it Kafka's.
OF_SITES = ("index", "api", "vectors", "headers", "layouts", "snapshots", "release", "errors")


def bundled(name: str) -> str:
    """The text of a self-contained schema: those that it refers to by `$id` are in its `$defs`.

    JSON Schema 2020-12 (9.3) calls this a compound document: a reference to an `$id` resolves
    inside it.
    """
    text = _text(name)
    others = [
        other
        for other in SCHEMAS
        if other != name and f'"$ref": "{read_schema(other)["$id"]}' in text
    ]
    if not others:
        return text
    schema = read_schema(name)
    return _written(
        {
            **schema,
            "$defs": {**schema.get("$defs", {}), **{each: read_schema(each) for each in others}},
        }
    )


def place(name: str) -> str:
    """Where a site has a schema, from the root of the reference: the same for all builds of an
    edition."""
    return f"schema/{name}/{read_schema(name)['$id'].rpartition(':')[2]}.json"


def title(name: str) -> tuple[str, str]:
    """The title of a schema, and its first sentence."""
    schema = read_schema(name)
    return schema["title"], schema["description"].partition(". ")[0].rstrip(".") + "."


def published(names: Iterable[str], base: str) -> Iterator[tuple[str, str]]:
    """(place, text) of schemas for a site.

    `base` is the address of the reference, with a slash at its end: `$id` is then the address of
    the schema. Without one, "", it stays a URN.
    """
    for name in names:
        text = bundled(name)
        if base:
            # The first one is that of the schema itself: those of its `$defs` are what it refers
            # to.
            text = text.replace(
                json.dumps(read_schema(name)["$id"]), json.dumps(base + place(name)), 1
            )
        yield place(name), text


def with_address(text: str, path: str, base: str) -> str:
    """A JSON document that names its form, with the address of the schema as `$schema`, for
    editors.

    `path` is that of the document, from the root of the reference. Without a `base`, the address is
    relative to the document. The text of any other document is returned as it is.
    """
    match = _FORM.match(text)
    if match is None or match[3] not in SCHEMAS:
        return text
    expected = place(match[3])
    if expected != f"schema/{match[3]}/{match[4]}.json":
        return text
    address = (
        base + expected if base else posixpath.relpath(expected, posixpath.dirname(path) or ".")
    )
    key = f'"$schema":{match[2]}{json.dumps(address)},{match[1] or match[2]}'
    return f"{{{match[1]}{key}{text[match.end(1) :]}"


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
