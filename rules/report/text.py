"""Text for people: each finding with both places in the files, and what to do about it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from wirebook.rules.finding import Finding, Place
from wirebook.rules.report.words import about, in_common, together
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
    """The lines of the report: what was compared, the findings, and their number."""
    yield f"wirebook check: {clip(result.compared)}"
    for notice in result.notices:
        yield from _wrapped("note: ", notice)
    if len(result.findings) > MANY:
        yield counts(result)
    for alike in together(result.ordered):
        yield from _findings(result, alike)
    yield ""
    for reason in result.unchecked:
        yield from _wrapped("could not be checked: ", str(reason))
    yield counts(result)


def _findings(result: CheckResult, alike: Sequence[Finding]) -> Iterator[str]:
    """A finding with both places, or several that say the same; of waived ones only the reason."""
    finding = alike[0]
    is_one = len(alike) == 1
    mark, rule, sentence, fix, reason = in_common(finding)
    yield ""
    yield f"{mark}[{visible(rule)}] {about(finding) if is_one else f'{len(alike)} messages'}"
    if finding.waived is not None:
        yield from _wrapped("  reason: ", reason)
        return
    yield from _wrapped("  ", finding.message if is_one else sentence)
    for each in alike:
        for arrow, place, texts in (
            ("-->", each.location, result.new_texts),
            ("was", each.previous, result.old_texts),
        ):
            if place is not None:
                yield f"  {arrow} {clip(place.path)}:{place.line}:{place.column}"
                yield from _frame(place, texts) if is_one else ()
        if not is_one and each.needs_waiver:
            yield f"      --waive={each.fingerprint}"
    if is_one and finding.proof is not None:
        yield from _wrapped("  bytes: ", finding.proof.sentence)
    if fix:
        yield from _wrapped("  fix:   ", fix)
    yield f"  why:   wirebook explain {visible(rule)}"
    if is_one and finding.needs_waiver:
        yield f"  waive: {clip(result.command)} --waive={finding.fingerprint}"


def _frame(place: Place, texts: Mapping[str, str]) -> Iterator[str]:
    """The line of a place with its number, and a mark below it, unless that is far to the right."""
    line = "".join(texts.get(place.path, "").split("\n")[place.line - 1 : place.line])
    start = place.column - 1
    end = place.column
    if place.end_column is not None:
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
