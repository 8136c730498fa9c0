"""JSON for other programs: wirebook/findings/1, described by rules/schema/findings.json."""

from __future__ import annotations

from rules.formats.words import to_json
from rules.report import Report


def render(report: Report) -> str:
    """The report as one JSON object, in ASCII: texts of specs are in it as they are, but escaped."""
    return to_json(report.to_json())
