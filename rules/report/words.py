"""What formats say of a finding: what it is about, where it is, and its bytes."""

from __future__ import annotations

from wirebook.rules.finding import Finding, Place
from wirebook.specs.printable import clip, visible
from wirebook.specs.versions import counted

SETTINGS = "wirebook.toml"  # the file for what is about the protocol as a whole


def about(finding: Finding, longest: int = 200) -> str:
    """What the finding is about: the message, the field and the versions, on one line."""
    parts = (
        clip(finding.message_name, longest),
        clip(finding.field, longest),
        versions_of(finding),
    )
    return " · ".join(part for part in parts if part)


def versions_of(finding: Finding) -> str:
    """The versions of a finding in words, with the release that froze them; "" if it concerns no
    version."""
    if not finding.versions:
        return ""
    release = f", released in {visible(finding.released_in)}" if finding.released_in else ""
    return f"{counted(finding.versions)}{release}"


def state(finding: Finding) -> str:
    """Its severity, or that it is waived."""
    return "waived" if finding.waived is not None else finding.severity.value


def in_head(finding: Finding) -> tuple[Place, str]:
    """The place for a program that shows only files of head, and words on the line in base.

    Of what head does not have, it is the top of the file.
    """
    if finding.location is not None:
        return finding.location, ""
    if finding.previous is not None:
        top = Place(finding.previous.path, 1, 1)
        return top, f"It was in line {finding.previous.line} of the base"
    path = next((spec.path for spec in finding.specs if spec.path is not None), SETTINGS)
    return Place(path, 1, 1), ""


def plain(finding: Finding) -> str:
    """A finding as plain text for a program that shows one text of it."""
    _, old = in_head(finding)
    fix = f"Instead: {clip(finding.fix)}" if finding.fix else ""
    return ". ".join(part for part in (clip(finding.message), old, fix) if part)
