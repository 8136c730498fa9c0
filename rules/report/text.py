"""Text for people: each finding with both places in the files, and what to do about it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.words import FEW, about, grouped, said, state
from wirebook.rules.result import CheckResult, counts
from wirebook.specs.printable import clip, quiet, visible

WIDTH = 100  # of prose; lines of a file are shown unchanged, up to FRAME
FRAME = 160
MANY = 9  # findings after which a reader does not see their number at the end
_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;33", "info": "1;36", "waived": "2"}
_LABEL = re.compile(rf"^({'|'.join(_COLOURS)})(?:\[.*?\]|:)", re.MULTILINE)


def render(result: CheckResult) -> str:
    """The result for a terminal or a log, without control characters."""
    return "".join(f"{quiet(line.rstrip())}\n" for line in _lines(result))


def coloured(text: str) -> str:
    """A rendered result with colours of a terminal at the beginning of each finding."""
    return _LABEL.sub(lambda label: f"\x1b[{_COLOURS[label[1]]}m{label[0]}\x1b[0m", text)


def _lines(result: CheckResult) -> Iterator[str]:
    yield f"wirebook check: {clip(result.compared)}"
    for notice in result.notices:
        yield from _wrapped("note: ", notice)
    if len(result.findings) > MANY:
        yield counts(result)
    for several in grouped(result.ordered, said).values():
        if len(several) > FEW:
            yield from _alike(result, several)
            continue
        for finding in several:
            yield from _finding(result, finding)
    yield ""
    for reason in result.unchecked:
        yield from _wrapped("could not be checked: ", str(reason))
    yield counts(result)


def _finding(result: CheckResult, finding: Finding) -> Iterator[str]:
    """A finding with both places; of a waived one only the reason."""
    rule = visible(finding.rule)
    yield ""
    yield f"{state(finding)}[{rule}] {about(finding)}"
    if finding.waived is not None:
        yield from _wrapped("  reason: ", finding.waived)
        return
    yield from _wrapped("  ", finding.message)
    if finding.location is not None:
        yield from _place("-->", finding.location, result.new_texts)
    if finding.previous is not None:
        yield from _place("was", finding.previous, result.old_texts)
    if finding.proof is not None:
        yield from _wrapped("  bytes: ", finding.proof.sentence)
    if finding.fix:
        yield from _wrapped("  fix:   ", finding.fix)
    yield f"  why:   wirebook explain {rule}"
    if finding.needs_waiver:
        yield f"  waive: {clip(result.command)} --waive={finding.fingerprint}"


def _alike(result: CheckResult, several: Sequence[Finding]) -> Iterator[str]:
    """Findings that say the same: once, with the place of each, and with what waives it."""
    mark, rule, sentence, fix, reason = said(several[0])
    yield ""
    yield f"{mark}[{visible(rule)}] {len(several)} messages"
    yield from _wrapped("  reason: ", reason) if reason else _wrapped("  ", sentence)
    for each in several:
        waiver = f"  --waive={each.fingerprint}" if each.needs_waiver and not reason else ""
        place = each.location or each.previous
        arrow = "was" if each.location is None else "-->"
        where = about(each) if place is None else f"{clip(place.path)}:{place.line}:{place.column}"
        yield f"  {arrow} {where}{waiver}"
    if fix and not reason:
        yield from _wrapped("  fix:   ", fix)
    yield f"  why:   wirebook explain {visible(rule)}"


def _place(arrow: str, place: Place, texts: Mapping[str, str]) -> Iterator[str]:
    """A place, its line with its number, and a mark below it, unless that is far to the right."""
    yield f"  {arrow} {clip(place.path)}:{place.line}:{place.column}"
    line = "".join(texts.get(place.path, "").split("\n")[place.line - 1 : place.line])
    start, end = place.column - 1, place.column
    if place.end_line == place.line and place.end_column is not None:
        end = place.end_column - 1
    if not line or end > FRAME:
        return
    parts = line[:start], line[start:end], line[end:]
    before, token, after = (clip(part.replace("\t", "    "), FRAME) for part in parts)
    gutter = " " * (len(str(place.line)) + 1)
    yield f"  {gutter}|"
    yield f"  {place.line} | {before}{token}{after}"
    yield f"  {gutter}| {' ' * len(before)}{'^' * max(len(token), 1)}"


def _wrapped(label: str, text: str) -> list[str]:
    """Text behind a label, its lines below each other."""
    return textwrap.wrap(
        " ".join(clip(text).split()),
        WIDTH,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [label]
