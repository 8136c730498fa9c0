"""Applies the rules to one pair or item: released versions decide severity, and sides decide places."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from wirebook.rules.pairs.kinds import (
    FieldPair,
    LoneField,
    LoneMessage,
    MessagePair,
    OneField,
    OneStruct,
    StructPair,
)
from wirebook.rules.rule import Hit, Rule, rules_on
from wirebook.rules.severity import Place, Severity
from wirebook.specs.model import Message
from wirebook.specs.problems import Position
from wirebook.specs.versions import VersionSet

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding

LAYOUT_CHANGED = "layout-changed"
LAYOUT_RESTORED = "layout-restored"


def judge(part: Hashable, old: Message | None, new: Message | None) -> "list[Finding]":
    """The findings of all rules on one part of the comparison; its places are in `old` and `new`."""
    if isinstance(part, FieldPair | MessagePair) and part.is_same:
        # Most pairs of a change consist of parts that it does not affect.
        return []
    findings: list[Finding] = []
    change: Callable[[], str] | None = None
    for rule in rules_on(part.__class__):
        for hit in rule.check(part):
            # All hits on a part are about one change, and a struct of thousands of fields may have as many.
            change = change or cache(partial(_change, part))
            findings += _findings(rule, hit, part, change, old, new)
    return findings


def _change(part: object) -> str:
    from wirebook.rules.change_forms import form_of

    return form_of(part)


def _findings(
    rule: Rule,
    hit: Hit,
    part: object,
    change: Callable[[], str],
    old: Message | None,
    new: Message | None,
) -> "Iterator[Finding]":
    """The finding for a hit, with the severity of its worst versions, and limited to these versions."""
    versions = None if hit.versions is None else frozenset(hit.versions)
    if versions is not None and not versions:
        return
    released = _released(part)
    if rule.of_releases and released.keys().isdisjoint(released if versions is None else versions):
        return
    severity, concerned = rule.severity, versions
    if hit.severity is not None:
        severity = hit.severity
    elif versions is not None:
        frozen = versions & released.keys()
        loose = versions - _unstable(part)
        by_release = Severity.ERROR if frozen else Severity.WARNING if loose else Severity.INFO
        severity = max(severity, by_release, key=lambda each: each.rank)
        concerned = frozen or loose or versions
    # A check without findings needs no more than the severities that rules use.
    from wirebook.rules.change_forms import short
    from wirebook.rules.finding import Concerned, Finding

    new = hit.of or new
    subject = new or old or _message(part)
    at, before = _where(part)
    is_shared = is_imported(hit.at or at) or is_imported(hit.previous or before)
    yield Finding(
        rule=rule.name,
        severity=severity,
        category=rule.category,
        message=hit.message,
        fix=hit.fix,
        message_name=subject.name if subject else "",
        message_type=subject.type if subject else "",
        api_key=subject.api_key if subject else None,
        field=_path(part) if hit.path is None else hit.path,
        versions=VersionSet.NONE if concerned is None else VersionSet.of(concerned),
        released_in=hit.released_in or _first(released, concerned),
        location=hit.place or place_of(new, hit.at or at),
        previous=hit.previous_place or place_of(old, hit.previous or before),
        discriminator=hit.discriminator,
        # What several specs share is not edited for one of them.
        others=(Concerned(subject.name, subject.path),) if is_shared and subject is not None else (),
        change=short(hit.change) if hit.change else change(),
        api=subject.api if subject else "",
        values=hit.values,
        meant=hit.meant,
        follows=hit.follows,
    )


def _first(released: Mapping[int, str], versions: Iterable[int] | None) -> str | None:
    """The release that froze the lowest of the versions; None if it has no name."""
    for version in sorted(versions or ()):
        if released.get(version):
            return released[version]
    return None


def _released(part: object) -> Mapping[int, str]:
    if isinstance(part, LoneMessage | MessagePair):
        return part.released
    if isinstance(part, StructPair | FieldPair | LoneField):
        return part.messages.released
    return {}


def _unstable(part: object) -> frozenset[int]:
    """The top version of the old side, if it was marked unstable."""
    messages = part if isinstance(part, MessagePair) else getattr(part, "messages", None)
    if isinstance(messages, MessagePair):
        top = messages.unstable_top
        return frozenset() if top is None else frozenset({top})
    old = _message(part)
    if old is None or not old.latest_version_unstable:
        return frozenset()
    return frozenset({old.valid_versions.highest})


def _message(part: object) -> Message | None:
    if isinstance(part, Message):
        return part
    if isinstance(part, LoneMessage | OneField | OneStruct):
        return part.message
    return None


def _path(part: object) -> str:
    """The path of the field or struct that is judged; the `path` of a message is that of its file."""
    return "" if isinstance(part, Message) else getattr(part, "path", "")


def _where(part: object) -> tuple[Position | None, Position | None]:
    if isinstance(part, MessagePair | FieldPair | LoneField | LoneMessage):
        return part.where
    if isinstance(part, OneField):
        return part.field.written.position, None
    if isinstance(part, OneStruct):
        return part.at, None
    if isinstance(part, Message):
        return part.written.at("name"), None
    return None, None


def is_imported(at: Position | None) -> bool:
    """Whether a position is in a file that a spec imports."""
    return at is not None and at.imported is not None


def place_of(message: Message | None, at: Position | None) -> Place | None:
    """A position in a message as a place; None if there is no message or no position."""
    if message is None or at is None:
        return None
    return Place.of(message.path, message.written.lines, at)
