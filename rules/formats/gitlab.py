"""GitLab's code quality report: a JSON list with one entry per finding."""

from __future__ import annotations

from typing import Any

from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats.words import advice, bytes_of, in_new_tree, relative
from wirebook.rules.result import CheckResult
from wirebook.specs.digests import text_digest
from wirebook.specs.printable import clip, to_json

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: CheckResult) -> str:
    """The findings as GitLab reads them; anything that could not be checked is a blocker."""
    pairs = zip(report.ordered, report.fingerprints, strict=True)
    issues = [_unchecked(why, report.unchecked_places.get(why)) for why in dict.fromkeys(report.unchecked)]
    return to_json([*issues, *(_issue(finding, fingerprint) for finding, fingerprint in pairs)])


def _unchecked(why: str, place: Place | None) -> dict[str, Any]:
    return {
        "description": f"Could not be checked: {clip(why)}",
        "check_name": "unchecked",
        "fingerprint": text_digest(why, 16),
        "severity": "blocker",
        "location": _location(place),
    }


def _issue(finding: Finding, fingerprint: str) -> dict[str, Any]:
    place, old = in_new_tree(finding)
    text = ". ".join(filter(None, (clip(finding.message), old, advice(finding))))
    text += f". Bytes: {bytes_of(finding)}" if finding.proof is not None else ""
    if finding.waived is not None:
        text = f"Waived ({clip(finding.waived)}): {text}"
    return {
        "description": text,
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": "info" if finding.waived is not None else _SEVERITIES[finding.severity],
        "location": _location(place),
    }


def _location(place: Place | None) -> dict[str, Any]:
    """A place as GitLab reads it (lines), and in the full form of Code Climate (positions)."""
    if place is None:
        # GitLab drops an issue without a place.
        return {"path": ".", "lines": {"begin": 1}}
    path = relative(place.path)
    if place.end_line is None or place.end_column is None:
        return {"path": path, "lines": {"begin": place.line}}
    return {
        "path": path,
        "lines": {"begin": place.line, "end": place.end_line},
        "positions": {
            "begin": {"line": place.line, "column": place.column},
            "end": {"line": place.end_line, "column": place.end_column},
        },
    }
