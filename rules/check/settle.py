"""Applies the waivers and the settings of a project to findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from fnmatch import fnmatchcase

from wirebook.rules import waivers
from wirebook.rules.check.sides import Sides
from wirebook.rules.engine import without_consequences
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.settings import MERGED, WAIVERS, Settings
from wirebook.rules.waivers import Waiver
from wirebook.specs.trees import Tree

# Rules about a change; those of the others look at one side.
_OF_CHANGES = (Category.WIRE, Category.POLICY, Category.SOURCE)


def settle(
    findings: Sequence[Finding],
    settings: Settings,
    accepted: Sequence[Waiver],
    checked: Collection[str] | None,
    *,
    is_unreleased: bool,
) -> list[Finding]:
    """The findings of a project after its waivers and severities.

    `checked` are the names of the messages that were judged, None for all: a waiver for another one
    is not stale. If `is_unreleased`, nothing is released yet, and what changes is for information.
    """
    judged = [_free(finding, settings, is_unreleased=is_unreleased) for finding in findings]
    marked = waivers.apply(judged, accepted, date.today(), checked)
    levels = [(finding, settings.severity(finding)) for finding in marked]
    kept = [finding._replace(severity=level) for finding, level in levels if level is not None]
    return without_consequences(kept)


def read_accepted(compared: Sides, settings: Settings) -> tuple[list[Waiver], list[Waiver]]:
    """The waivers of a project that count, and those that the change brings.

    Waivers that the change brings count, unless the settings say that only those of the target do.
    Raises InputError.
    """
    path = f"{settings.folder}/{WAIVERS}".lstrip("/")
    after = _waivers(compared.head, path)
    before, merged = (
        {each._replace(place=None) for each in _waivers(tree, path)}
        for tree in (compared.base, compared.policy)
    )
    fresh = [each for each in after if each._replace(place=None) not in before]
    if settings.waivers == MERGED:
        return [each for each in after if each._replace(place=None) in merged], fresh
    return after, fresh


def _waivers(tree: Tree | None, path: str) -> list[Waiver]:
    text = None if tree is None else tree.text(path)
    return [] if text is None else waivers.read_waivers(text, path)


def notices_of(fresh: Sequence[Waiver]) -> list[str]:
    """A line for each waiver that the change brings."""
    return [
        f"{each.place.path if each.place else WAIVERS}: this change adds a waiver of {each}: "
        f"{each.words}"
        for each in fresh
    ]


def accepted_by(fresh: Sequence[Waiver], settled: Sequence[Finding]) -> int:
    """How many breaks the waivers accept that the change brings."""
    breaks = (each for each in settled if each.severity is Severity.ERROR)
    return sum(
        each.waived is not None and any(waiver.covers(each) for waiver in fresh) for each in breaks
    )


def _free(finding: Finding, settings: Settings, *, is_unreleased: bool) -> Finding:
    """A finding on what may still change, for information."""
    if finding.category not in _OF_CHANGES or finding.severity is Severity.INFO:
        return finding
    concerned = {finding.message_name, *(each.name for each in finding.specs)}
    concerned |= {each.message_name for each in finding.reached}
    if all(any(fnmatchcase(name, glob) for glob in settings.unstable) for name in concerned):
        return finding._replace(severity=Severity.INFO)
    if is_unreleased and finding.severity is Severity.WARNING:
        return finding._replace(severity=Severity.INFO)
    return finding
