"""The result of a check, independent of formats: findings, compared sides, and unchecked parts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebook.rules.severity import Place, Severity
from wirebook.specs.digests import text_digest
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding, FindingIdentity
    from wirebook.specs.sources.bases import Base
else:  # typing compiles an annotation that is a string
    Finding = FindingIdentity = Base = object

SCHEMA = "wirebook/findings/1"
# Its waiver matches nothing, unless the finding is one on another base.
_STALE = "stale-waiver"
_NO_TEXTS: Mapping[str, str] = {}
_NO_PLACES: Mapping[str, Place] = {}


class CheckOutcome(NamedTuple):
    """What one check found; `CheckResult` explains the values and has what follows from them."""

    findings: tuple[Finding, ...]
    compared: str
    tool_version: str
    messages_checked: int
    new_texts: Mapping[str, str] = _NO_TEXTS
    old_texts: Mapping[str, str] = _NO_TEXTS
    notices: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    command: str = "wirebook check"
    site: str = ""
    unchecked_places: Mapping[str, Place] = _NO_PLACES
    policy_changes: tuple[str, ...] = ()
    base: Base | None = None
    is_same: bool = False
    is_untouched: bool = False


class CheckResult(CheckOutcome):
    """The outcome of one check; every format in rules/formats/ is a function of this object only.

    `compared` describes the two sides in one line. `new_texts` and `old_texts` contain the text of each file
    by the path that findings use, for code frames; a missing path has no frame. `policy_changes` describe
    what the change does to the configuration and the waivers; they are among the `notices`, sentences that
    are not findings; `unchecked` lists what could not be judged, each with the reason: such a report is
    neither clean nor failed. `command` is the command as called, to which a format adds `--waive=…`. `site`
    is the address of the site with the pages of the rules, "" for none. `unchecked_places` has the place of
    each reason about a file of the new side. `base` is the commit of the old side, None if that is not a
    commit of the repository. If `is_same`, both sides are one commit, which cannot differ. If `is_untouched`,
    no spec, table, profile, setting or waiver differs.
    """

    @cached_property
    def ordered(self) -> tuple[Finding, ...]:
        """The findings, worst first; waived ones come last."""
        return tuple(
            sorted(self.findings, key=lambda finding: (finding.waived is not None, finding.severity.rank))
        )

    @cached_property
    def causes(self) -> tuple[Finding, ...]:
        """The findings among `ordered` that follow from no other one."""
        return tuple(finding for finding in self.ordered if finding.root is None)

    @cached_property
    def consequences(self) -> Mapping[FindingIdentity, Sequence[Finding]]:
        """What follows from each cause, in the order of `ordered`."""
        if all(finding.root is None for finding in self.findings):
            return {}
        from wirebook.rules.roots import consequences

        return consequences(self.ordered)

    def following(self, cause: Finding) -> Sequence[Finding]:
        """The findings that follow from one."""
        return self.consequences.get(cause.identity, ())

    @cached_property
    def by_identity(self) -> Mapping[FindingIdentity, Finding]:
        """The findings by their identity; of several with the same one, the worst."""
        return {finding.identity: finding for finding in reversed(self.ordered)}

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """A unique fingerprint for each of `ordered`, because some programs drop repeated ones."""
        counts: Counter[str] = Counter()
        unique = []
        for finding in self.ordered:
            plain = finding.fingerprint
            again = counts[plain]
            counts[plain] += 1
            unique.append(text_digest(f"{plain} {again}", 16) if again else plain)
        return tuple(unique)

    def with_fingerprint(self, beginning: str) -> tuple[Finding, ...]:
        """The findings whose fingerprint begins so: one, or equal ones.

        Raises InputError if there is none, or if different ones begin alike.
        """
        pairs = zip(self.ordered, self.fingerprints, strict=True)
        marked = [
            (finding, mark)
            for finding, own in pairs
            # Equal findings share one, and the second of them has one of its own, too.
            for mark in dict.fromkeys((finding.fingerprint, own))
            if mark.startswith(beginning)
        ]
        marks = dict.fromkeys(mark for _, mark in marked)
        if not marks:
            raise InputError(f"no finding has the fingerprint {beginning}; {visible(self.compared)}")
        if len(marks) > 1:
            listed = ", ".join(marks)
            raise InputError(f"{len(marks)} findings have fingerprints that begin with {beginning}: {listed}")
        return tuple(finding for finding, _ in marked)

    @cached_property
    def summary(self) -> dict[str, int]:
        """The number of unwaived findings of each severity, of those among them that follow from others, of
        waived ones, and of what was checked.
        """
        standing = [finding for finding in self.findings if finding.waived is None]
        counted = Counter(finding.severity for finding in standing)
        return {
            **{severity.value: counted[severity] for severity in Severity},
            "following": sum(finding.root is not None for finding in standing),
            "waived": sum(finding.waived is not None for finding in self.findings),
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
            "findings": [finding.to_json() for finding in self.ordered],
            "summary": dict(self.summary),
        }


def count_causes(report: CheckResult, severity: Severity) -> int:
    """The number of unwaived findings of a severity that follow from no other one."""
    return sum(finding.severity is severity and finding.waived is None for finding in report.causes)


def tally(report: CheckResult, severity: Severity) -> str:
    """The unwaived causes of a severity with what follows: "1 error (and 3 that follow from it)"."""
    number = count_causes(report, severity)
    rest = sum(
        report.by_identity.get(finding.root, finding).severity is severity
        for finding in report.findings
        if finding.root is not None and finding.waived is None
    )
    word = {Severity.INFO: "for information"}.get(severity, severity.value)
    plural = "" if number == 1 or severity is Severity.INFO else "s"
    follow = f" (and {rest} that follow{'s' if rest == 1 else ''} from {'it' if number == 1 else 'them'})"
    return f"{number} {word}{plural}{follow if rest else ''}"


def counts(report: CheckResult) -> str:
    """The summary in words: "1 error (and 3 that follow from it), 1 warning, 1 waived in 4 messages".

    If something could not be checked, it never reads as if everything were fine.
    """
    summary = report.summary

    def of(number: int, word: str) -> str:
        return f"{number} {word}" if number == 1 else f"{number} {word}s"

    parts = [tally(report, severity) for severity in Severity if count_causes(report, severity)]
    if summary["waived"]:
        parts.append(f"{summary['waived']} waived")
    words = ", ".join(parts)
    number = report.messages_checked
    where = of(number, "message")
    if not report.unchecked:
        # Findings on settings, waivers and tables are in no message.
        return words if words and not number else f"{words or 'no findings'} in {where}"
    if not number:
        return f"incomplete: {f'{words}; ' if words else ''}no message could be checked"
    return f"incomplete: {words or 'nothing found'} in the {where} that could be checked"


def union(reports: Sequence[CheckResult]) -> CheckResult:
    """The union of checks against several old sides, such as the best merge bases of a criss-cross history.

    A change breaks a version if any of the old sides had it otherwise. Of a finding of several checks, the
    worst one with the most versions is kept. The caller knows how many messages were checked in all.
    """
    return reports[0]._replace(
        findings=_findings([report.findings for report in reports]),
        compared="; ".join(report.compared for report in reports),
        new_texts=_texts([report.new_texts for report in reports]),
        old_texts=_texts([report.old_texts for report in reports]),
        notices=_distinct([report.notices for report in reports]),
        policy_changes=_distinct([report.policy_changes for report in reports]),
        unchecked=_distinct([report.unchecked for report in reports]),
        unchecked_places={why: at for report in reports for why, at in report.unchecked_places.items()},
        command=next((report.command for report in reports if report.findings), reports[0].command),
        site=next((report.site for report in reports if report.site), ""),
        is_same=all(report.is_same for report in reports),
        is_untouched=all(report.is_untouched for report in reports),
    )


def _findings(each: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    from wirebook.rules.finding import sort
    from wirebook.rules.roots import settled

    replaced: dict[FindingIdentity, FindingIdentity] = {}
    pool = [(number, finding) for number, findings in enumerate(each) for finding in findings]
    stale = [finding for _, finding in pool if finding.rule == _STALE]
    if stale:
        from wirebook.rules.project.waivers import is_stale_beside

        every = [finding for _, finding in pool]
        stale = [finding for finding in stale if is_stale_beside(finding, every)]
    pool.sort(
        key=lambda pair: (
            pair[1].waived is not None,
            pair[1].severity.rank,
            -len(pair[1].versions),
            -len(pair[1].releases),
        )
    )
    groups: dict[object, list[tuple[int, Finding]]] = {}
    for number, finding in pool:
        if finding.rule == _STALE and finding not in stale:
            continue
        # The change that a finding is bound to differs between old sides.
        edited = finding.identity._replace(versions=VersionSet.NONE, change="")
        alike = groups.setdefault((edited, finding.location), [])
        covering = (
            other
            for at, other in alike
            if at != number
            and other.versions.covers(finding.versions)
            and set(finding.releases) <= set(other.releases)
        )
        wider = next(covering, None)
        if wider is None:
            alike.append((number, finding))
        else:
            replaced[finding.identity] = wider.identity
    return tuple(
        settled(
            sort(
                finding
                if finding.root is None
                else finding._replace(root=replaced.get(finding.root, finding.root))
                for alike in groups.values()
                for _, finding in alike
            )
        )
    )


def _texts(each: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The texts by path, without those that differ: a finding does not say which of them it points into."""
    by_path: dict[str, set[str]] = {}
    for texts in each:
        for path, text in texts.items():
            by_path.setdefault(path, set()).add(text)
    return {path: next(iter(texts)) for path, texts in by_path.items() if len(texts) == 1}


def _distinct(each: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for lines in each for line in lines))
