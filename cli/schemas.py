"""The JSON Schemas of what wirebook reads and writes, by name: files of the package."""

from __future__ import annotations

SCHEMAS = {
    "message": "specs/schema/message.json",
    "api-versions": "specs/schema/api_versions.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "changes": "rules/schema/changes.json",
    "report": "rules/schema/report.json",
    "rules": "rules/schema/rules.json",
    "bytes": "specs/schema/bytes.json",
    "errors": "specs/schema/errors.json",
    "broker-versions": "specs/schema/broker_versions.json",
    "audit": "docgen/schema/audit.json",
    "audit-summary": "docgen/schema/audit_summary.json",
    "audit-finding": "docgen/schema/audit_finding.json",
    "audit-verdict": "docgen/schema/audit_verdict.json",
    "ranges": "live/schema/ranges.json",
    "negotiation": "live/schema/negotiation.json",
    "probe": "live/schema/probe.json",
    "mock": "live/schema/mock.json",
    "negotiation-data": "live/schema/negotiation_data.json",
    "vectors": "docgen/schema/vectors.json",
}
