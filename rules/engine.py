"""Compares old, new and released specs, and leaves out what the old side already had."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from wirebook.rules.judging import LAYOUT_CHANGED, judge, judge_breaks
from wirebook.rules.match import match_messages
from wirebook.rules.pairs.freezing import Frozen
from wirebook.rules.pairs.kinds import (
    LoneMessage,
    MessagePair,
    ProtocolPair,
)
from wirebook.rules.pairs.walk import apis, reserved_tags, walk, walk_fields, walk_structs
from wirebook.specs.model import Message, Protocol

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding
    from wirebook.rules.levels import Levels, Window
    from wirebook.rules.pairs.tables import TablesPair
    from wirebook.rules.released import Baseline, Released, Reserved
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
) -> list[Finding]:
    """Judge `new` on its own, and against `old` if there is one.

    Without baselines, every stable version of `old` counts as released. Findings on single files or on the
    set that the old side also had, or has elsewhere, are left out unless `everything`. Rules on the set run
    only if `together`; otherwise the files may be part of a larger set, which `of_sets` judges as a whole.
    `deprecated_for` is how long a version stays deprecated before it is removed. `tables` are those of error
    codes and values of both sides and of the releases. The result is sorted by severity, then by place; what
    follows from another finding has it as its root.
    """
    found: list[Finding] = []
    released_baselines = _released(baselines)
    levels = None
    if old_registry is not None or new_registry is not None or deprecated_for is not None:
        from wirebook.rules import levels as of_levels

        levels = of_levels.Levels.of(old_registry, new_registry, released_baselines, deprecated_for)
    frozen = Frozen(released_baselines, old, levels)
    compared: dict[tuple[str, str], MessagePair] = {}
    same: set[tuple[str, str]] = set()
    pairs: list[tuple[Message, Message]] = []
    if old is not None:
        matches = list(match_messages(old, new))
        older = {
            message.identity for partner, message in matches if partner is not None and message is not None
        }
        for partner, message in matches:
            if message is None:
                assert partner is not None
                found += _judge_deleted(frozen, partner, levels)
            elif partner is None:
                # A message that reuses the key of another one was never released under it.
                found += _judge_added(frozen, message, is_new=message.identity not in older)
            else:
                pairs.append((partner, message))
                both = frozen.pair(partner, message)
                found += compare(both)
                compared[message.type, message.name] = both
                if not everything and _same_text(partner, message):
                    same.add((message.type, message.name))
    if old_registry is not None or new_registry is not None:
        found += judge(ProtocolPair(old or Protocol(()), new, old_registry, new_registry), None, None)
        if everything and old is not None:
            # As without an old side; what both report is one finding in the end.
            found += judge(ProtocolPair(Protocol(()), new, None, new_registry), None, None)
    if tables:
        from wirebook.rules.pairs.tables import table_pairs

        parts = (part for pair in tables for part in table_pairs(pair, old, new, frozen))
        found += (item for part in parts for item in judge(part, None, None))
    fresh = judge_files(_newest_last(old, new), same, compared, together)
    if fresh and old is not None and not everything:
        fresh = _not_before(fresh, old, pairs, same, together)
    if not found and not fresh:
        return []
    from wirebook.rules.finding import sort
    from wirebook.rules.precedents import by_precedent, removed_listeners
    from wirebook.rules.roots import rooted, told_once

    newest = _nothing if released_baselines is None else released_baselines.newest
    found += fresh if everything else by_precedent(fresh, old or Protocol(()), newest)
    moved = [pair for pair in pairs if (pair[0].name, pair[0].path) != (pair[1].name, pair[1].path)]
    found = told_once(_at_both(found, moved) if moved else found)
    return sort(rooted(list(dict.fromkeys(removed_listeners(found, new))), new, pairs))


def _judge_deleted(frozen: Frozen, message: Message, levels: Levels | None) -> list[Finding]:
    deleted = LoneMessage(message, True, frozen.deleted(message), frozen.deprecated(message), levels)
    return judge(deleted, message, message)


def _judge_added(frozen: Frozen, message: Message, is_new: bool) -> list[Finding]:
    """The findings on an added message; one that `is_new` in name and key is compared with the releases."""
    added = judge(LoneMessage(message, False, frozen.released(message)), message, message)
    return added + _against_releases(frozen, message) if is_new else added


def _not_before(
    fresh: list[Finding],
    old: Protocol,
    pairs: Sequence[tuple[Message, Message]],
    same: Container[tuple[str, str]],
    together: bool,
) -> list[Finding]:
    """The findings on single files without those of the old side, which only the same messages can have."""
    names = {(finding.message_type, finding.message_name) for finding in fresh}
    partners = {
        (earlier.type, earlier.name): (earlier, later)
        for earlier, later in pairs
        if earlier is not later and (later.type, later.name) in names
    }
    before = judge_files(old, same, together=together, names=names | partners.keys())
    return _not_among(fresh, before, partners)


def _nothing() -> Protocol:
    return Protocol(())


def _released(baselines: Sequence[Baseline] | Released) -> Released | None:
    """The versions that baselines froze; None without baselines."""
    if isinstance(baselines, Sequence):
        if not baselines:
            return None
        from wirebook.rules.released import Released

        return Released.of(baselines)
    return baselines if baselines.given else None


def drift(new: Protocol, released: Released) -> list[Finding]:
    """What peers of each release and of `new` do not understand of each other, whatever the old side has.

    Versions that a side lacks are not compared. The result is sorted by message; each finding has all of the
    releases that disagree.
    """
    from wirebook.rules.roots import told_once

    frozen = Frozen(released, None)
    found: list[Finding] = []
    for message in new:
        broken = _against_releases(frozen, message)
        holding = released.holding(message.identity) if broken else {}
        for each in broken:
            names = {name for first in each.releases for name in holding.get(first, [first])}
            found.append(replace(each, releases=tuple(name for name in released.releases if name in names)))
    return sorted(dict.fromkeys(told_once(found)), key=lambda each: (each.message_name, each.field))


def of_sets(old: Protocol | None, new: Protocol) -> list[Finding]:
    """The findings of rules on all files together on `new` without those on `old`."""
    from wirebook.rules.roots import told_once

    fresh = judge(_newest_last(old, new), None, None)
    return told_once(_not_among(fresh, [] if old is None else judge(old, None, None)))


def _newest_last(old: Protocol | None, new: Protocol) -> Protocol:
    """The new side with its added messages last.

    Of two messages with the same name or key, rules report the later one.
    """
    known = {(message.type, message.name) for message in old or ()}
    if not known:
        return new
    return Protocol(
        tuple(sorted(new, key=lambda message: (message.type, message.name) not in known)), new.name
    )


def compare(pair: MessagePair) -> list[Finding]:
    """Judge one message against its old version: every rule on every pair in it, then the guard.

    The same object on both sides is unchanged; the same text may still have different headers.
    """
    old, new = pair.old, pair.new
    if old is new or (not pair.released_messages and old == new and old.profile == new.profile):
        return []
    from wirebook.rules.agreement.breaks import judgement

    judged = judgement(old, new, pair.releases, frozenset(pair.released))
    pair.alike = judged.alike
    found = judge_breaks(judged, old, new, pair.unstable_top)
    for part in walk(pair):
        found += judge(part, old, new)
    return found


def _against_releases(frozen: Frozen, new: Message) -> list[Finding]:
    """What releases and a message do not understand of each other, without an old side."""
    if frozen.all is None:
        return []
    from wirebook.rules.agreement.breaks import judgement

    released = frozenset(frozen.all.versions(new.identity))
    if released.isdisjoint(new.valid_versions):
        return []
    judged = judgement(None, new, frozen.all.specs(new.identity), released)
    return judge_breaks(judged, None, new, None)


def judge_files(
    protocol: Protocol,
    known: Container[tuple[str, str]] = (),
    compared: Mapping[tuple[str, str], MessagePair] | None = None,
    together: bool = True,
    names: Container[tuple[str, str]] | None = None,
) -> list[Finding]:
    """The findings on each file on its own, and (`together`) on all files together.

    Files of messages in `known` (by type and name) are skipped, and so are those whose type and name are not
    among `names`, if given; `compared` has messages paired with their old versions, whose tags are reserved.
    """
    found: list[Finding] = []
    for message in protocol:
        own = (message.type, message.name)
        if own in known or (names is not None and own not in names):
            continue
        found += judge(message, None, message)
        if any(problem.severity == "unusable" for problem in message.problems):
            # An unreadable value is one cause: the fields would be judged by missing values.
            continue
        for item in walk_fields(message):
            found += judge(item, None, message)
        pair = (compared or {}).get(own)
        for struct in walk_structs(message, None if pair is None else partial(_reserved_tags, pair)):
            found += judge(struct, None, message)
    for api in apis(protocol):
        fresh = [message for message in api if (message.type, message.name) not in known]
        if fresh and (names is None or any((message.type, message.name) in names for message in api)):
            found += (_of_both(item, api.request) for item in judge(api, None, api.response))
    return found + (judge(protocol, None, None) if together else [])


def _of_both(finding: Finding, request: Message) -> Finding:
    """A finding on both halves of an API; its message is the response."""
    from wirebook.rules.finding import Concerned

    return replace(finding, others=(*finding.others, Concerned(request.name, request.path)))


def _reserved_tags(pair: MessagePair) -> Reserved:
    return reserved_tags(pair)


def _same_text(old: Message, new: Message) -> bool:
    """Whether both were read from the same text, so that rules report the same for both."""
    # A byte-order mark is not part of the text; only one of them may have that problem.
    same = old.written.lines.text == new.written.lines.text and len(old.problems) == len(new.problems)
    return old is new or (same and old == new)


def _at_both(found: Iterable[Finding], moved: Iterable[tuple[Message, Message]]) -> Iterator[Finding]:
    """The findings, each with both specs if its message was moved or renamed."""
    from wirebook.rules.finding import Concerned

    pairs: dict[tuple[str, str], list[tuple[Concerned, Concerned]]] = {}
    for old, new in moved:
        both = Concerned(new.name, new.path), Concerned(old.name, old.path)
        pairs.setdefault((new.type, new.name), []).append(both)
    for item in found:
        here = item.location and item.location.path
        there = item.previous and item.previous.path
        more = [
            spec
            for new, old in pairs.get((item.message_type, item.message_name), ())
            if here == new.path or there == old.path or here is there is None
            for spec in (new, old)
        ]
        yield replace(item, others=(*item.others, *more)) if more else item


def _not_among(
    found: Iterable[Finding],
    known: Iterable[Finding],
    pairs: Mapping[tuple[str, str], tuple[Message, Message]] | None = None,
) -> list[Finding]:
    """The findings without those that the old side also has, by their identity and their values.

    A finding with the same identity but other values (such as another wrong default) is new. `pairs` are the
    messages of both sides, by their types and names on the old side: a finding follows its message and its
    field to their new names.
    """
    repeated = set()
    fields: dict[tuple[str, str], Mapping[str, str]] = {}
    for item in known:
        own = (item.message_type, item.message_name)
        identity = item.identity
        if pairs is not None and own in pairs:
            now = pairs[own][1]
            if own not in fields:
                fields[own] = _renamed_fields(*pairs[own])
            field = fields[own].get(item.field, item.field)
            identity = identity._replace(message_type=now.type, message_name=now.name, field=field)
        repeated.add((identity, item.values))
    return [item for item in found if (item.identity, item.values) not in repeated]


def _renamed_fields(old: Message, new: Message) -> Mapping[str, str]:
    """The new paths of the fields of a message, by their old ones."""
    from wirebook.rules.agreement.edits import Matching

    paths = {item.field.written.order: item.path for item in walk_fields(new)}
    now = Matching(old, new).new_of
    return {
        item.path: paths[now[item.field.written.order].written.order]
        for item in walk_fields(old)
        if item.field.written.order in now
    }
