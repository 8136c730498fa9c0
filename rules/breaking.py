"""The findings on what a patch breaks on the wire: each break under the rule that explains it.

Only a comparison that breaks or restores something loads this module, and with it the codec for proofs.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from wirebook.rules.agreement.breaks import Break
from wirebook.rules.agreement.judgement import Judgement, Restoration
from wirebook.rules.agreement.proof import Prover
from wirebook.rules.catalogue import EXPLAINING
from wirebook.rules.change_forms import form_of_break
from wirebook.rules.finding import Concerned, Finding, FindingIdentity
from wirebook.rules.judging import LAYOUT_CHANGED, LAYOUT_RESTORED, is_imported, place_of
from wirebook.rules.rule import Hit, Rule, find
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Message
from wirebook.specs.versions import VersionSet, counted


def judge_breaks(
    judgement: Judgement, old: Message | None, new: Message, unstable: int | None
) -> list[Finding]:
    """The findings on what a patch breaks, each under the first rule that explains it (`EXPLAINING`).

    `unstable` is the top version of the old side if it is marked unstable: what only it has is a note.
    """
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
    joined = _join_defaults(causes)
    # Where peers begin to misread is reported once a rule explains an edit there.
    explained = {id(each.root) for key, alike in causes.items() if explaining[key] for each in alike}
    causes = {
        key: alike
        for key, alike in causes.items()
        if explaining[key] or any(each.root is None or id(each.root) not in explained for each in alike)
    }
    prover = Prover()
    findings = [
        _of_breaks(alike, joined.get(key, []), explaining[key], old, new, unstable, prover)
        for key, alike in causes.items()
    ]
    findings = _proven_once(findings, [[*alike, *joined.get(key, [])] for key, alike in causes.items()])
    if judgement.restored is not None:
        findings.append(_restored(judgement.restored, new))
    return findings


def _proven_once(findings: Sequence[Finding], breaks: Collection[Sequence[Break]]) -> list[Finding]:
    """The findings on breaks, each with the one that proves it, if the reader gets no further there.

    Of several findings with the same misread, that one is where peers begin to misread the message, if one
    of them is, and otherwise the first.
    """
    # Thousands of findings may share one proof, of as many bytes.
    proofs = {id(finding.proof): finding.proof for finding in findings if finding.proof is not None}
    outcomes = {number: proof.outcome for number, proof in proofs.items()}
    proving: dict[object, FindingIdentity] = {}
    for is_root in (True, False):
        for finding, alike in zip(findings, breaks, strict=True):
            if finding.proof is not None and (any(map(_is_root, alike)) or not is_root):
                proving.setdefault(outcomes[id(finding.proof)], finding.identity)
    provers = [
        None if finding.proof is None else proving[outcomes[id(finding.proof)]] for finding in findings
    ]
    return [
        finding if by is None or by == finding.identity else finding._replace(proven_by=by)
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


def _join_defaults(causes: dict[_Cause, list[Break]]) -> dict[_Cause, list[Break]]:
    """Takes out other defaults of retyped fields; returns them by the new type: its finding is no milder."""
    joined: dict[_Cause, list[Break]] = {}
    for cause in [cause for cause in causes if cause.rule == "default-changed"]:
        retyping = cause._replace(rule="type-changed")
        retyped = causes.get(retyping, [])
        if any(each.is_frozen for each in retyped) or (
            retyped and not any(each.is_frozen for each in causes[cause])
        ):
            joined[retyping] = causes.pop(cause)
    return joined


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
    joined: Sequence[Break],
    rule: Rule | None,
    old: Message | None,
    new: Message,
    unstable: int | None,
    prover: Prover,
) -> Finding:
    """The finding on the breaks of one cause, with the severity and the versions of the worst of them.

    `joined` are those that another rule explains, which the finding covers.
    """
    frozen = [each for each in (*alike, *joined) if each.is_frozen]
    worst = frozen or [*alike, *joined]
    versions = frozenset(version for each in worst for version in each.versions)
    severity = Severity.ERROR
    if not frozen:
        loose = versions - {unstable}
        severity = Severity.WARNING if loose else Severity.INFO
        versions = loose or versions
    # A reviewer sees the lines of the old side; of releases, the newest is shown.
    own = [each for each in alike if each.is_frozen or not frozen]
    base = next((each.base for each in own if each.base is old), own[-1].base)
    example = max((each for each in own if each.base is base), key=lambda each: each.old.carried is not None)
    broken = example._replace(versions=versions)
    hit = next(rule.check(broken)) if rule is not None else _explained(broken, ())[1]
    releases = [name for each in worst if min(versions) in each.versions for name in each.releases]
    others = [other for other in dict.fromkeys(each.path for each in own) if other != broken.path]
    at = hit.at
    if at is None and broken.old.field is None:
        at = new.written.at("name")
    is_shared = is_imported(at) or is_imported(hit.previous)
    is_elsewhere = is_shared or (hit.place is not None and hit.place.path != new.path)
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
        location=hit.place or place_of(new, at),
        previous=(hit.previous_place or place_of(old, hit.previous)) if broken.base is old else None,
        discriminator=hit.discriminator,
        others=(Concerned(new.name, new.path),) if is_elsewhere else (),
        change=form_of_break(broken),
        proof=prover.proof(example) if severity is Severity.ERROR else None,
        api=new.api,
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
        location=place_of(new, new.written.at("name")),
        api=new.api,
    )
