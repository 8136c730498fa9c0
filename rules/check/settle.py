"""Applies the waivers and the settings of a project to findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from wirebook.rules.catalogue import read
from wirebook.rules.check.sides import Sides
from wirebook.rules.engine import without_consequences
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.settings import MERGED, WAIVERS, Settings
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.rules.waivers import Waiver

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
    for waiver in accepted:
        judged = waiver.applied(judged, date.today(), checked)
    levels = [(finding, settings.severity(finding)) for finding in judged]
    kept = [finding._replace(severity=level) for finding, level in levels if level is not None]
    return without_consequences(kept)


def read_accepted(
    compared: Sides, settings: Settings, protocols: Iterable[Protocol]
) -> tuple[list[Waiver], list[Waiver]]:
    """The waivers of a project that count, and those that the change brings.

    Waivers that the change brings count, unless the settings say that only those of the target do.
    Raises InputError for one that is wrong, or for messages of several types of a protocol.
    """
    path = f"{settings.folder}/{WAIVERS}".lstrip("/")
    of_head: list[Waiver] = read("waivers", compared.head.text(path), path) or []
    if not of_head:
        return [], []
    of_base: Sequence[Waiver] = read("waivers", compared.base.text(path), path) or ()
    accepted = of_head
    if settings.waivers == MERGED:
        of_target: Sequence[Waiver] = read("waivers", compared.policy.text(path), path) or ()
        accepted = [waiver for waiver in of_head if waiver in of_target]
    for protocol in protocols:
        types = {(each.name, each.type) for each in protocol}
        count = Counter(name for name, _ in types)
        for waiver in accepted:
            name = waiver.message
            if count[name] > 1:
                raise InputError.at(
                    waiver.place,
                    f"several messages have the name {name}: a waiver is for one of them",
                )
    return accepted, [waiver for waiver in of_head if waiver not in of_base]


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
