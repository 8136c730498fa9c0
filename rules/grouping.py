"""Groups similar findings, so that a reader looks at each group only once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from wirebook.rules.finding import Finding
from wirebook.specs.versions import counted

FEW = 3  # up to this number of similar findings are listed one by one

_WORD = re.compile(r"[\w.]+")

Group = tuple[Finding, ...]


def groups(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """The findings in their order; more than FEW similar ones form a group in the place of the first.

    Findings are similar if they have the same rule and severity and their messages differ only in the names
    of the message and the field, the name that a field had, the type of the message, and the versions. A
    waived finding is never grouped, and neither is one of versions that clients of a fleet send.
    """
    ordered = tuple(findings)
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, finding in enumerate(ordered):
        is_used = finding.use is not None and finding.use.cuts_off
        key = (number,) if finding.waived is not None or is_used else _pattern(finding)
        alike.setdefault(key, []).append(number)
    found: list[list[int]] = []
    for numbers in alike.values():
        found += [numbers] if len(numbers) > FEW else [[number] for number in numbers]
    return tuple(tuple(ordered[number] for number in numbers) for numbers in sorted(found))


def _pattern(finding: Finding) -> tuple[object, ...]:
    """The common part of similar findings."""
    # Not the API key: a 4 also occurs in "4.0".
    api = re.sub(r"(?<=.)(?:Request|Response)$", "", finding.message_name)
    # Outermost first: the last name of "Topics.Name" also occurs on its own.
    subjects = {
        finding.field: "field",
        finding.field.rpartition(".")[2]: "name",
        finding.message_name: "message",
        api: "api",
        finding.message_type: "type",
    }
    if finding.rule == "field-renamed":
        subjects.setdefault(finding.discriminator, "old")
    subjects.pop("", None)
    if not subjects:
        return finding.rule, finding.severity, finding.message, finding.fix
    plain = _Plain(subjects)
    message = finding.message
    if finding.versions:
        message = message.replace(counted(finding.versions), "\0versions")
    return finding.rule, finding.severity, plain(message), plain(finding.fix)


class _Plain:
    """Replaces each name in a text by a mark; if one name is a prefix of another, the longer one wins."""

    def __init__(self, subjects: Mapping[str, str]) -> None:
        self.subjects = subjects
        self.names = sorted(subjects, key=len, reverse=True)
        # Compiling a pattern for each finding would take longer than everything else.
        self.words = None if all(map(_WORD.fullmatch, subjects)) else self.pattern()

    def pattern(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.names))
        return re.compile(rf"(?<![\w.])(?:{names})(?!\w)")

    def __call__(self, text: str) -> str:
        if self.words is None:
            return _WORD.sub(self.word, text)
        return self.words.sub(lambda match: f"\0{self.subjects[match[0]]}", text)

    def word(self, match: re.Match[str]) -> str:
        word = match[0]
        for name in self.names:
            if word.startswith(name) and word[len(name) : len(name) + 1] in ("", "."):
                return f"\0{self.subjects[name]}{word[len(name) :]}"
        return word
