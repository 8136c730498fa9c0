"""Text for people: each finding with both places in the files, and what to do about it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.words import about, state
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet, visible

WIDTH = 100  # of prose; lines of a file are shown unchanged, up to FRAME
FRAME = 160
_COLOURS = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "waived": "2",
    "fix": "32",
    "strong": "1",
}
Paint = Callable[[str, str], str]  # of a text in a style


def render(result: CheckResult, *, colour: bool = False) -> str:
    """The result for a terminal or a log, with colours on request; no other control characters."""
    lines = (line.rstrip() for line in _lines(result, _coloured if colour else _plain))
    # No runner of CI is a terminal with colours.
    return "".join(f"{line if colour else quiet(line)}\n" for line in lines)


def _coloured(text: str, style: str) -> str:
    return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m"


def _plain(text: str, _: str) -> str:
    return text


def _lines(result: CheckResult, paint: Paint) -> Iterator[str]:
    yield f"wirebook check: {clip(result.compared)}"
    for notice in result.notices:
        yield from _wrapped(paint("note:", "warning"), "note: ", notice)
    for finding in result.ordered:
        yield ""
        yield from _finding(result, finding, paint)
    yield ""
    for reason in result.unchecked:
        label = "could not be checked: "
        yield from _wrapped(paint(label[:-1], "error"), label, str(reason))
    worst = next((word for word in ("error", "warning") if result.summary[word]), "strong")
    yield paint(counts(result), worst)


def _finding(result: CheckResult, finding: Finding, paint: Paint) -> Iterator[str]:
    """A finding with both places; of a waived one only the reason."""
    rule = visible(finding.rule)
    yield f"{paint(f'{state(finding)}[{rule}]', state(finding))} {about(finding)}"
    if finding.waived is not None:
        yield from _wrapped(paint("  reason:", "waived"), "  reason: ", finding.waived)
        return
    yield from _wrapped("", "  ", finding.message)
    for arrow, place, style in (
        ("-->", finding.location, finding.severity.value),
        ("was", finding.previous, "strong"),
    ):
        if place is not None:
            yield f"  {arrow} {clip(place.path)}:{place.line}:{place.column}"
            yield from _frame(result.line(place, arrow == "-->"), place, style, paint)
    if finding.proof is not None:
        yield from _wrapped("  bytes:", "  bytes: ", finding.proof.sentence)
    if finding.fix:
        yield from _wrapped(paint("  fix:", "fix"), "  fix:   ", finding.fix)
    yield f"  why:   wirebook explain {rule}"
    if finding.needs_waiver:
        yield f"  waive: {clip(result.command)} --waive={finding.fingerprint}"


def _frame(line: str, place: Place, style: str, paint: Paint) -> Iterator[str]:
    """A line of a file with its number, and a mark below a place in it; of a long line only what is
    near."""
    if not line:
        return
    start = place.column - 1
    end = start + 1
    if place.end_line == place.line and place.end_column is not None:
        end = place.end_column - 1
    first = max(start - FRAME // 3, 0) if len(line) > FRAME else 0
    parts = line[first:start], line[start:end], line[end : first + FRAME]
    before, token, after = (visible(part.replace("\t", "    ")) for part in parts)
    before = f"…{before}" if first else before
    after = f"{after}…" if len(line) > first + FRAME else after
    gutter = " " * (len(str(place.line)) + 1)
    yield f"  {gutter}|"
    yield f"  {place.line} | {before}{token}{after}"
    yield f"  {gutter}| {' ' * len(before)}{paint('^' * max(len(token), 1), style)}"


def _wrapped(painted: str, label: str, text: str) -> Iterator[str]:
    """Text below each other behind a label, which is `painted`."""
    words = " ".join(clip(text).split())
    wide = WIDTH - len(label)
    lines = textwrap.wrap(words, wide, break_long_words=False, break_on_hyphens=False) or [""]
    yield f"{painted}{label[len(label.rstrip()) :]}{lines[0]}"
    yield from (" " * len(label) + line for line in lines[1:])
