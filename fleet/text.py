"""The summary of a fleet as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.fleet.records import FleetSummary
from wirebook.specs.printable import number_of, visible

_LISTED = 10


def summary_text(summary: FleetSummary, seconds: float) -> Iterator[str]:
    """The answer, and a line for each of the first applications that break; `seconds` is how long
    it took."""
    logs, counts = summary.logs, summary.applications
    rate = logs.lines / seconds if seconds else 0
    yield (
        f"{number_of(logs.files, 'file')}; {number_of(logs.lines, 'line')} in {seconds:.1f} s "
        f"({rate:,.0f} a second)"
    )
    was = "was" if counts.upgraded == 1 else "were"
    upgraded = f"; {counts.upgraded:,} more {was} upgraded meanwhile" if counts.upgraded else ""
    yield summary.headline + upgraded
    for each in [each for each in summary.cut_off if each.state != "upgraded"][:_LISTED]:
        sent = [f"{use.api} v{use.versions}" for use in each.sends if use.status == "refused"]
        name, owner = each.name or each.principal, each.owner or "no owner known"
        days = each.unseen_days
        last = f", last {number_of(days, 'day')} ago" if days else ""
        refused = number_of(each.refused, "request")
        yield visible(f"  {name} ({owner}): {refused}, {', '.join(sent)}{last}")
    if counts.cut_off > _LISTED:
        yield f"  and {counts.cut_off - _LISTED:,} more"
    for sentence in summary.not_known:
        yield visible(f"Not known: {sentence[0].lower()}{sentence[1:]}")
    skipped = sum(logs.skipped.values())
    if skipped:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in logs.skipped.items())
        are_no = "is not a request" if skipped == 1 else "are not requests"
        yield f"{number_of(skipped, 'line')} {are_no}: {reasons}"
