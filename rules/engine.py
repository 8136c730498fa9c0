"""Compares old, new and released specs, and leaves out what the old side already had."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from wirebook.rules.judging import LAYOUT_CHANGED, judge
from wirebook.rules.match import match_messages
from wirebook.rules.pairs.freezing import Frozen
from wirebook.rules.pairs.kinds import (
    LoneMessage,
    MessagePair,
    ProtocolPair,
    VersionNumbers,
)
from wirebook.rules.pairs.walk import apis, reserved_tags, walk, walk_fields, walk_structs
from wirebook.rules.released import Baseline, Released, ReleasedSpec, Reserved
from wirebook.specs.model import Message, Protocol, is_same_but_texts

if TYPE_CHECKING:
    from wirebook.rules.agreement.patch import Comparisons
    from wirebook.rules.finding import Finding
    from wirebook.rules.levels import Window
    from wirebook.rules.values.numbers import TablesPair
    from wirebook.specs.levels import Registry

__all__ = [
    "LAYOUT_CHANGED",
    "check",
    "compare",
    "judge_files",
    "of_sets",
]


def check(  # noqa: PLR0913  each option by its name
    old: Protocol | None,
    new: Protocol,
    baselines: Sequence[Baseline] | Released = (),
    *,
    old_registry: Registry | None = None,
    new_registry: Registry | None = None,
    everything: bool = False,
    together: bool = True,
    deprecated_for: Window | None = None,
    tables: Sequence[TablesPair] = (),
    comparisons: Comparisons | None = None,
) -> list[Finding]:
    """Judge `new` on its own, and against the releases, and `old` if there is one.

    Without baselines, every stable version of `old` counts as released. Findings on single files or on the
    set that the old side also had, or has elsewhere, are left out unless `everything`. Rules on the set run
    only if `together`; otherwise the files may be part of a larger set, which `of_sets` judges as a whole.
    `deprecated_for` is how long a version stays deprecated before it is removed. `tables` are those of error
    codes and values of both sides and of the releases. `comparisons` are kept from
    checks of the same messages. The result is sorted by severity, then by place; what follows from another
    finding has it as its root.
    """
    released = _released(baselines)
    levels = None
    if deprecated_for is not None or old_registry is not None or new_registry is not None:
        from wirebook.rules.levels import ProtocolLevels

        levels = ProtocolLevels.of(old_registry, new_registry, released, deprecated_for)
    if released is not None:
        released.follow(*filter(None, (old, new)))
    frozen = Frozen(released, old, levels)
    if old is not None:
        findings, pairs = _of_messages(old, new, frozen, comparisons)
    else:
        findings, pairs = [], []
        for message in new:
            findings += _against_releases(frozen, message, comparisons)
    if old_registry is not None or new_registry is not None:
        before = Protocol(()) if old is None else old
        findings += judge(ProtocolPair(before, new, old_registry, new_registry), None, None)
        if everything and old is not None:
            # As without an old side; what both report is one finding in the end.
            findings += judge(ProtocolPair(Protocol(()), new, None, new_registry), None, None)
    if tables or _may_list_values(old, new, everything and released is not None):
        findings += _of_tables(tables, old, new, frozen, everything)
    fresh = _of_files(old, new, pairs, everything, together)
    if not findings and not fresh:
        return []
    from wirebook.rules.finding import sort
    from wirebook.rules.precedents import by_precedent
    from wirebook.rules.roots import once_per_shared_struct, rooted, without_repetitions

    newest = _nothing if released is None else released.newest
    findings += fresh if everything else by_precedent(fresh, old or Protocol(()), newest)
    both = [(pair.old, pair.new) for pair in pairs]
    moved = [(one, other) for one, other in both if (one.name, one.path) != (other.name, other.path)]
    findings = without_repetitions(_at_both(findings, moved) if moved else findings)
    findings = rooted(list(dict.fromkeys(findings)), new, both)
    return sort(once_per_shared_struct(findings, [*(old or ()), *new]))


def _may_list_values(old: Protocol | None, new: Protocol, everything: bool) -> bool:
    """Whether specs may list values, which few protocols do; with `everything`, also those of releases."""
    messages = (*(old or ()), *new)
    return any(each.lists_values or (everything and not each.profile.family) for each in messages)


def _of_tables(
    tables: Sequence[TablesPair], old: Protocol | None, new: Protocol, frozen: Frozen, everything: bool
) -> list[Finding]:
    """The findings on tables of error codes and values, and on values in specs, which few protocols have."""
    from wirebook.rules.values.numbers import number_pairs

    parts = number_pairs(tables, old, new, frozen, everything)
    return [finding for part in parts for finding in judge(part, None, None)]


def _of_messages(
    old: Protocol, new: Protocol, frozen: Frozen, comparisons: Comparisons | None
) -> tuple[list[Finding], list[MessagePair]]:
    """The findings on what changes from one side to the other, and the messages that both have."""
    findings: list[Finding] = []
    pairs: list[MessagePair] = []
    matches = [_unless_replaced(*match, frozen) for match in match_messages(old, new)]
    older = {message.identity for partner, message in matches if partner is not None and message is not None}
    for partner, message in matches:
        if partner is not None and message is not None:
            pairs.append(frozen.pair(partner, message))
            findings += compare(pairs[-1], comparisons)
        elif partner is not None:
            levels = frozen.levels
            lone = LoneMessage(partner, True, frozen.deleted(partner), frozen.deprecated(partner), levels)
            findings += judge(lone, partner, partner)
        elif message is not None:
            findings += judge(LoneMessage(message, False, frozen.released(message)), message, message)
            if message.identity not in older:
                # A message that reuses the key of another one was never released under it.
                findings += _against_releases(frozen, message, comparisons)
    return findings, pairs


def _unless_replaced(
    old: Message | None, new: Message | None, frozen: Frozen
) -> tuple[Message | None, Message | None]:
    """Two matched messages; without the old one if nothing is released and the new one only took its key,
    such as the first message in place of an example.
    """
    if old is None or new is None or old.name == new.name:
        return old, new
    if frozen.all is None or not frozen.all.given or frozen.all.releases:
        return old, new
    kept = {field.name for field in old.fields} & {field.name for field in new.fields}
    return (old if 2 * len(kept) >= len(old.fields) else None), new


def _of_files(
    old: Protocol | None, new: Protocol, pairs: Sequence[MessagePair], everything: bool, together: bool
) -> list[Finding]:
    """The findings on single files, and on all together, that the old side did not have."""
    compared = {(pair.new.type, pair.new.name): pair for pair in pairs}
    same = (
        set()
        if everything
        else {(pair.new.type, pair.new.name) for pair in pairs if _same_text(pair.old, pair.new)}
    )
    fresh = judge_files(_newest_last(old, new), same, compared, together)
    if not fresh or old is None or everything:
        return fresh
    # Only the same messages can have had the same findings.
    names = {(finding.message_type, finding.message_name) for finding in fresh}
    partners = {
        (pair.old.type, pair.old.name): (pair.old, pair.new)
        for pair in pairs
        if pair.old is not pair.new and (pair.new.type, pair.new.name) in names
    }
    # A tag that a release had is reserved on the old side, too.
    own = {(pair.old.type, pair.old.name): pair.of_old_side() for pair in pairs}
    old_findings = judge_files(old, same, own, together, names | partners.keys())
    return _not_among(fresh, old_findings, partners)


def _nothing() -> Protocol:
    return Protocol(())


def _released(baselines: Sequence[Baseline] | Released) -> Released | None:
    """The versions that baselines froze; None without baselines."""
    if isinstance(baselines, Sequence):
        if not baselines:
            return None
        return Released(baselines)
    return baselines if baselines.given else None


def of_sets(old: Protocol | None, new: Protocol) -> list[Finding]:
    """The findings of rules on all files together on `new` without those on `old`."""
    from wirebook.rules.roots import without_repetitions

    fresh = judge(_newest_last(old, new), None, None)
    return without_repetitions(_not_among(fresh, [] if old is None else judge(old, None, None)))


def _newest_last(old: Protocol | None, new: Protocol) -> Protocol:
    """The new side with its added messages last.

    Of two messages with the same name or key, rules report the later one.
    """
    names = {(message.type, message.name) for message in old or ()}
    if not names:
        return new
    return Protocol(
        tuple(sorted(new, key=lambda message: (message.type, message.name) not in names)), new.name
    )


def compare(pair: MessagePair, comparisons: Comparisons | None = None) -> list[Finding]:
    """Judge one message against its old version: every rule on every pair in it, then the guard.

    The same object on both sides is unchanged; the same text may still have different headers.
    """
    old, new = pair.old, pair.new
    if old is new or (not pair.released_messages and old == new and old.profile == new.profile):
        return []
    findings: list[Finding] = []
    if is_same_but_texts(old, new):
        pair.alike = pair.both
    else:
        findings, pair.alike = _judge_bytes(
            old, new, pair.releases, pair.released.keys(), pair.unstable_top, comparisons
        )
    for part in walk(pair):
        findings += judge(part, old, new)
    return findings


def _against_releases(frozen: Frozen, new: Message, comparisons: Comparisons | None = None) -> list[Finding]:
    """What releases and a message do not understand of each other, without an old side."""
    if frozen.all is None:
        return []
    released = frozenset(frozen.all.versions(new.identity))
    if released.isdisjoint(new.valid_versions):
        return []
    releases = frozen.all.specs(new.identity)
    return _judge_bytes(None, new, releases, released, comparisons=comparisons)[0]


def _judge_bytes(
    old: Message | None,
    new: Message,
    releases: Sequence[ReleasedSpec],
    released: Iterable[int],
    unstable: int | None = None,
    comparisons: Comparisons | None = None,
) -> tuple[list[Finding], VersionNumbers]:
    """The findings on what a patch breaks and restores on the wire, and the versions that stay the same.

    Loads the relation, and for findings what explains and proves them: changes of texts need neither.
    """
    from wirebook.rules.agreement.judgement import judgement

    judged = judgement(old, new, releases, frozenset(released), comparisons)
    if not judged.breaks and judged.restored is None:
        return [], judged.alike
    from wirebook.rules.breaking import judge_breaks

    return judge_breaks(judged, old, new, unstable), judged.alike


def judge_files(
    protocol: Protocol,
    skipped: Container[tuple[str, str]] = (),
    compared: Mapping[tuple[str, str], MessagePair] | None = None,
    together: bool = True,
    names: Container[tuple[str, str]] | None = None,
) -> list[Finding]:
    """The findings on each file on its own, and (`together`) on all files together.

    Files of messages in `skipped` (by type and name) are left out, and so are those whose type and name are
    not among `names`, if given; `compared` has messages paired with their old versions, whose tags are
    reserved.
    """
    findings: list[Finding] = []
    for message in protocol:
        own = (message.type, message.name)
        if own in skipped or (names is not None and own not in names):
            continue
        findings += judge(message, None, message)
        if any(problem.severity == "unusable" for problem in message.problems):
            # An unreadable value is one cause: the fields would be judged by missing values.
            continue
        for member in walk_fields(message):
            findings += judge(member, None, message)
        pair = (compared or {}).get(own)
        for struct in walk_structs(message, None if pair is None else partial(_reserved_tags, pair)):
            findings += judge(struct, None, message)
    for api in apis(protocol):
        fresh = [message for message in api if (message.type, message.name) not in skipped]
        if fresh and (names is None or any((message.type, message.name) in names for message in api)):
            findings += (_of_both(finding, api.request) for finding in judge(api, None, api.response))
    return findings + (judge(protocol, None, None) if together else [])


def _of_both(finding: Finding, request: Message) -> Finding:
    """A finding on both halves of an API; its message is the response."""
    from wirebook.rules.finding import Concerned

    return finding._replace(others=(*finding.others, Concerned(request.name, request.path)))


def _reserved_tags(pair: MessagePair) -> Reserved:
    return reserved_tags(pair)


def _same_text(old: Message, new: Message) -> bool:
    """Whether both were read from the same text, so that rules report the same for both."""
    # A byte-order mark is not part of the text; only one of them may have that problem.
    same = old.written.lines.text == new.written.lines.text and len(old.problems) == len(new.problems)
    return old is new or (same and old == new)


def _at_both(findings: Iterable[Finding], moved: Iterable[tuple[Message, Message]]) -> Iterator[Finding]:
    """The findings, each with both specs if its message was moved or renamed."""
    from wirebook.rules.finding import Concerned

    pairs: dict[tuple[str, str], list[tuple[Concerned, Concerned]]] = {}
    for old, new in moved:
        both = Concerned(new.name, new.path), Concerned(old.name, old.path)
        pairs.setdefault((new.type, new.name), []).append(both)
    for finding in findings:
        path = finding.location and finding.location.path
        former_path = finding.previous and finding.previous.path
        more = [
            spec
            for new, old in pairs.get((finding.message_type, finding.message_name), ())
            if path == new.path or former_path == old.path or path is former_path is None
            for spec in (new, old)
        ]
        yield finding._replace(others=(*finding.others, *more)) if more else finding


def _not_among(
    findings: Iterable[Finding],
    old_findings: Iterable[Finding],
    pairs: Mapping[tuple[str, str], tuple[Message, Message]] | None = None,
) -> list[Finding]:
    """The findings without those that the old side also has, by their identity and their values.

    A finding with the same identity but other values (such as another wrong default) is new. `pairs` are the
    messages of both sides, by their types and names on the old side: a finding follows its message and its
    field to their new names.
    """
    repeated = set()
    fields: dict[tuple[str, str], Mapping[str, str]] = {}
    for finding in old_findings:
        own = (finding.message_type, finding.message_name)
        identity = finding.identity
        if pairs is not None and own in pairs:
            now = pairs[own][1]
            if own not in fields:
                fields[own] = _renamed_fields(*pairs[own])
            field = fields[own].get(finding.field, finding.field)
            identity = identity._replace(message_type=now.type, message_name=now.name, field=field)
        repeated.add((identity, finding.values))
    return [finding for finding in findings if (finding.identity, finding.values) not in repeated]


def _renamed_fields(old: Message, new: Message) -> Mapping[str, str]:
    """The new paths of the fields of a message, by their old ones."""
    from wirebook.rules.agreement.edits import Matching

    paths = {member.field.written.order: member.path for member in walk_fields(new)}
    now = Matching(old, new).new_of
    return {
        member.path: paths[now[member.field.written.order].written.order]
        for member in walk_fields(old)
        if member.field.written.order in now
    }
