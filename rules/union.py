"""The union of checks against several old sides: the best merge bases of a criss-cross history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebook.rules.check.run import Judged
    from wirebook.rules.finding import Finding

# A waiver of a finding on one base matches nothing on another.
_ON_ALL_BASES = "stale-waiver"


def union(results: Sequence[Judged]) -> Judged:
    """One result with the findings of all: a change breaks a version if any of the old sides had it otherwise.

    A finding of several is that of the worst severity. What the review describes is compared with the first.
    """
    first, reports = results[0], [result.report for result in results]
    return first._replace(
        report=replace(
            reports[0],
            findings=_findings([report.findings for report in reports]),
            compared="; ".join(report.compared for report in reports),
            messages_checked=max(report.messages_checked for report in reports),
            new_texts=_texts([report.new_texts for report in reports]),
            old_texts=_texts([report.old_texts for report in reports]),
            notices=_distinct([report.notices for report in reports]),
            policy_changes=_distinct([report.policy_changes for report in reports]),
            unchecked=_distinct([report.unchecked for report in reports]),
            unchecked_places={
                why: at for report in reports for why, at in report.unchecked_places.items()
            },
            command=next((report.command for report in reports if report.findings), reports[0].command),
            site=next((report.site for report in reports if report.site), ""),
            is_same=all(report.is_same for report in reports),
        )
    )


def _findings(each: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    kept: dict[object, list[Finding]] = {}
    counted: dict[object, int] = {}
    for findings in each:
        alike: dict[object, list[Finding]] = {}
        for item in findings:
            alike.setdefault(item.identity, []).append(item)
        for identity, items in alike.items():
            counted[identity] = counted.get(identity, 0) + 1
            kept[identity] = min(kept.get(identity, items), items, key=_worst)
    from wirebook.rules.finding import sort

    return tuple(
        sort(
            item
            for identity, items in kept.items()
            for item in items
            if item.rule != _ON_ALL_BASES or counted[identity] == len(each)
        )
    )


def _worst(items: Sequence[Finding]) -> tuple[bool, int]:
    return min((item.waived is not None, item.severity.rank) for item in items)


def _texts(each: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The texts by path, without those that differ: a finding does not say which of them it points into."""
    known: dict[str, set[str]] = {}
    for texts in each:
        for path, text in texts.items():
            known.setdefault(path, set()).add(text)
    return {path: next(iter(texts)) for path, texts in known.items() if len(texts) == 1}


def _distinct(each: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for lines in each for line in lines))
