"""The page of a fleet: one self-contained file, generated from its summary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wirebook.docgen.fleet.records import DayUse, FleetSummary
from wirebook.docgen.fleet.successors import QUIET_DAYS
from wirebook.docgen.render.kit.standalone import standalone
from wirebook.docgen.render.pictures.bars import Amount, BarChart, BarPeriod, bar_chart

LISTED = 500
_LABELS, _WIDEST_BAR = 8, 48
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
        clients_left_out=max(0, len(summary.cut_off) - LISTED) + summary.cut_off_left_out,
        chart=_chart(summary.by_day),
    )


def _chart(days: Sequence[DayUse]) -> BarChart | None:
    """Bars of the requests that are not simply served, for each day; None if all are."""
    apart = max(1, len(days) // _LABELS)
    periods = [
        BarPeriod(
            day.day,
            day.day if position % apart == 0 else "",
            [
                Amount(status, number, f"{number:,} {status}")
                for status, number in (
                    ("unknown", day.unknown),
                    ("refused", day.refused),
                    ("deprecated", day.deprecated),
                )
            ],
        )
        for position, day in enumerate(days)
    ]
    return bar_chart(periods, _WIDEST_BAR) if any(period.total for period in periods) else None
