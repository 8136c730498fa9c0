"""Text for a terminal in detail: lines of prose, frames with carets, colours, findings that are alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats import render
from wirebook.rules.result import CheckResult
from wirebook.specs.versions import VersionSet

FOUND = some_finding(location=None, versions=VersionSet.NONE, field="", message="It is.", fix="")
BOLD = "\x1b[1m{}\x1b[0m"


def report(*findings: Finding, **more: Any) -> CheckResult:
    made = CheckResult(findings, "a against b", "1.2.3", 1)
    return made._replace(**more)


def shown(*findings: Finding, colour: bool = False, **more: Any) -> list[str]:
    """The lines after the heading of a report."""
    lines = render(report(*findings, **more), "text", colour=colour).split("\n")
    assert (lines[0], lines[-1]) == ("wirebook check: a against b", "")
    return lines[1:-1]


def body(item: Finding, **more: Any) -> list[str]:
    """The lines of one finding, without its heading and its commands."""
    lines = shown(item, **more)
    assert lines[0] == lines[-2] == ""
    return [line for line in lines[2:-2] if not line.startswith(("  why:", "  waive:"))]


def framed(line: str, column: int, end: int | None = None, last: int = 1) -> tuple[str, str]:
    """A line as it is shown in a frame, and the carets below it."""
    place = Place("a.json", 1, column, None if end is None else last, end)
    lines = body(FOUND._replace(location=place), new_texts={"a.json": line})
    assert lines[:3] == ["  It is.", f"  --> a.json:1:{column}", "    |"]
    text, carets = lines[3:]
    assert text.startswith("  1 |")
    assert carets.startswith("    | ")
    return text[6:], carets[6:]


def test_a_finding_has_its_lines_in_order() -> None:
    item = FOUND._replace(location=Place("new.json", 2, 3), previous=Place("old.json", 1, 1), fix="Mend it.")
    assert shown(item, new_texts={"new.json": "{\n  x\n}"}, old_texts={"old.json": "y"}) == [
        "",
        "error[tag-reused] FooRequest",
        "  It is.",
        "  --> new.json:2:3",
        "    |",
        "  2 |   x",
        "    |   ^",
        "  was old.json:1:1",
        "    |",
        "  1 | y",
        "    | ^",
        "  fix:   Mend it.",
        "  why:   wirebook explain tag-reused",
        f"  waive: wirebook check --waive={item.fingerprint}",
        "",
        "1 error in 1 message",
    ]


def test_a_place_outside_of_the_text_has_no_frame() -> None:
    for line, has_frame in ((0, False), (1, True), (2, True), (3, False)):
        item = FOUND._replace(location=Place("a.json", line, 1))
        lines = body(item, new_texts={"a.json": "x\ny"})
        assert lines[1] == f"  --> a.json:{line}:1"
        assert len(lines) == (5 if has_frame else 2)
    wide = "\n".join("x" * 12)
    lines = body(FOUND._replace(location=Place("a.json", 12, 1)), new_texts={"a.json": wide})
    assert lines[2:] == ["     |", "  12 | x", "     | ^"]


@pytest.mark.parametrize(
    ("line", "column", "end", "carets"),
    [
        ('{ "a": 12, "b": -3.5e+4 }', 3, None, "  ^^^"),
        ('{ "a": 12, "b": -3.5e+4 }', 8, None, "       ^^"),
        ('{ "a": 12, "b": -3.5e+4 }', 17, None, " " * 16 + "^" * 7),
        ('{ "a": 12, "b": -3.5e+4 }', 1, None, "^"),
        ('"a \\" b", 1', 1, None, "^^^^^^^^"),
        ('"open', 1, None, "^^^^^"),
        ("a b", 2, None, " ^"),
        ("a b", 1, 4, "^^^"),
        ("a b", 1, 2, "^"),
        ("a b", 2, 2, " ^"),
        ("a b", 3, 1, "  ^"),
        ("a b", 3, 99, "  ^"),
        ("a b", 0, None, "^"),
        ("a b", 9, None, "   ^"),
        ("a b\r", 9, None, "   ^"),
        ("東 b", 1, 3, "^^^"),
        ("e\u0301 b", 3, None, " ^"),
    ],
)
def test_carets_are_below_the_token_or_up_to_its_end(
    line: str, column: int, end: int | None, carets: str
) -> None:
    text, below = framed(line, column, end)
    assert text == line.rstrip("\r")
    assert below == carets


def test_what_ends_in_another_line_is_shown_as_a_token() -> None:
    assert framed("{ abc", 3, 2, last=2) == ("{ abc", "  ^^^")


@pytest.mark.parametrize("length", [159, 160])
def test_a_line_is_shown_whole_up_to_its_limit(length: int) -> None:
    assert framed("x" * length, length) == ("x" * length, " " * (length - 1) + "^")


@pytest.mark.parametrize(
    ("column", "before", "after"),
    [(1, 0, 105), (54, 53, 105), (55, 53, 105), (100, 53, 105), (196, 53, 104), (200, 53, 100), (300, 53, 0)],
)
def test_of_a_longer_line_what_is_around_the_place_is_shown(column: int, before: int, after: int) -> None:
    line = "".join(" " if number % 2 else "." for number in range(300))
    text, carets = framed(line, column)
    start = column - 1
    left, right = max(start - 53, 0), min(start + 106, 300)
    expected = ("…" if left else "") + line[left:right] + ("…" if right < 300 else "")
    assert text == expected.rstrip()
    assert carets == " " * (start - left + bool(left)) + "^"
    assert (start - left, right - start - 1) == (before, after) or column in (196, 200, 300)


def test_a_line_of_161_characters_is_cut() -> None:
    text, carets = framed("x" * 161, 1, 3)
    assert text == "x" * 106 + "…"
    assert carets == "^^"
    text, carets = framed("x" * 161, 1, 150)
    assert (text, carets) == ("x" * 106 + "…", "^" * 106)


@pytest.mark.parametrize("label", ["", "fix", "note", "unchecked", "reason"])
def test_prose_fills_its_lines(label: str) -> None:
    words = [chr(ord("a") + number % 26) * (1 + number * 7 % 11) for number in range(120)]
    text = " ".join(words)
    if label == "fix":
        lines, first = body(FOUND._replace(fix=text))[1:], "  fix:   "
    elif label == "note":
        lines, first = shown(notices=(text,))[:-2], "note: "
    elif label == "unchecked":
        lines, first = shown(unchecked=(text,))[1:-1], "could not be checked: "
    elif label == "reason":
        lines, first = shown(FOUND._replace(waived=text))[2:-2], "  reason: "
    else:
        lines, first = body(FOUND._replace(message=text)), "  "
    rest = "  " if not label else " " * len(first)
    assert lines[0].startswith(first)
    assert all(line.startswith(rest) and line[len(rest)] != " " for line in lines[1:])
    parts = [line[len(first) :].split() for line in lines]
    assert [word for part in parts for word in part] == words
    width = 100
    for line, following in zip(lines, parts[1:], strict=False):
        assert len(line) <= width < len(line) + 1 + len(following[0]) + 1
    assert max(map(len, lines)) >= width - 2


def test_a_word_that_is_too_long_has_a_line_of_its_own() -> None:
    assert body(FOUND._replace(message=f"a {'x' * 120} b")) == ["  a", f"  {'x' * 120}", "  b"]
    assert body(FOUND._replace(message=f"{'x' * 97} b")) == [f"  {'x' * 97}", "  b"]
    assert body(FOUND._replace(message=f"{'x' * 95} b")) == [f"  {'x' * 95} b"]


def test_a_note_and_what_is_waived_need_no_waiver() -> None:
    note = FOUND._replace(severity=Severity.INFO)
    assert not any("waive:" in line for line in shown(note))
    assert shown(FOUND._replace(waived="agreed"))[1:3] == [
        "waived[tag-reused] FooRequest",
        "  reason: agreed",
    ]
    assert not any("waive:" in line for line in shown(FOUND._replace(rule="stale-waiver")))


@pytest.mark.parametrize(
    ("severities", "style"),
    [
        ((), "1"),
        ((Severity.INFO,), "1"),
        ((Severity.WARNING, Severity.INFO), "1;33"),
        ((Severity.WARNING, Severity.ERROR), "1;31"),
    ],
)
def test_the_last_line_has_the_colour_of_the_worst(severities: tuple[Severity, ...], style: str) -> None:
    last = shown(*(FOUND._replace(severity=each) for each in severities), colour=True)[-1]
    plain = shown(*(FOUND._replace(severity=each) for each in severities))[-1]
    assert last == f"\x1b[{style}m{plain}\x1b[0m"


def test_colours_are_on_labels_and_carets_only() -> None:
    item = FOUND._replace(location=Place("a.json", 1, 1), previous=Place("b.json", 1, 1), fix="Mend it.")
    lines = shown(item, colour=True, new_texts={"a.json": "x"}, old_texts={"b.json": "y"}, notices=("so",))
    assert lines[:2] == ["\x1b[1;33mnote:\x1b[0m so", ""]
    assert lines[2] == "\x1b[1;31merror[tag-reused]\x1b[0m FooRequest"
    assert lines[3:5] == ["  It is.", "  --> a.json:1:1"]
    assert lines[7] == "    | \x1b[1;31m^\x1b[0m"
    assert lines[11] == f"    | {BOLD.format('^')}"
    assert lines[12] == "\x1b[32m  fix:\x1b[0m   Mend it."
    assert lines[13] == "  why:   wirebook explain tag-reused"
    waived = shown(FOUND._replace(waived="agreed"), colour=True)
    assert waived[1:3] == ["\x1b[2mwaived[tag-reused]\x1b[0m FooRequest", "\x1b[2m  reason:\x1b[0m agreed"]
    assert shown(unchecked=("x",), colour=True)[1] == "\x1b[1;31mcould not be checked:\x1b[0m x"
