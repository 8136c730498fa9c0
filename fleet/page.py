"""The page of a fleet: one self-contained file, generated from its summary."""

from __future__ import annotations

from pathlib import Path

from wirebook.docgen.pages.standalone import standalone
from wirebook.fleet.applications import QUIET_DAYS
from wirebook.fleet.records import FleetSummary

LISTED = 500
_STYLE = Path(__file__).with_name("fleet.css")


def fleet_page(summary: FleetSummary) -> str:
    """The page, as HTML."""
    return standalone(
        "fleet.html.jinja",
        _STYLE,
        tool=summary.tool,
        summary=summary,
        listed=LISTED,
        quiet_days=QUIET_DAYS,
    )
