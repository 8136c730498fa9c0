"""GitLab's code quality report: a JSON list with one entry per finding."""

from __future__ import annotations

from typing import Any

from wirebook.rules.change import digest
from wirebook.rules.finding import Place
from wirebook.rules.report.words import SETTINGS, in_head, plain, state
from wirebook.rules.result import CheckResult
from wirebook.specs.printable import clip, to_json

_SEVERITIES = {"error": "critical", "warning": "minor", "info": "info", "waived": "info"}


def render(result: CheckResult) -> str:
    """The findings as GitLab reads them; anything that could not be checked is a blocker."""
    issues = [
        _issue(
            f"Could not be checked: {clip(str(error))}",
            "unchecked",
            digest(str(error)),
            "blocker",
            Place(error.path or SETTINGS, *(error.position or (1, 1))),
        )
        for error in result.unchecked
    ]
    issues += [
        _issue(
            ". ".join(plain(finding)),
            finding.rule,
            fingerprint,
            _SEVERITIES[state(finding)],
            in_head(finding),
        )
        for finding, fingerprint in zip(result.ordered, result.fingerprints, strict=True)
    ]
    return to_json(issues)


def _issue(text: str, rule: str, fingerprint: str, severity: str, place: Place) -> dict[str, Any]:
    """An issue; GitLab drops one without a place."""
    lines = {"begin": place.line}
    if place.end_column is not None:
        lines["end"] = place.line
    return {
        "description": text,
        "check_name": rule,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": place.path, "lines": lines},
    }
