"""Functions shared by formats: escaping and shortening text of specs, and describing findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebook.specs.printable import clip, visible
from wirebook.specs.versions import counted

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding, FindingIdentity, Place


def where(finding: Finding) -> tuple[Place | None, bool]:
    """The place to point at, and whether it is on the new side; a removed item has no place there."""
    if finding.location is not None:
        return finding.location, True
    return finding.previous, False


def in_new_tree(finding: Finding) -> tuple[Place | None, str]:
    """The place for a tool that shows only new files: of a removed item, the top of its file and the words
    that name its old line.
    """
    place, new = where(finding)
    if place is None or new:
        return place, ""
    top = place._replace(line=1, column=1, end_line=None, end_column=None)
    return top, f"It was in line {place.line} of the old file"


def versions(finding: Finding) -> str:
    """The versions of a finding in words, with the release that froze them; "" if it concerns no version."""
    if not finding.versions:
        return ""
    release = f", released in {visible(finding.released_in)}" if finding.released_in else ""
    return f"{counted(finding.versions)}{release}"


def about(finding: Finding, longest: int = 200) -> str:
    """What the finding is about: the message, the field and the versions, on one line."""
    parts = (clip(finding.message_name, longest), clip(finding.field, longest), versions(finding))
    return " · ".join(part for part in parts if part)


def named(of: FindingIdentity) -> str:
    """A finding by its rule and what it is about, as another one refers to it."""
    subject = (clip(of.message_name, 200), clip(of.field, 200), counted(of.versions) if of.versions else "")
    return f"{of.rule} ({' · '.join(part for part in subject if part)})" if any(subject) else of.rule


def bytes_of(finding: Finding) -> str:
    """The proof of a finding in one sentence, or which finding has it; "" for none."""
    if finding.proof is None:
        return ""
    from wirebook.rules.agreement.proof_words import line

    return line(finding.proof) if finding.proven_by is None else bytes_elsewhere(finding.proven_by)


def bytes_elsewhere(of: FindingIdentity) -> str:
    """That the bytes of another finding show this one, too: peers do not get further."""
    return f"those of {named(of)} show it, too"


def advice(finding: Finding) -> str:
    """What to do instead; of a finding that follows from another one, only that it does. It may be ""."""
    if finding.root is not None:
        return f"Follows from {named(finding.root)}"
    return f"Instead: {clip(finding.fix)}" if finding.fix else ""


def state(finding: Finding) -> str:
    """Its severity, or that it is waived."""
    return "waived" if finding.waived is not None else finding.severity.value


def relative(path: str) -> str:
    """A path in the form that review programs expect: without a leading "./"."""
    while path.startswith("./"):
        path = path[2:]
    return path
