"""Applies the rules to one pair or item: released versions decide severity, and sides decide places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.agreement.breaks import Break, Judgement, Restoration
from wirebook.rules.catalogue import EXPLAINING
from wirebook.rules.finding import Finding, FindingIdentity
from wirebook.rules.pairs.kinds import (
    FieldPair,
    LoneField,
    LoneMessage,
    MessagePair,
    OneField,
    OneStruct,
    StructPair,
)
from wirebook.rules.rule import Hit, Rule, custom_on, find, rules_on
from wirebook.rules.severity import Category, Place, Severity
from wirebook.specs.model import Message
from wirebook.specs.problems import Position
from wirebook.specs.versions import VersionSet, counted

if TYPE_CHECKING:
    from wirebook.rules.agreement.proof import Prover

LAYOUT_CHANGED = "layout-changed"
LAYOUT_RESTORED = "layout-restored"


def judge(part: Hashable, old: Message | None, new: Message | None) -> list[Finding]:
    """The findings of all rules on one part of the comparison; its places are in `old` and `new`."""
    if isinstance(part, FieldPair | MessagePair) and part.is_same and not custom_on(part.__class__):
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


def judge_breaks(
    judgement: Judgement, old: Message | None, new: Message, unstable: int | None
) -> list[Finding]:
    """The findings on what a patch breaks, each under the first rule that explains it (`EXPLAINING`).

    `unstable` is the top version of the old side if it is marked unstable: what only it has is a note.
    """
    if not judgement.breaks and judgement.restored is None:
        return []
    rules = [_declared(name) for name in EXPLAINING]
    causes: dict[_Cause, list[Break]] = {}
    explaining: dict[_Cause, Rule | None] = {}
    # A struct that is reached by several paths is one, and so is a field of several releases.
    paths: dict[object, str] = {}
    for each in sorted(judgement.breaks, key=lambda broken: min(broken.versions)):
        rule, hit = _explained(each, rules)
        declared = None if each.old.field is None else (id(each.base), each.old.field.written.order)
        subject: object = paths.setdefault(declared, each.old.path)
        if each.new.field is not None:
            subject = each.new.field.written.order
        key = _Cause(LAYOUT_CHANGED if rule is None else rule.name, subject, hit.discriminator)
        causes.setdefault(key, []).append(each)
        explaining[key] = rule
    _join_defaults(causes)
    # Where peers begin to misread is reported once a rule explains an edit there.
    explained = {id(each.root) for key, alike in causes.items() if explaining[key] for each in alike}
    causes = {
        key: alike
        for key, alike in causes.items()
        if explaining[key] or any(each.root is None or id(each.root) not in explained for each in alike)
    }
    # The codec, which only a finding needs.
    from wirebook.rules.agreement.proof import Prover

    prover = Prover()
    findings = [
        _of_breaks(alike, explaining[key], old, new, unstable, prover) for key, alike in causes.items()
    ]
    findings = _proven_once(findings, causes.values())
    if judgement.restored is not None:
        findings.append(_restored(judgement.restored, new))
    return findings


def _proven_once(findings: Sequence[Finding], breaks: Collection[Sequence[Break]]) -> list[Finding]:
    """The findings on breaks, each with the one that proves it, if the reader gets no further there.

    Of several findings with the same misread, that one is where peers begin to misread the message, if one
    of them is, and otherwise the first.
    """
    proving: dict[object, FindingIdentity] = {}
    for is_root in (True, False):
        for finding, alike in zip(findings, breaks, strict=True):
            if finding.proof is not None and (any(map(_is_root, alike)) or not is_root):
                proving.setdefault(finding.proof.outcome, finding.identity)
    provers = [None if finding.proof is None else proving[finding.proof.outcome] for finding in findings]
    return [
        finding if by is None or by == finding.identity else replace(finding, proven_by=by)
        for finding, by in zip(findings, provers, strict=True)
    ]


def _is_root(broken: Break) -> bool:
    """Whether peers begin to misread a message at a break."""
    root = broken.root
    return root is not None and broken.path in (root.first.path, root.second.path)


class _Cause(NamedTuple):
    """What makes several breaks one finding; `subject` is the declaration of the field."""

    rule: str
    subject: object
    discriminator: str


def _join_defaults(causes: dict[_Cause, list[Break]]) -> None:
    """Counts another default of a retyped field as one of its new type, whose finding is no milder."""
    for cause in [cause for cause in causes if cause.rule == "default-changed"]:
        retyped = causes.get(cause._replace(rule="type-changed"), [])
        if any(each.is_frozen for each in retyped) or (
            retyped and not any(each.is_frozen for each in causes[cause])
        ):
            retyped += causes.pop(cause)


def _declared(name: str) -> Rule:
    rule = find(name)
    assert rule is not None
    return rule


def _explained(broken: Break, rules: Iterable[Rule]) -> tuple[Rule | None, Hit]:
    """The rule that explains a break, None for none, and what it says."""
    for rule in rules:
        hit = next(rule.check(broken), None)
        if hit is not None:
            return rule, hit
    versions = broken.counted
    what = broken.path or broken.message.name
    if broken.root is None and not broken.path:
        return None, Hit(
            f"{what} changes in {versions}, and has no layout there, before the change or after it: what "
            "it does to peers is unknown",
            "correct what `wirebook check --all` reports on the file",
            discriminator="unknown",
        )
    return None, Hit(
        f"peers of a release and of this spec disagree on {what} in {versions}, and no rule explains why",
        "compare `wirebook export` of both sides, and report it: a rule is missing",
        discriminator=broken.kind.value,
    )


def _of_breaks(
    alike: Sequence[Break],
    rule: Rule | None,
    old: Message | None,
    new: Message,
    unstable: int | None,
    prover: Prover,
) -> Finding:
    """The finding on the breaks of one cause, with the severity and the versions of the worst of them."""
    frozen = [each for each in alike if each.is_frozen]
    worst = frozen or list(alike)
    versions = frozenset(version for each in worst for version in each.versions)
    severity = Severity.ERROR
    if not frozen:
        loose = versions - {unstable}
        severity = Severity.WARNING if loose else Severity.INFO
        versions = loose or versions
    # A reviewer sees the lines of the old side; of releases, the newest is shown.
    own = worst
    if rule is not None and len({each.kind for each in worst}) > 1:
        own = [each for each in worst if any(rule.check(each))]
    base = next((each.base for each in own if each.base is old), own[-1].base)
    example = max((each for each in own if each.base is base), key=lambda each: each.old.carried is not None)
    broken = replace(example, versions=versions)
    hit = next(rule.check(broken)) if rule is not None else _explained(broken, ())[1]
    releases = [name for each in worst if min(versions) in each.versions for name in each.releases]
    others = [other for other in dict.fromkeys(each.path for each in own) if other != broken.path]
    at = hit.at
    if at is None and broken.old.field is None:
        at = new.written.at("name")
    return Finding(
        rule=LAYOUT_CHANGED if rule is None else rule.name,
        severity=severity,
        category=Category.WIRE,
        message=f"{hit.message} (also {', '.join(others)})" if others else hit.message,
        fix=hit.fix,
        message_name=new.name,
        message_type=new.type,
        api_key=new.api_key,
        field=broken.path,
        versions=VersionSet.of(versions),
        released_in=next(filter(None, releases), None),
        releases=tuple(dict.fromkeys(name for each in worst for name in each.releases if name)),
        location=_place(new, at),
        previous=_place(old, hit.previous) if broken.base is old else None,
        discriminator=hit.discriminator,
        repairs=hit.repairs,
        change=_change(broken),
        proof=prover.proof(example) if severity is Severity.ERROR else None,
        values=None if others else hit.values,
    )


def _restored(restored: Restoration, new: Message) -> Finding:
    """The finding that a patch brings back what releases have."""
    versions = VersionSet.of(restored.versions)
    names = [name for name in restored.releases if name]
    whose = " and ".join(dict.fromkeys((names[0], names[-1]))) if names else "the releases"
    return Finding(
        rule=LAYOUT_RESTORED,
        severity=Severity.INFO,
        category=Category.WIRE,
        message=f"{counted(versions)} of {new.name}: this restores what {whose} had",
        fix="nothing to do: peers of these releases understand it again",
        message_name=new.name,
        message_type=new.type,
        api_key=new.api_key,
        versions=versions,
        released_in=names[0] if names else None,
        location=_place(new, new.written.at("name")),
    )


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
) -> Iterator[Finding]:
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
    from wirebook.rules.change_forms import short

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
        versions=VersionSet.NONE if concerned is None else VersionSet.of(concerned),
        released_in=hit.released_in or _first(released, concerned),
        location=hit.place or _place(new, hit.at or at),
        previous=hit.previous_place or _place(old, hit.previous or before),
        discriminator=hit.discriminator,
        repairs=hit.repairs,
        change=short(hit.change) if hit.change else change(),
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


def _place(message: Message | None, at: Position | None) -> Place | None:
    return None if message is None or at is None else Place.of(message.path, message.written.lines, at)
