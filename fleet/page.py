"""The page of a fleet: one self-contained file, generated from its summary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wirebook.docgen.render.kit.standalone import standalone
from wirebook.docgen.render.pictures.bars import Amount, BarChart, BarPeriod, bar_chart
from wirebook.fleet.applications import QUIET_DAYS
from wirebook.fleet.records import DayUse, FleetSummary, WeekUse

LISTED = 500
_LABELS, _WIDEST_BAR, _WEEKS = 8, 48, 8
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
        burn_down=_burn_down(summary.by_week),
        last_weeks=[week.week for week in summary.by_week[-_WEEKS:]],
        chart=_chart(summary.by_day),
    )


def _burn_down(weeks: Sequence[WeekUse]) -> BarChart | None:
    """Bars of the applications that break, for each week; None if none does."""
    amounts = []
    for week in weeks:
        words = f"{week.remaining:,} remaining; {week.sending:,} sent refused requests"
        amounts.append((week.week, [Amount("refused", week.remaining, words)]))
    return _bars(amounts)


def _chart(days: Sequence[DayUse]) -> BarChart | None:
    """Bars of the requests that are not simply served, for each day; None if all are."""
    amounts = []
    for day in days:
        numbers = {"unknown": day.unknown, "refused": day.refused, "deprecated": day.deprecated}
        parts = [Amount(status, number, f"{number:,} {status}") for status, number in numbers.items()]
        amounts.append((day.day, parts))
    return _bars(amounts)


def _bars(amounts: Sequence[tuple[str, Sequence[Amount]]]) -> BarChart | None:
    apart = max(1, len(amounts) // _LABELS)
    periods = [
        BarPeriod(name, name if position % apart == 0 else "", some)
        for position, (name, some) in enumerate(amounts)
    ]
    return bar_chart(periods, _WIDEST_BAR) if any(period.total for period in periods) else None
