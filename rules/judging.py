"""Applies the rules to one pair or item: released versions decide severity, and sides decide places."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
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
from wirebook.rules.rule import Hit, Rule, custom_on, rules_on
from wirebook.rules.severity import Category, Place, Severity
from wirebook.specs.model import Message
from wirebook.specs.problems import Position
from wirebook.specs.versions import VersionSet, counted

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding

LAYOUT_CHANGED = "layout-changed"


def judge(part: Hashable, old: Message | None, new: Message | None) -> list[Finding]:
    """The findings of all rules on one part of the comparison; its places are in `old` and `new`."""
    if isinstance(part, FieldPair | MessagePair) and part.is_same and not custom_on(part.__class__):
        # Most pairs of a change consist of parts that it does not affect.
        return []
    found: list[Finding] = []
    change: Callable[[], str] | None = None
    for rule in rules_on(part.__class__):
        for hit in rule.check(part):
            # All hits on a part are about one change, and a struct of thousands of fields may have as many.
            change = change or cache(partial(_change, part))
            found += _findings(rule, hit, part, change, old, new)
    return found


def _change(part: object) -> str:
    from wirebook.rules.pairs.forms import form_of

    return form_of(part)


def _findings(
    rule: Rule,
    hit: Hit,
    part: object,
    change: Callable[[], str],
    old: Message | None,
    new: Message | None,
) -> Iterator[Finding]:
    """The finding for a hit, with the severity of its worst versions, and limited to these versions."""
    versions = None if hit.versions is None else frozenset(hit.versions)
    if versions is not None and not versions:
        return
    from wirebook.rules.finding import Finding
    from wirebook.rules.pairs.forms import short

    released = _released(part)
    if rule.of_releases and released.keys().isdisjoint(released if versions is None else versions):
        return
    severity, shown = rule.severity, versions
    if hit.severity is not None:
        severity = hit.severity
    elif versions is not None:
        frozen = versions & released.keys()
        if frozen and rule.category is Category.WIRE:
            frozen = _unlike_releases(part, frozen - hit.absent) | (frozen & hit.absent)
        loose = versions - _unstable(part)
        level = Severity.ERROR if frozen else Severity.WARNING if loose else Severity.INFO
        severity = max(severity, level, key=lambda item: item.rank)
        shown = frozen or loose or versions
    new = hit.of or new
    subject = new or old or _message(part)
    at, before = _where(part)
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
        versions=VersionSet.NONE if shown is None else VersionSet.of(shown),
        released_in=hit.released_in or _released_in(part, hit, shown),
        location=hit.place or _place(new, hit.at or at),
        previous=hit.previous_place or _place(old, hit.previous or before),
        discriminator=hit.discriminator,
        repairs=hit.repairs,
        change=short(hit.change) if hit.change else change(),
    )


def _released_in(part: object, hit: Hit, versions: Iterable[int] | None) -> str | None:
    """The first release that has the field concerned in the lowest possible of the versions.

    Without such a field or release, the release that froze the lowest version.
    """
    released = _released(part)
    frozen = [version for version in sorted(versions or ()) if released.get(version)]
    field = hit.was
    if isinstance(part, FieldPair):
        field = part.old
    elif isinstance(part, LoneField) and part.gone:
        field = part.field
    if frozen and field is not None and isinstance(part, FieldPair | LoneField | StructPair):
        from wirebook.rules.pairs.lineage import first_release

        for version in frozen:
            release = first_release(part.messages, field, version)
            if release:
                return release
    return released[frozen[0]] if frozen else None


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


def _unlike_releases(part: object, frozen: frozenset[int]) -> frozenset[int]:
    """The frozen versions in which the change affects peers of some release.

    Left out are versions whose bytes become those of every release again, and those in which no release has
    the tagged field that changes.
    """
    messages = part if isinstance(part, MessagePair) else getattr(part, "messages", None)
    if not isinstance(messages, MessagePair):
        return frozen
    if isinstance(part, FieldPair | LoneField) and messages.texts is not None:
        frozen -= _only_ours(part, frozen)
    return frozenset(version for version in frozen if not messages.restored(version))


def _only_ours(part: FieldPair | LoneField, versions: frozenset[int]) -> frozenset[int]:
    """The versions in which a tagged field changes or is removed, but no release has it or uses its tag.

    Peers of releases skip it before and after the change.
    """
    if isinstance(part, LoneField):
        old, new = part.field, None if part.gone else part.field
    else:
        old, new = part.old, part.new
    from wirebook.rules.pairs.lineage import first_release

    if old is new or any(part.messages.may_have_had(side.tag) for side in (old, new) if side is not None):
        return frozenset()
    return frozenset(
        version
        for version in versions
        if version in old.tagged_versions
        if new is None or version in new.tagged_versions or version not in new.present
        if first_release(part.messages, old, version) is None
    )


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


def _place(message: Message | None, at: Position | None) -> Place | None:
    return None if message is None or at is None else Place.of(message.path, message.written.lines, at)


def unexplained(pair: MessagePair, found: Sequence[Finding]) -> list[Finding]:
    """A finding if released bytes changed and no rule reported it."""
    # Findings on names in generated code do not explain a change of bytes.
    version_sets = {finding.versions for finding in found if finding.category is not Category.SOURCE}
    explained = {version for versions in version_sets for version in versions}
    if any(finding.category is Category.WIRE and not finding.versions for finding in found):
        return []
    silent: set[int] = set()
    for version in sorted(pair.both & pair.released.keys() - explained):
        # Rules on single files report a side without a layout.
        if pair.same_bytes(version) is False and not pair.restored(version):
            silent.add(version)
    # A rule may have seen a change that affects no peer of a release, beside one that does.
    if silent and found:
        silent -= _seen(pair, {finding.rule for finding in found})
    if not silent:
        return []
    from wirebook.rules.finding import Finding
    from wirebook.rules.pairs.forms import whole_form

    at, before = pair.where
    shown = VersionSet.of(silent)
    return [
        Finding(
            rule=LAYOUT_CHANGED,
            severity=Severity.ERROR,
            category=Category.WIRE,
            message=f"the bytes of released {counted(shown)} change, and no rule explains it",
            fix="compare `wirebook export` of both sides, and report it: a rule is missing",
            message_name=pair.new.name,
            message_type=pair.new.type,
            api_key=pair.new.api_key,
            versions=shown,
            released_in=_first(pair.released, silent),
            change=whole_form(pair.old, pair.new),
            location=_place(pair.new, at),
            previous=_place(pair.old, before),
        )
    ]


def _seen(pair: MessagePair, reporting: Container[str]) -> set[int]:
    """The versions in which a rule that reports something sees a change, whether or not it affects peers."""
    from wirebook.rules.pairs.walk import walk

    parts: Iterable[Hashable] = walk(pair)
    return {
        version
        for part in parts
        for rule in rules_on(part.__class__)
        if rule.category is Category.WIRE and rule.name in reporting
        for hit in rule.check(part)
        for version in hit.versions or ()
    }
