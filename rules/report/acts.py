"""What happens to an API, or to a message outside any API: who must act, what older peers make of
fields that begin or end, and what else changes.

The releases are those of the table of Kafka's releases; of other protocols they are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.messages import kind_of
from wirebook.rules.finding import Finding, Place
from wirebook.rules.released import Released, first_release
from wirebook.rules.report.words import grouped, of_half
from wirebook.specs.kafka.served import Served, senders
from wirebook.specs.model import Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet, counted

# The changes of which the sentences on who must act are.
_SAID = (
    "message-added", "message-removed", "versions-added", "versions-removed", "versions-deprecated",
    "version-made-unstable",
)  # fmt: skip


@dataclass
class Subject:
    """An API, or a message outside any API: its messages on both sides, what changes, and what is
    found."""

    title: str
    pairs: list[tuple[Message | None, Message | None]] = field(default_factory=list)
    changes: list[ProtocolChange] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def broken(self) -> list[VersionSet]:
        """The versions of a message that each error on the wire breaks, waived or not."""
        return [each.versions for each in self.findings if each.is_break]


class Section(NamedTuple):
    """What happens to a subject, in sentences.

    `acts` are about who must act, `fields` about what older peers make of fields that begin or end,
    and `changes` about what neither they nor a finding names, without changes of text.
    """

    title: str
    acts: tuple[str, ...]
    fields: tuple[str, ...]
    changes: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.acts, *self.fields, *self.changes)


def section_of(subject: Subject, released: Released) -> Section:
    """The sentences about a subject: each change is in one of them, unless a finding names it."""
    places = {place for each in subject.findings for place in (each.location, each.previous)}
    named = {(each.message_name, each.field) for each in subject.findings if each.field}
    removed = _union([each.versions for each in subject.changes if each.kind == "versions-removed"])
    fates: list[tuple[str, str, str]] = []
    others: list[tuple[str, ProtocolChange]] = []
    for change in subject.changes:
        message, half = change.message, of_half(change.message)
        is_found = message is not None and (message.name, change.field) in named
        is_found |= not (places - {None}).isdisjoint(_places(change))
        # What only removed versions had ends with them.
        is_implied = bool(change.versions) and removed.covers(change.versions)
        if change.declared is not None and (words := _fate(subject, change)):
            fates.append((half, words, f"{change.field} ({kind_of(change.declared)})"))
        elif not (change.effect == TEXT or change.kind in _SAID or is_found or is_implied):
            others.append((half, change))
    fields = [
        f"{half}{enumerated([name for *_, name in several])}, {words}."
        for (half, words), several in grouped(fates, lambda fate: fate[:2]).items()
    ]
    changes = []
    # Changes of several fields that differ only in the field are one sentence.
    alike = grouped(others, lambda each: (each[0], replace(each[1], field="").sentence))
    for (half, _), several in alike.items():
        names = enumerated([each.field for _, each in several])
        text = f"{half}{replace(several[0][1], field=names).sentence}."
        changes.append(f"{text[0].upper()}{text[1:]}")
    return Section(subject.title, tuple(_acts(subject, released)), tuple(fields), tuple(changes))


def _places(change: ProtocolChange) -> Iterator[Place | None]:
    """The places of a change, and of a field that it is about with all keys: a finding may be about
    two fields."""
    yield from (change.location, change.previous)
    if change.declared is not None:
        yield from map(change.declared.written.at, change.declared.written.keys)


def _fate(subject: Subject, change: ProtocolChange) -> str:
    """What peers make of a field in versions in which it begins or ends, in words that follow its
    name; "" for other changes.

    In a version that breaks, nothing is certain: a finding says what happens.
    """
    new, declared = change.message, change.declared
    old = next((each for each, other in subject.pairs if other is new), None)
    if new is None or old is None or declared is None:
        return ""
    valid, was = (VersionSet.union(each.valid_versions) for each in (new, old))
    tagged = VersionSet.union(declared.tagged_versions)
    versions = (change.versions & valid) - _union(subject.broken)
    known = versions & was
    if not versions:
        return ""
    first, has_older = min(versions), new.valid_versions.lowest < min(versions)
    what, mark = "refused by the writer unless it has its default", "not ignorable"
    if declared.ignorable:
        what, mark = "dropped", "ignorable"
    if change.kind == "field-removed":
        sent = versions & tagged
        return f"removed from {counted(sent)}: skipped by peers with this change" if sent else ""
    if change.kind == "field-versions-changed" and not known and first not in declared.present:
        still = f"still sent and read in {counted(valid & VersionSet.union(declared.present))}"
        return f"ends before version {first}: {still}; from version {first} on {what} ({mark})"
    if change.kind != "field-added" or known - tagged:
        return ""
    parts = ["skipped by peers without this change"] if known else []
    if new.type in HALVES and has_older:
        than = f" than version {first}" if known else ""
        parts.append(f"where the peer is older{than}, {what} ({mark})")
    return ": ".join(filter(None, (f"new in {counted(versions)}", "; ".join(parts))))


def _acts(subject: Subject, released: Released) -> Iterator[str]:
    """The sentences on who must act, what breaks and what is removed first."""
    pairs = [(old, new, message) for old, new in subject.pairs if (message := new or old)]
    if not pairs:
        return
    # The request decides which version is sent: responses follow.
    old, new, message = min(pairs, key=lambda pair: pair[2].type)
    before, after = (Versions.NONE if each is None else each.valid_versions for each in (old, new))
    hurt, both = _union(subject.broken), VersionSet.union(before & after)
    misread, served = counted(hurt or both), Served.of(message)
    is_of_api = message.type in (*HALVES, "header")
    if subject.broken and is_of_api:
        by = served.words(hurt or both)
        yield f"Peers with and without this change misread each other in {misread}{by}."
    elif subject.broken:
        yield f"Data in {misread} is misread across this change, in both directions."
    if old is not None and (removed := before - after) and not released.is_nothing:
        since = _deprecation(released.deprecated(message.identity), removed)
        yield f"{_which(removed)} removed{since}{_lost(old, after, served, removed)}."
    known = released.versions(message.identity)
    # Versions count from 0: those below base were there before.
    back = VersionSet.of(each for each in after - before if each in known or each < before.lowest)
    if back:
        first = first_release(known, {*back})
        peers = f"{first} and later releases" if first else "peers of releases"
        since = served.words(back) or f": known to {peers} that have them"
        yield f"{_which(back)} back{since if is_of_api else ': older data can be read again'}."
    fresh = after - before - back
    is_unstable = message.latest_version_unstable and after.highest in fresh
    which = "" if len(fresh) == 1 else f"version {after.highest} is "
    mark = f" ({which}unstable)" if is_unstable else ""
    if old is None and not back:
        yield from _new_message(message, mark)
    elif fresh:
        since = ": readers need it before writers"
        if is_of_api:
            since = served.words([max(fresh)]) or ": unknown to peers without this change"
        yield f"{_which(fresh)} new{mark}{since}."
    marked = message.deprecated_versions - (old.deprecated_versions if old else Versions.NONE)
    if deprecated := marked & VersionSet.union(after):
        newer = after - message.deprecated_versions
        move = f": move to {counted(newer)}{served.words([min(newer)])}" if newer else ""
        yield f"{_which(deprecated)} deprecated{move}."


def _deprecation(deprecated: Mapping[int, str], removed: VersionSet) -> str:
    """Since when versions that are removed were deprecated; "" if some were not."""
    if not deprecated.keys() >= {*removed}:
        return ""
    since = ", ".join(dict.fromkeys(deprecated[version] for version in removed))
    return f" (deprecated since {since})" if since else " (deprecated before)"


def _lost(old: Message, after: Versions, served: Served, removed: VersionSet) -> str:
    """Whom the removal of some versions of a message cuts off; the version of a header follows from
    that of its message."""
    if old.type not in HALVES:
        return "" if old.type == "header" else ": older data cannot be read"
    who = senders(old)
    if not after:
        return f": {who} must work without the API{served.words(removed)}"
    releases = served.only_below(after.lowest)
    then = (
        f"of {old.profile.product} {releases} are cut off" if releases else f"need {counted(after)}"
    )
    return f": {who} {then}{served.words([after.lowest])}"


def _new_message(message: Message, mark: str) -> Iterator[str]:
    if message.type == "request":
        negotiation = message.profile.negotiation
        listed = f"list it in {negotiation.name}" if negotiation else "support it"
        yield f"A new API{mark}: send it only to peers that {listed}."
    elif message.type not in (*HALVES, "header"):
        # The writer chooses the version: readers must follow.
        yield f"A new message{mark}: readers without this change do not know it."


def _union(sets: Iterable[VersionSet]) -> VersionSet:
    """The versions of several sets."""
    return VersionSet.union(*(part for versions in sets for part in versions.ranges))


def _which(versions: VersionSet) -> str:
    return f"{counted(versions).capitalize()} {'are' if len(versions) > 1 else 'is'}"
