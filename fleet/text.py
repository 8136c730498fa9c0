"""The summary of a fleet as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.fleet.records import ApplicationUse, FleetSummary
from wirebook.specs.printable import number_of, visible

_LISTED = 10


def summary_text(summary: FleetSummary, seconds: float) -> Iterator[str]:
    """The answer, and a line for each of the first applications that break; `seconds` is how long
    it took."""
    logs, counts = summary.logs, summary.applications
    read = f"{number_of(logs.files, 'file')}; {number_of(logs.lines, 'line')} in {seconds:.1f} s"
    yield f"{read} ({logs.lines / max(seconds, 0.001):,.0f} a second)"
    headline = summary.headline
    if counts.upgraded:
        was = "was" if counts.upgraded == 1 else "were"
        headline += f"; {counts.upgraded:,} more {was} upgraded meanwhile"
    yield headline
    breaking = [each for each in summary.cut_off if each.state != "upgraded"]
    for each in breaking[:_LISTED]:
        yield visible(_line(each))
    if counts.cut_off > _LISTED:
        yield f"  and {counts.cut_off - _LISTED:,} more"
    for sentence in summary.not_known:
        yield visible(f"Not known: {sentence[0].lower()}{sentence[1:]}")
    if logs.skipped:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in logs.skipped.items())
        yield f"Lines that are not requests: {reasons}"


def _line(application: ApplicationUse) -> str:
    """ "  app-29 (logistics): 31,026 requests, Produce v2, Fetch v3"."""
    name = application.name or application.principal
    owner = application.owner or "no owner known"
    words = [number_of(application.refused, "request")]
    for use in application.sends:
        if use.status == "refused":
            words.append(f"{use.api} v{use.versions}")
    if application.unseen_days:
        words.append(f"last {number_of(application.unseen_days, 'day')} ago")
    return f"  {name} ({owner}): {', '.join(words)}"
