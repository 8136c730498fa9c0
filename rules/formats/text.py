"""Text for people: each finding with both places in the files, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirebook.rules.formats.words import about, bytes_elsewhere, named, state
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet, visible

if TYPE_CHECKING:
    from wirebook.rules.agreement.proof_words import Proof
    from wirebook.rules.finding import Finding, Place

WIDTH = 100  # of prose; lines of a file are shown unchanged, up to FRAME
FRAME = 160
LISTED = 5  # findings that follow from one
_COLOURS = {"error": "1;31", "warning": "1;33", "info": "1;36", "waived": "2", "fix": "32", "strong": "1"}
_TOKEN = r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S'


def render(report: CheckResult, *, colour: bool = False, explain: bool = False) -> str:
    """The report for a terminal or a log, with colours on request; no other control characters.

    `explain` shows the whole proof of each finding.
    """
    return "\n".join(_Painter(report, colour, explain).lines()) + "\n"


def render_finding(report: CheckResult, finding: Finding, *, colour: bool = False) -> str:
    """One finding of a report with its whole proof."""
    return "\n".join(_Painter(report, colour, True).finding(finding._replace(proven_by=None))) + "\n"


class _Painter:
    """Formats one report; keeps the lines of files that many findings point into."""

    def __init__(self, report: CheckResult, colour: bool, explain: bool) -> None:
        self.report = report
        self.colour = colour
        self.explain = explain
        self.files: dict[tuple[str, bool], list[str] | None] = {}

    def lines(self) -> Iterator[str]:
        report = self.report
        yield self.line(f"wirebook check: {clip(report.compared)}")
        yield from self.prose(report.notices, "note: ", "warning")
        for finding in report.causes:
            yield ""
            yield from self.waived(finding) if finding.waived is not None else self.finding(finding)
        yield ""
        yield from self.prose(report.unchecked, "could not be checked: ", "error")
        worst = next((word for word in ("error", "warning") if report.summary[word]), "strong")
        yield self.line(counts(report), worst)

    def finding(self, finding: Finding) -> Iterator[str]:
        """A finding with both places."""
        head = f"{state(finding)}[{visible(finding.rule)}]"
        yield self.line(head, state(finding), f" {about(finding)}")
        yield from self.wrapped(clip(finding.message), "  ", "  ")
        if finding.location is not None:
            yield from self.frame(finding.location, True, "-->", finding.severity.value)
        if finding.previous is not None:
            yield from self.frame(finding.previous, False, "was", "strong")
        if finding.proof is not None and finding.proven_by is not None:
            yield from self.wrapped(bytes_elsewhere(finding.proven_by), "  bytes: ", "         ")
        elif finding.proof is not None:
            yield from self.proof(finding.proof)
        yield from self.following(finding)
        if finding.root is not None:
            yield from self.wrapped(f"follows from {named(finding.root)}", "  ", "  ")
        elif finding.fix:
            yield from self.wrapped(clip(finding.fix), "  fix:   ", "         ", "fix")
        yield self.line(f"  why:   wirebook explain {visible(finding.rule)}")
        if finding.waived is not None:
            yield from self.reason(finding.waived)
        elif finding.needs_waiver and finding.root is None:
            command = clip(self.report.command)
            yield self.line(f"  waive: {command} --waive={finding.fingerprint}")

    def following(self, cause: Finding) -> Iterator[str]:
        """The findings that follow from one, one line each."""
        below = self.report.following(cause)
        for number, finding in enumerate(below[:LISTED]):
            head = "         " if number else "  from it: "
            yield self.line(f"{head:<11}{state(finding)}[{visible(finding.rule)}] {about(finding)}")
        if len(below) > LISTED:
            yield self.line(f"{'':11}and {len(below) - LISTED} more: --format json lists them")

    def waived(self, finding: Finding) -> Iterator[str]:
        yield self.line(f"waived[{visible(finding.rule)}]", "waived", f" {about(finding)}")
        yield from self.following(finding)
        yield from self.reason(finding.waived or "")

    def reason(self, text: str) -> Iterator[str]:
        """Why a finding is waived."""
        yield from self.wrapped(clip(text), "  reason: ", "          ", "waived")

    def proof(self, proof: Proof) -> Iterator[str]:
        """The bytes that show a finding, on one line, or with what each of them is."""
        from wirebook.rules.agreement import proof_words

        first, rest = "  bytes: ", "         "
        if not self.explain:
            yield from self.wrapped(proof_words.line(proof), first, rest)
            return
        yield from self.wrapped(f"{proof_words.sending(proof)}:", first, rest)
        yield self.line(rest + proof_words.message(proof))
        for line in proof_words.lines(proof):
            yield self.line(rest + line)
        yield from self.wrapped(proof_words.outcome(proof), rest, rest)

    def frame(self, place: Place, new: bool, arrow: str, style: str) -> Iterator[str]:
        yield self.line(f"  {arrow} {clip(place.path)}:{place.line}:{place.column}")
        texts = self.texts(place, new)
        if texts is None or not 0 < place.line <= len(texts):
            return
        before, token, after = (_shown(part) for part in _around(texts[place.line - 1], place))
        number = str(place.line)
        gutter = " " * (len(number) + 1)
        yield self.line(f"  {gutter}|")
        yield self.line(f"  {number} | {before}{token}{after}".rstrip())
        yield self.line(
            f"  {gutter}| {' ' * _columns(before)}", style, "^" * max(_columns(token), 1), last=True
        )

    def texts(self, place: Place, new: bool) -> list[str] | None:
        key = (place.path, new)
        if key not in self.files:
            text = self.report.text(place, new)
            self.files[key] = None if text is None else text.split("\n")
        return self.files[key]

    def prose(self, texts: tuple[str, ...], label: str, style: str) -> Iterator[str]:
        for text in texts:
            yield from self.wrapped(clip(text), label, " " * len(label), style)

    def wrapped(self, text: str, first: str, rest: str, style: str = "") -> Iterator[str]:
        lines: list[str] = []
        for word in text.split():
            if lines and len(lines[-1]) + len(word) < WIDTH - len(first):
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        for number, line in enumerate(lines or [""]):
            if number:
                yield self.line(rest + line)
            else:
                yield self.line(first.rstrip(), style, first[len(first.rstrip()) :] + line)

    def line(self, text: str, style: str = "", after: str = "", last: bool = False) -> str:
        """One line; `style` colours its first part, or with `last` its second."""
        whole = quiet(f"{text}{after}").rstrip()
        if not self.colour or not style:
            return whole
        cut = min(len(text), len(whole))
        plain, painted = (whole[:cut], whole[cut:]) if last else (whole[cut:], whole[:cut])
        if not painted:
            return whole
        painted = f"\x1b[{_COLOURS[style]}m{painted}\x1b[0m"
        return plain + painted if last else painted + plain


def _shown(text: str) -> str:
    return visible(text.replace("\t", "    "))


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
        token = re.compile(_TOKEN).match(line, start, limit)
        end = token.end() if token else start
    before, after = line[first:start], line[end:limit]
    return f"…{before}" if first else before, line[start:end], f"{after}…" if limit < len(line) else after


def _columns(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
