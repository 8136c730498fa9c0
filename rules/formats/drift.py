"""The state of a tree against its releases, as one table for those who release it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.rules.finding import Finding
from wirebook.rules.formats.markdown import cell
from wirebook.rules.formats.text import render_finding
from wirebook.rules.formats.words import state
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.columns import columns
from wirebook.specs.printable import clip, number_of, quiet, visible

HEADS = ("message", "versions", "releases", "state", "rule", "field")


def render(report: CheckResult, form: str, *, colour: bool = False, explain: bool = False) -> str:
    """The table as "text" or "markdown", and each finding after it if `explain`."""
    rows = [_row(finding, report.drift) for finding in report.findings]
    lines = list(map(quiet, _text(report, rows)) if form == "text" else _markdown(report, rows))
    if explain and form == "text":
        lines += [f"\n{render_finding(report, each, colour=colour)}".rstrip() for each in report.findings]
    return "\n".join(lines) + "\n"


def spans(names: Sequence[str], releases: Sequence[str]) -> str:
    """Some releases as ranges among all of them: "2.7.0 to 3.9.0, 4.1.0"."""
    order = {name: at for at, name in enumerate(releases)}
    runs: list[list[str]] = []
    for name in sorted(names, key=lambda each: order.get(each, len(order))):
        if runs and order.get(name) == order.get(runs[-1][-1], -2) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _row(finding: Finding, releases: Sequence[str]) -> tuple[str, ...]:
    return (
        finding.message_name,
        finding.versions.text,
        spans(finding.releases, releases),
        state(finding),
        finding.rule,
        finding.field,
    )


def _text(report: CheckResult, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"wirebook check: {clip(report.compared)}"
    yield from (f"note: {clip(notice)}" for notice in report.notices)
    if rows:
        cells = [HEADS, *([visible(clip(cell)) for cell in row] for row in rows)]
        yield ""
        yield from (line.rstrip() for line in columns(cells))
    yield ""
    yield from (f"could not be checked: {clip(line)}" for line in report.unchecked)
    yield counts(report)


def _markdown(report: CheckResult, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    releases = number_of(len(report.drift), "release")
    yield f"**{counts(report)}** {releases}: {cell(report.compared)}"
    yield from (f"\n- could not be checked: {cell(line)}" for line in report.unchecked)
    yield from (f"\n- note: {cell(notice)}" for notice in report.notices)
    if rows:
        yield ""
        yield f"| {' | '.join(HEADS)} |"
        yield f"|{'---|' * len(HEADS)}"
        yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)
