"""The result of a check, independent of formats: findings, compared sides, and unchecked parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wirebook.rules.severity import Severity

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding, Place
    from wirebook.rules.grouping import Group
    from wirebook.rules.usage.grading import FleetGrades
    from wirebook.specs.sources.revisions import Base

SCHEMA = "wirebook/findings/1"


@dataclass(eq=False, repr=False)
class CheckResult:
    """The outcome of one check; every format in rules/formats/ is a function of this object only.

    `compared` describes the two sides in one line. `new_texts` and `old_texts` contain the text of each file
    by the path that findings use, for code frames; a missing path has no frame. `policy_changes` describe
    what the change does to the configuration and the waivers; they are among the `notices`, sentences that
    are not findings; `unchecked` lists what could not be judged, each with the reason: such a report is
    neither clean nor failed. `command` is the command as called, to which a format adds `--waive=…`.
    `grouped` is false if findings are to be shown one by one. `site` is the address of the site with the
    pages of the rules, "" for none. `unchecked_places` has the place of each reason about a file of the new
    side. `fleet` is what is known about the clients of a cluster, if that was given. `base` is the commit of
    the old side, None if that is not a commit of the repository. If `is_same`, both sides are one commit,
    which cannot differ.
    """

    findings: tuple[Finding, ...]
    compared: str
    tool_version: str
    messages_checked: int
    new_texts: Mapping[str, str] = field(default_factory=dict)
    old_texts: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    command: str = "wirebook check"
    grouped: bool = True
    site: str = ""
    unchecked_places: Mapping[str, Place] = field(default_factory=dict)
    policy_changes: tuple[str, ...] = ()
    fleet: FleetGrades | None = None
    base: Base | None = None
    is_same: bool = False

    @cached_property
    def ordered(self) -> tuple[Finding, ...]:
        """The findings, worst first; waived ones come last."""
        return tuple(sorted(self.findings, key=lambda item: (item.waived is not None, item.severity.rank)))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """`ordered` for people: similar findings form a group, the others a group each."""
        if not self.grouped or len(self.findings) < 2:
            return tuple((item,) for item in self.ordered)
        from wirebook.rules.grouping import groups

        return groups(self.ordered)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """A unique fingerprint for each of `ordered`, because some programs drop repeated ones."""
        import hashlib

        seen: Counter[str] = Counter()
        found = []
        for item in self.ordered:
            plain = item.fingerprint
            again = seen[plain]
            seen[plain] += 1
            text = f"{plain} {again}".encode()
            found.append(hashlib.sha256(text).hexdigest()[:16] if again else plain)
        return tuple(found)

    @cached_property
    def summary(self) -> dict[str, int]:
        """The number of unwaived findings of each severity, of waived ones, and of what was checked."""
        counted = Counter(item.severity for item in self.findings if item.waived is None)
        return {
            **{severity.value: counted[severity] for severity in Severity},
            "waived": sum(item.waived is not None for item in self.findings),
            "messages_checked": self.messages_checked,
        }

    @property
    def failed(self) -> bool:
        """Whether there is an error that is not waived."""
        return self.summary["error"] > 0

    def fails(self, on: str) -> bool:
        """Whether an unwaived finding fails a gate: `on` is "never", "error" or "warning"."""
        if on == "warning":
            return self.failed or self.summary["warning"] > 0
        return on == "error" and self.failed

    def text(self, side: Place, new: bool) -> str | None:
        """The text of a file on one side; None if it is not available."""
        return (self.new_texts if new else self.old_texts).get(side.path)

    def to_json(self) -> dict[str, Any]:
        """The report as wirebook/findings/1."""
        return {
            "schema": SCHEMA,
            "tool": {"name": "wirebook", "version": self.tool_version},
            "compared": self.compared,
            "base": self.base and self.base._asdict(),
            "policy_changes": list(self.policy_changes),
            "notices": list(self.notices),
            "unchecked": list(self.unchecked),
            "findings": [item.to_json() for item in self.ordered],
            "summary": dict(self.summary),
            **({"fleet": self.fleet.to_json()} if self.fleet is not None else {}),
        }


def counts(report: CheckResult) -> str:
    """The summary in words: "2 errors, 1 warning, 1 waived in 4 messages".

    If something could not be checked, it never reads as if everything were fine.
    """
    summary = report.summary

    def of(number: int, word: str) -> str:
        return f"{number} {word}" if number == 1 else f"{number} {word}s"

    parts = [of(summary[word], word) for word in ("error", "warning") if summary[word]]
    if summary["info"]:
        parts.append(f"{summary['info']} for information")
    if summary["waived"]:
        parts.append(f"{summary['waived']} waived")
    where = of(report.messages_checked, "message")
    if report.unchecked:
        return f"incomplete: {', '.join(parts) or 'nothing found'} in the {where} that could be checked"
    return f"{', '.join(parts) or 'no findings'} in {where}"
