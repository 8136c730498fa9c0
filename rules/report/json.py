"""JSON for other programs: wirebook/findings/1, described by rules/schema/findings.json."""

from __future__ import annotations

from wirebook.rules.result import CheckResult
from wirebook.specs.printable import to_json


def render(result: CheckResult) -> str:
    """The result as one JSON object, in ASCII: strings of specs are unchanged, but escaped."""
    return to_json(result.to_json())
