"""A report as a comment on a pull request: harmless, and short enough to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wirebook.rules.finding import Finding
from wirebook.rules.report.markup import cell, code_span
from wirebook.rules.report.model import Report, Section, State
from wirebook.rules.report.words import about, state, versions_of
from wirebook.specs.printable import clip, enumerated, number_of

LETTERS = 60_000  # GitHub accepts 65,536 in a comment
MARK = "<!-- wirebook report -->"  # by which a program finds its comment again
FEW = 3  # what more APIs have in common is shown once, and more notes of a rule are only counted
LISTED = 50  # findings
NAMED = 8  # APIs that have something in common, and messages whose bytes are shown
_ICONS = {
    State.INCOMPLETE: "❔",
    State.BREAKING: "🛑",
    State.ACCEPTED: "⚠️",
    State.WARNINGS: "⚠️",
    State.SOUND: "✅",
    State.UNCHANGED: "✅",
}
_POLICY = "⚙️"  # what the change does to the settings and the waivers
_DETAILS, _END = "<details><summary>Details</summary>", "</details>"
_MARKS = {"error": "🛑", "warning": "⚠️", "waived": "☑️"}


def not_checked(reason: str) -> str:
    """The comment on a change that could not be checked at all."""
    head = f"### {_ICONS[State.INCOMPLETE]} wirebook: could not check this change"
    return f"{MARK}\n{head}\n\n> {cell(reason)}\n\nNothing was judged: this is not a verdict.\n"


def render(report: Report) -> str:
    """The report in Markdown, of at most LETTERS characters; what is left out is counted at its
    end."""
    result = report.result
    found = [
        f"- {_ICONS[State.INCOMPLETE]} **Could not be checked:** {cell(str(why))}"
        for why in result.unchecked
    ]
    found += [f"- {_POLICY} {cell(change)}" for change in result.policy_changes]
    found += _findings(report)
    changes = list(_changes(report.sections))
    lines = [MARK, f"### {_ICONS[report.state]} {cell(report.headline)}", ""]
    lines += [*found, ""] if found else []
    lines += ["**What changes, and who must act**", "", *changes, ""] if changes else []
    lines += [_DETAILS, "", *_details(report), "", _END]
    room = LETTERS - 200
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            left = f"**{number_of(len(lines) - number, 'line')} left out for length**"
            closing = ["", _END] if _DETAILS in lines[:number] else []
            lines[number:] = [*closing, "", f"{left}: `wirebook report --format html` has all."]
            break
    return "\n".join(lines) + "\n"


def _findings(report: Report) -> list[str]:
    """A line for each finding, or for more than FEW that say the same of their messages."""
    policy = "\n".join(report.result.policy_changes)
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in report.findings:
        sentence = _of_each(finding) or finding.message
        key = (state(finding), finding.rule, sentence, finding.fix, finding.waived or "")
        alike.setdefault(key, []).append(finding)
    lines: list[str] = []
    fixes: set[str] = set()
    for (mark, rule, sentence, fix, reason), several in alike.items():
        wheres = [(_where(each), each.message) for each in several]
        if len(several) > FEW:
            names = _few([cell(each.message_name, 100) for each in several])
            wheres = [(f"{len(several)} messages ({names}), {code_span(rule)}", sentence)]
        for where, text in wheres:
            line = f"- {_MARKS[mark]} {where}: {cell(text)}"
            if mark == "waived":
                line += "" if reason in policy else f". **Accepted:** {cell(reason)}"
            elif fix:
                line += f". **Instead:** {'as above' if fix in fixes else cell(fix)}"
                fixes.add(fix)
            lines.append(line)
    left = len(lines) - LISTED
    return (
        [*lines[:LISTED], f"- and {left} more: `wirebook check` lists all"] if left > 0 else lines
    )


def _of_each(finding: Finding) -> str:
    """The sentence of a finding, which begins with the name of its message, as one about several
    messages."""
    rest = finding.message.removeprefix(f"{finding.message_name} ")
    return f"each {rest}" if finding.message_name and rest != finding.message else ""


def _few(names: Sequence[str]) -> str:
    """Some names as a sentence lists them; only the first of many."""
    distinct = list(dict.fromkeys(names))
    left = len(distinct) - NAMED
    return enumerated([*distinct[:NAMED], f"{left} more"] if left > 0 else distinct)


def _where(finding: Finding) -> str:
    """The line of a finding, its versions, and its rule."""
    place = finding.location or finding.previous
    file = "" if place is None else place.path.rpartition("/")[2]
    parts = (
        [] if file.partition(".")[0] == finding.message_name else [cell(finding.message_name, 100)]
    )
    if place is not None:
        was = "" if finding.location is not None else "was "
        parts.append(f"{was}{code_span(f'{file}:{place.line}')}")
    parts += [cell(versions_of(finding)), code_span(finding.rule)]
    return ", ".join(filter(None, parts))


def _changes(sections: Sequence[Section]) -> Iterator[str]:
    """What many APIs have in common, then a line for each API, or for those with the same
    changes."""
    titles: dict[str, list[str]] = {}
    for section in sections:
        for text in section.texts:
            titles.setdefault(text, []).append(section.title)
    for text, several in titles.items():
        if len(several) > FEW:
            what = "APIs" if "(API key" in several[0] else "messages"
            names = [cell(title.partition(" (")[0], 100) for title in several]
            yield f"- **{len(several)} {what}** ({_few(names)}): {cell(text)}"
    alike: dict[tuple[str, ...], list[str]] = {}
    for section in sections:
        own = tuple(text for text in section.texts if len(titles[text]) <= FEW)
        alike.setdefault(own, []).append(section.title)
    for own, several in alike.items():
        if own:
            names = [f"**{cell(title, 100)}**" for title in several]
            sentences = [cell(text) for text in own if text.endswith(".")]
            also = "; ".join(cell(text) for text in own if not text.endswith("."))
            sentences += [f"{'Also: ' if sentences else ''}{also}."] if also else []
            yield f"- {', '.join(names)}: {' '.join(sentences)}"


def _details(report: Report) -> Iterator[str]:
    result = report.result
    yield f"- Compared: {code_span(clip(result.compared, 300))}"
    yield from (
        f"- {cell(notice)}" for notice in result.notices if notice not in result.policy_changes
    )
    proven: dict[str, str] = {}
    for finding in report.findings:
        if finding.proof is not None:
            # Peers misread a message from one place on.
            proven.setdefault(finding.message_name, finding.proof.sentence)
    for name, text in list(proven.items())[:NAMED]:
        yield f"- Bytes of {cell(name, 100)}: {cell(text)}"
    yield from _notes(report.notes)
    if any(each.needs_waiver and each.waived is None for each in report.findings):
        command = code_span(f"{clip(result.command, 300)} --waive=FINGERPRINT")
        yield "- `wirebook explain RULE` has the reason for a rule, and when a change is fine"
        yield f"- To accept a finding of the check, append the output of {command} to waivers.toml"


def _notes(notes: Iterable[Finding]) -> Iterator[str]:
    """The notes; those of one rule on many messages are one line."""
    by_rule: dict[str, list[Finding]] = {}
    for note in notes:
        by_rule.setdefault(note.rule, []).append(note)
    for rule, some in by_rule.items():
        if len(some) > FEW:
            yield f"- {len(some)} notes of {code_span(rule)}"
        else:
            for note in some:
                on = f" {cell(about(note))}" if about(note) else ""
                yield f"- {code_span(rule)}{on}: {cell(note.message)}"
