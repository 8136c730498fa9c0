"""The result of a check, independent of formats: findings, compared sides, and unchecked parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebook.rules.change import digest
from wirebook.rules.finding import Finding, sort
from wirebook.rules.released import Released
from wirebook.rules.rule import Severity
from wirebook.rules.tables import NO_TABLES, TablesPair
from wirebook.specs.printable import number_of, visible
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.specs.model import Protocol

SCHEMA = "wirebook/findings/1"


class Base(NamedTuple):
    """The commit that a change is compared with.

    `name` is the name as given, `origin` where it comes from ("command line", "wirebook.toml",
    "default branch"), and `role` what the commit is to the ref, "" for its tip.
    """

    name: str
    commit: str
    origin: str
    role: str = ""

    @property
    def words(self) -> str:
        """The base in one phrase."""
        return f"{self.role} {self.name} ({self.commit[:12]}; {self.origin})".lstrip()


@dataclass(frozen=True)
class Judged:
    """What a check compared in one project, and what it found there.

    `base` and `head` are the messages that differ; `base` is None if there is nothing to compare
    with. `tables` are those of both sides. `released` are the releases, `words` name them. The
    other attributes are parts of the CheckResult.
    """

    base: Protocol | None
    head: Protocol
    tables: TablesPair = NO_TABLES
    findings: tuple[Finding, ...] = ()
    released: Released = field(default_factory=lambda: Released(given=False))
    words: str = ""
    notices: tuple[str, ...] = ()
    policy_changes: tuple[str, ...] = ()
    accepted: int = 0
    unchecked: tuple[InputError, ...] = ()
    has_specs: bool = True


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check; every format in rules/report/ is a function of this object only.

    `compared` describes the two sides in one line. `new_texts` and `old_texts` contain the text of
    each file by the path that findings use, for code frames; a missing path has no frame.
    `policy_changes` describe what the change does to the settings and the waivers; they are among
    the `notices`, sentences that are not findings. `unchecked` are the reasons why something could
    not be judged: such a report is neither clean nor failed. `accepted` is the number of errors
    that waivers of the change itself accept. `command` is the command as called, to which a format
    adds `--waive=…`. `base` is the commit of the base, None if that is not a commit of the
    repository. `projects` are the compared protocols, for a report.
    """

    findings: tuple[Finding, ...]
    compared: str
    tool_version: str
    messages_checked: int
    new_texts: Mapping[str, str] = field(default_factory=dict)
    old_texts: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    unchecked: tuple[InputError, ...] = ()
    command: str = "wirebook check"
    policy_changes: tuple[str, ...] = ()
    accepted: int = 0
    base: Base | None = None
    projects: tuple[Judged, ...] = ()

    @cached_property
    def ordered(self) -> tuple[Finding, ...]:
        """The findings in the order of `sort`."""
        return tuple(sort(self.findings))

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """A unique fingerprint for each of `ordered`, because some programs drop repeated ones."""
        counts: Counter[str] = Counter()
        unique = []
        for mark in (finding.fingerprint for finding in self.ordered):
            unique.append(digest(f"{mark} {counts[mark]}") if counts[mark] else mark)
            counts[mark] += 1
        return tuple(unique)

    def with_fingerprint(self, beginning: str) -> tuple[Finding, ...]:
        """The findings whose fingerprint begins so. Raises InputError if there is none."""
        findings = tuple(each for each in self.ordered if each.fingerprint.startswith(beginning))
        if not findings:
            raise InputError(
                f"no finding has the fingerprint {beginning}; {visible(self.compared)}"
            )
        return findings

    @cached_property
    def summary(self) -> dict[str, int]:
        """The number of unwaived findings of each severity, of waived ones, and of what was
        checked."""
        counted = Counter(finding.severity for finding in self.findings if finding.waived is None)
        return {
            **{severity.value: counted[severity] for severity in Severity},
            "waived": sum(finding.waived is not None for finding in self.findings),
            "messages_checked": self.messages_checked,
        }

    @property
    def failed(self) -> bool:
        """Whether there is an error that is not waived."""
        return self.summary["error"] > 0

    def fails(self, on: str) -> bool:
        """Whether an unwaived finding fails a gate: `on` is "never", "error" or "warning"."""
        errors = self.summary["error"]
        failing = {"never": 0, "error": errors, "warning": errors + self.summary["warning"]}
        return failing[on] > 0

    def to_json(self) -> dict[str, Any]:
        """The report as wirebook/findings/1."""
        return {
            "schema": SCHEMA,
            "tool": {"name": "wirebook", "version": self.tool_version},
            "compared": self.compared,
            "base": self.base and self.base._asdict(),
            "policy_changes": list(self.policy_changes),
            "notices": list(self.notices),
            "unchecked": list(map(str, self.unchecked)),
            "findings": [finding.to_json() for finding in self.ordered],
            "summary": dict(self.summary),
        }


def tally(result: CheckResult) -> str:
    """The unwaived findings by severity: "4 errors (3 on the wire), 3 for information"; "" for
    none."""
    summary = result.summary
    on_wire = sum(each.is_break and each.waived is None for each in result.findings)
    wire = f" ({on_wire} on the wire)" if 0 < on_wire < summary["error"] else ""
    words = {
        "error": f"{number_of(summary['error'], 'error')}{wire}",
        "warning": number_of(summary["warning"], "warning"),
        "info": f"{summary['info']} for information",
    }
    return ", ".join(text for key, text in words.items() if summary[key])


def counts(result: CheckResult) -> str:
    """The summary in words: "1 error, 2 warnings, 1 waived; 4 messages checked".

    If something could not be checked, it never reads as if everything were fine.
    """
    waived = result.summary["waived"]
    words = ", ".join(filter(None, (tally(result), f"{waived} waived" if waived else "")))
    where = number_of(result.messages_checked, "message")
    if result.unchecked:
        return f"incomplete: {words or 'nothing found'} in the {where} that could be checked"
    return f"{words or 'no findings'}; {where} checked"
