"""`wirebook schema`: the JSON Schemas of what wirebook reads and writes."""

from __future__ import annotations

import argparse
from pathlib import Path

from docgen import exits
from specs.problems import InputError

SCHEMAS = {
    "message": "specs/schema/message.json",
    "api-versions": "specs/schema/api_versions.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "changes": "rules/schema/changes.json",
    "report": "docgen/schema/report.json",
    "rules": "rules/schema/rules.json",
    "bytes": "specs/schema/bytes.json",
    "errors": "specs/schema/errors.json",
    "broker-versions": "specs/schema/broker_versions.json",
    "audit": "docgen/schema/audit.json",
    "audit-summary": "docgen/schema/audit_summary.json",
    "audit-finding": "docgen/schema/audit_finding.json",
    "audit-verdict": "docgen/schema/audit_verdict.json",
    "ranges": "docgen/schema/ranges.json",
    "negotiation": "docgen/schema/negotiation.json",
    "probe": "docgen/schema/probe.json",
    "mock": "docgen/schema/mock.json",
    "negotiation-data": "docgen/schema/negotiation_data.json",
    "vectors": "docgen/schema/vectors.json",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one of: " + ", ".join(SCHEMAS))


def run(options: argparse.Namespace) -> int:
    """Print the schema, or without a name what there is. Raises InputError for a name that is not known."""
    if options.name is None:
        print("\n".join(SCHEMAS))
        return exits.CLEAN
    if options.name not in SCHEMAS:
        raise InputError(f'there is no schema "{options.name}"; there are {", ".join(SCHEMAS)}')
    path = Path(__file__).resolve().parent.parent / SCHEMAS[options.name]
    print(path.read_text(encoding="utf-8"), end="")
    return exits.CLEAN
