"""The data of an audit."""

from __future__ import annotations

from typing import Any

from wirebook.docgen.catalog.audit_records import AuditFinding, AuditSummary
from wirebook.docgen.pages.audit import audit_page
from wirebook.specs.json_records import from_json

HARM = "<script>alert(1)</script>\u202e\x1b[31m\"'&amp;"


NONE = {"error": 0, "warning": 0, "info": 0}


def row(**changed: Any) -> AuditFinding:
    place = {"path": HARM, "line": 1, "column": 1}
    document = {
        "kind": "commit", "name": "1" * 40, "commit": "1" * 40, "date": "2026-01-31", "subject": HARM,
        "against": None,
        "rule": HARM, "severity": "error", "category": "wire", "message": HARM, "message_name": HARM,
        "message_type": HARM, "api_key": 1, "field": HARM, "versions": HARM, "released_in": None,
        "location": place, "previous": None, "fix": HARM, "fingerprint": "0" * 16,
        "change": HARM, "proof": None, **changed,
    }  # fmt: skip
    return from_json(AuditFinding, document)


def summary(**changed: Any) -> AuditSummary:
    document = {
        "tool": {"name": "wirebook", "version": "0"}, "tip": "0" * 40, "pattern": HARM, "commits": 1, "releases": 1, "findings": {"commits": NONE, "releases": NONE}, "by_rule": [],
        "by_release": [{"release": HARM, "date": "2026-01-31", "against": None, **NONE}],
        "worst": [], **changed,
    }  # fmt: skip
    return from_json(AuditSummary, document)


def hostile() -> str:
    one = {**NONE, "error": 1}
    numbers = summary(
        by_rule=[{"rule": HARM, "commits": one, "releases": NONE}],
        worst=[{"commit": "1" * 40, "date": "2026-01-31", "subject": HARM, "rules": [HARM], **one}],
    )
    return audit_page(numbers, [row(), row(kind="release", name=HARM)], HARM)
