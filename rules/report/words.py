"""What formats say of a message and of a finding: what it is about, and where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from wirebook.rules.finding import Finding, Place
from wirebook.specs.model import Message
from wirebook.specs.printable import clip, visible
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import counted

Item = TypeVar("Item")
Key = TypeVar("Key")
FEW = 3  # what more findings, APIs or messages have in common is printed once
SETTINGS = "wirebook.toml"  # the file for what is about the protocol as a whole


def heading(message: Message | None) -> str:
    """The heading of what is about a message; None is the registry."""
    if message is None:
        return "Protocol levels of the registry"
    return heading_of(message.type, message.name, message.api_key)


def heading_of(kind: str, name: str, api_key: int | None) -> str:
    """The heading of what is about a message with a type, a name and an API key: its API."""
    if kind in HALVES and api_key is not None:
        return f"{name.removesuffix(kind.capitalize())} (API key {api_key})"
    return f"{name} ({kind})"


def of_half(message: Message | None) -> str:
    """The beginning of a sentence about one half of an API; "" for other messages."""
    return (
        f"{message.type.capitalize()}: " if message is not None and message.type in HALVES else ""
    )


def about(finding: Finding, longest: int = 200) -> str:
    """What the finding is about: the message, the field and the versions, on one line."""
    parts = (
        clip(finding.message_name, longest),
        clip(finding.field, longest),
        versions_of(finding),
    )
    return " · ".join(filter(None, parts))


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


def in_common(finding: Finding) -> tuple[str, str, str, str, str]:
    """What a format prints once of findings that have it in common: the state, the rule, a
    sentence, what to do instead, and the reason of a waiver.

    A sentence that begins with the name of its message is one about several messages.
    """
    sentence = finding.message
    if finding.message_name and sentence.startswith(f"{finding.message_name} "):
        sentence = f"each {sentence.removeprefix(finding.message_name).lstrip()}"
    return state(finding), finding.rule, sentence, finding.fix, finding.waived or ""


def together(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    """The findings one by one, but more than FEW that say the same in one list."""
    for several in grouped(findings, in_common).values():
        yield from [several] if len(several) > FEW else ([each] for each in several)


def in_head(finding: Finding) -> Place:
    """The place for a program that shows only files of head.

    Of what head does not have, it is the top of the file.
    """
    if finding.location is not None:
        return finding.location
    paths = [spec.path for spec in finding.specs if spec.path is not None]
    return Place(next(iter(paths), SETTINGS), 1, 1)


def plain(finding: Finding) -> list[str]:
    """What a program that shows one text of a finding shows of it, part by part."""
    parts = [clip(finding.message)]
    if finding.waived is not None:
        parts.insert(0, f"Accepted: {clip(finding.waived)}")
    elif finding.fix:
        parts.append(f"Instead: {clip(finding.fix)}")
    if finding.proof is not None:
        parts.append(f"Bytes: {finding.proof.sentence}")
    if finding.previous is not None:
        parts.append(f"Was: {clip(finding.previous.path)}:{finding.previous.line}")
    return parts


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """The items of each key, in order."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
