"""Text for people: each finding with both places in the files, and what to do about it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from unicodedata import combining, east_asian_width

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
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S')


def render(result: CheckResult, *, colour: bool = False) -> str:
    """The result for a terminal or a log, with colours on request; no other control characters."""
    lines = _Writer(result, colour).lines()
    # No runner of CI is a terminal with colours.
    return "".join(f"{line.rstrip() if colour else quiet(line.rstrip())}\n" for line in lines)


class _Writer:
    """Formats one result."""

    def __init__(self, result: CheckResult, colour: bool) -> None:
        self.result = result
        self.colour = colour

    def lines(self) -> Iterator[str]:
        result = self.result
        yield f"wirebook check: {clip(result.compared)}"
        for notice in result.notices:
            yield from self.wrapped("note: ", notice, "warning")
        for finding in result.ordered:
            yield ""
            yield from self.finding(finding)
        yield ""
        for reason in result.unchecked:
            yield from self.wrapped("could not be checked: ", str(reason), "error")
        worst = next((word for word in ("error", "warning") if result.summary[word]), "strong")
        yield self.painted(counts(result), worst)

    def finding(self, finding: Finding) -> Iterator[str]:
        """A finding with both places; of a waived one only the reason."""
        head = f"{state(finding)}[{visible(finding.rule)}]"
        yield f"{self.painted(head, state(finding))} {about(finding)}"
        if finding.waived is not None:
            yield from self.wrapped("  reason: ", finding.waived, "waived")
            return
        yield from self.wrapped("  ", finding.message)
        if finding.location is not None:
            yield from self.frame(finding.location, True, "-->", finding.severity.value)
        if finding.previous is not None:
            yield from self.frame(finding.previous, False, "was", "strong")
        if finding.proof is not None:
            yield from self.wrapped("  bytes: ", finding.proof.sentence)
        if finding.fix:
            yield from self.wrapped("  fix:   ", finding.fix, "fix")
        yield f"  why:   wirebook explain {visible(finding.rule)}"
        if finding.needs_waiver:
            yield f"  waive: {clip(self.result.command)} --waive={finding.fingerprint}"

    def frame(self, place: Place, new: bool, arrow: str, style: str) -> Iterator[str]:
        yield f"  {arrow} {clip(place.path)}:{place.line}:{place.column}"
        line = self.result.line(place, new)
        if not line:
            return
        parts = _around(line, place)
        before, token, after = (visible(part.replace("\t", "    ")) for part in parts)
        gutter = " " * (len(str(place.line)) + 1)
        yield f"  {gutter}|"
        yield f"  {place.line} | {before}{token}{after}"
        yield (
            f"  {gutter}| "
            f"{' ' * _columns(before)}{self.painted('^' * max(_columns(token), 1), style)}"
        )

    def wrapped(self, first: str, text: str, style: str = "") -> Iterator[str]:
        """Text below each other behind `first`, whose words are painted."""
        words, indent = " ".join(clip(text).split()), " " * len(first)
        wide = WIDTH - len(first)
        lines = textwrap.wrap(words, wide, break_long_words=False, break_on_hyphens=False) or [""]
        label = first.rstrip()
        yield f"{self.painted(label, style)}{indent[len(label) :]}{lines[0]}"
        yield from (indent + line for line in lines[1:])

    def painted(self, text: str, style: str) -> str:
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if self.colour and style else text


def _around(line: str, place: Place) -> tuple[str, str, str]:
    """The text before a place, at it and after it; only what is near, if the line is too long."""
    line = line.removesuffix("\r")
    start = min(max(place.column - 1, 0), len(line))
    first, limit = 0, len(line)
    if len(line) > FRAME:
        first, limit = max(start - FRAME // 3, 0), min(start + FRAME * 2 // 3, len(line))
    if place.end_line == place.line and place.end_column is not None:
        end = min(max(place.end_column - 1, start), limit)
    else:
        token = _TOKEN.match(line, start, limit)
        end = token.end() if token else start
    before, after = line[first:start], line[end:limit]
    return (
        f"…{before}" if first else before,
        line[start:end],
        f"{after}…" if limit < len(line) else after,
    )


def _columns(text: str) -> int:
    """The number of terminal columns that a text takes."""
    return sum(
        0 if combining(character) else 1 + (east_asian_width(character) in "WF")
        for character in text
    )
