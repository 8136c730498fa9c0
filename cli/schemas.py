"""The JSON Schemas of what wirebook reads and writes, by name: files of the package.

A document names its format by `"schema": "wirebook/NAME/EDITION"`; NAME is the key here.
"""

from __future__ import annotations

SCHEMAS = {
    "message": "specs/schema/message.json",
    "api-versions": "specs/schema/api_versions.json",
    "profile": "specs/schema/profile.json",
    "texts": "specs/schema/texts.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "changes": "rules/schema/changes.json",
    "report": "rules/schema/report.json",
    "rules": "rules/schema/rules.json",
    "released": "rules/schema/released.json",
    "config": "rules/schema/config.json",
    "bytes": "specs/schema/bytes.json",
    "errors": "specs/schema/errors.json",
    "broker-versions": "specs/schema/broker_versions.json",
    "kips": "specs/schema/kips.json",
    "advisories": "specs/schema/advisories.json",
    "audit": "docgen/schema/audit.json",
    "audit-summary": "docgen/schema/audit_summary.json",
    "audit-finding": "docgen/schema/audit_finding.json",
    "audit-verdict": "docgen/schema/audit_verdict.json",
    "ranges": "live/schema/ranges.json",
    "negotiation": "live/schema/negotiation.json",
    "probe": "live/schema/probe.json",
    "mock": "live/schema/mock.json",
    "negotiation-data": "live/schema/negotiation_data.json",
    "features": "live/schema/features.json",
    "clients": "live/schema/clients.json",
    "fleet": "docgen/schema/fleet.json",
    "survey": "docgen/schema/survey.json",
    "fleet-state": "docgen/schema/fleet_state.json",
    "fleet-truth": "live/schema/fleet_truth.json",
    "manifest": "docgen/schema/manifest.json",
    "index": "docgen/schema/index.json",
    "api": "docgen/schema/api.json",
    "snapshots": "docgen/schema/snapshots.json",
    "release-changes": "docgen/schema/release_changes.json",
    "error-codes": "docgen/schema/error_codes.json",
    "levels": "docgen/schema/levels.json",
    "protocol": "docgen/schema/protocol.json",
    "vectors": "docgen/schema/vectors.json",
}
