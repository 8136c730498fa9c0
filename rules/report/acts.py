"""What happens to an API, or to a message outside any API: who must act, what older peers make of
fields that begin or end, and what else changes.

The releases are those of the table of Kafka's releases; of other protocols they are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.diff.messages import kind_of
from wirebook.rules.finding import Finding, Place
from wirebook.rules.released import Released, first_release
from wirebook.rules.report.served import Served, senders
from wirebook.rules.report.words import grouped, of_half
from wirebook.specs.model import Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet, counted

# The changes of which the sentences on who must act are.
_ACTED = (
    "message-added", "message-removed", "versions-added", "versions-removed", "versions-deprecated",
    "version-made-unstable",
)  # fmt: skip


Pair = tuple[Message | None, Message | None]


class Section(NamedTuple):
    """What happens to an API, or to a message outside any API, in sentences.

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


def section_of(
    title: str,
    messages: Pair | None,
    changes: Sequence[ProtocolChange],
    findings: Sequence[Finding],
    released: Released,
) -> Section:
    """The sentences about a section: each change is in one of them, unless a finding names it.

    `messages` are those of the API that decide the versions, on both sides; None for the registry.
    """
    misread = [each.versions for each in findings if each.is_break]
    broken = VersionSet.union(*(part for versions in misread for part in versions.ranges))
    places = {place for each in findings for place in (each.location, each.previous)}
    named = {(each.message_name, each.field) for each in findings if each.field}
    fields: dict[tuple[str, str], list[str]] = {}
    others: list[ProtocolChange] = []
    for change in changes:
        if fate := _fate(change, broken):
            fields.setdefault((of_half(change.message), fate), []).append(
                f"{change.field} ({change.declared and kind_of(change.declared)})"
            )
        elif change.effect != TEXT and change.kind not in _ACTED and not _has_ended(change):
            is_named = change.message is not None and (change.message.name, change.field) in named
            if not is_named and places.isdisjoint(_places(change)):
                others.append(change)
    # Changes of several fields that differ only in the field are one sentence.
    alike = grouped(others, lambda each: f"{of_half(each.message)}{_sentence(each, '')}")
    return Section(
        title,
        () if messages is None else tuple(_acts(*messages, broken, released)),
        tuple(f"{half}{enumerated(names)}, {fate}." for (half, fate), names in fields.items()),
        tuple(map(_joined, alike.values())),
    )


def _joined(alike: Sequence[ProtocolChange]) -> str:
    """The sentence of changes that differ only in the field."""
    names = enumerated([each.field for each in alike])
    text = f"{of_half(alike[0].message)}{_sentence(alike[0], names)}."
    return f"{text[0].upper()}{text[1:]}"


def _sentence(change: ProtocolChange, field: str) -> str:
    return replace(change, field=field).sentence


def _places(change: ProtocolChange) -> Iterator[Place]:
    """The places of a change, and of a field that it is about with all keys: a finding may be about
    two fields."""
    yield from filter(None, (change.location, change.previous))
    if change.declared is not None:
        yield from map(change.declared.written.at, change.declared.written.keys)


def _has_ended(change: ProtocolChange) -> bool:
    """Whether a change concerns only versions that are removed: what they had ends with them."""
    if change.message is None or not change.versions:
        return False
    return not change.versions & VersionSet.union(change.message.valid_versions)


def _fate(change: ProtocolChange, broken: VersionSet) -> str:
    """What peers make of a field in versions in which it begins or ends, in words that follow its
    name; "" for other changes.

    In a version that breaks, nothing is certain: a finding says what happens.
    """
    head = change.message
    field = change.declared
    if change.base is None or head is None or field is None:
        return ""
    valid = VersionSet.union(head.valid_versions)
    versions = (change.versions & valid) - broken
    if not versions:
        return ""
    first = min(versions)
    in_both = versions & VersionSet.union(change.base.valid_versions)
    tagged = VersionSet.union(field.tagged_versions)
    older = "refused by the writer unless it has its default (not ignorable)"
    if field.ignorable:
        older = "dropped (ignorable)"
    if change.kind == "field-removed" and versions & tagged:
        return f"removed from {counted(versions & tagged)}: skipped by peers with this change"
    if change.kind == "field-versions-changed" and not in_both and first not in field.present:
        still = counted(valid & VersionSet.union(field.present))
        ends = f"ends before version {first}: still sent and read in {still}"
        return f"{ends}; from version {first} on {older}"
    if change.kind != "field-added" or in_both - tagged:
        return ""
    parts = ["skipped by peers without this change"] if in_both else []
    if head.type in HALVES and head.valid_versions.lowest < first:
        than = f" than version {first}" if in_both else ""
        parts.append(f"where the peer is older{than}, {older}")
    begins = f"new in {counted(versions)}"
    return f"{begins}: {'; '.join(parts)}" if parts else begins


def _acts(
    base: Message | None, head: Message | None, broken: VersionSet, released: Released
) -> Iterator[str]:
    """The sentences on who must act, what breaks and what is removed first."""
    message = head or base
    if message is None:
        return
    before = Versions.NONE if base is None else base.valid_versions
    after = Versions.NONE if head is None else head.valid_versions
    served = Served.of(message)
    if broken:
        yield _misread(message, broken, served)
    if base is not None and (removed := before - after) and not released.is_nothing:
        since = _deprecation(released.deprecated(message.identity), removed)
        yield f"{_which(removed)} removed{since}{_lost(base, after, served, removed)}."
    added = after - before
    frozen = released.versions(message.identity)
    # Versions count from 0: those below base were there before.
    back = VersionSet.of(each for each in added if each in frozen or each < before.lowest)
    if back:
        yield _returned(message, back, served, first_release(frozen, {*back}))
    if fresh := added - back:
        is_new = base is None and not back
        yield _new(message, fresh, served, is_new=is_new)
    marked = message.deprecated_versions - (base.deprecated_versions if base else Versions.NONE)
    if deprecated := marked & VersionSet.union(after):
        newer = after - message.deprecated_versions
        move = f": move to {counted(newer)}{served.words([min(newer)])}" if newer else ""
        yield f"{_which(deprecated)} deprecated{move}."


def _misread(message: Message, broken: VersionSet, served: Served) -> str:
    """The sentence on versions that break."""
    versions = counted(broken)
    if _is_negotiated(message):
        by = served.words(broken)
        return f"Peers with and without this change misread each other in {versions}{by}."
    return f"Data in {versions} is misread across this change, in both directions."


def _deprecation(deprecated: Mapping[int, str], removed: VersionSet) -> str:
    """Since when versions that are removed were deprecated; "" if some were not."""
    if not deprecated.keys() >= {*removed}:
        return ""
    since = ", ".join(dict.fromkeys(deprecated[version] for version in removed))
    return f" (deprecated since {since})" if since else " (deprecated before)"


def _lost(base: Message, after: Versions, served: Served, removed: VersionSet) -> str:
    """Whom the removal of some versions of a message cuts off; the version of a header follows from
    that of its message."""
    if base.type == "header":
        return ""
    if base.type not in HALVES:
        return ": older data cannot be read"
    who = senders(base)
    if not after:
        return f": {who} must work without the API{served.words(removed)}"
    then = f"need {counted(after)}"
    if releases := served.only_below(after.lowest):
        then = f"of {base.profile.product} {releases} are cut off"
    return f": {who} {then}{served.words([after.lowest])}"


def _returned(message: Message, back: VersionSet, served: Served, first: str | None) -> str:
    """The sentence on versions that are valid again; `first` is a release that has them."""
    if not _is_negotiated(message):
        return f"{_which(back)} back: older data can be read again."
    peers = f"{first} and later releases" if first else "peers of releases"
    return f"{_which(back)} back{served.words(back) or f': known to {peers} that have them'}."


def _new(message: Message, fresh: VersionSet, served: Served, *, is_new: bool) -> str:
    """The sentence on new versions of a message, or on a message that is new itself."""
    what = f"{_which(fresh)} new"
    if is_new:
        what = "A new API" if message.type in HALVES else "A new message"
    since = ": readers need it before writers"
    if _is_negotiated(message):
        since = served.words([max(fresh)]) or ": unknown to peers without this change"
    return f"{what}{_unstable(message, fresh)}{since}."


def _unstable(message: Message, fresh: VersionSet) -> str:
    """The mark of new versions of which the highest one is unstable."""
    highest = message.valid_versions.highest
    if not message.latest_version_unstable or highest not in fresh:
        return ""
    return " (unstable)" if len(fresh) == 1 else f" (version {highest} is unstable)"


def _is_negotiated(message: Message) -> bool:
    """Whether peers agree on a version of the message; of data, the writer chooses it."""
    return message.type in (*HALVES, "header")


def _which(versions: VersionSet) -> str:
    """The subject of a sentence on some versions, with its verb: "Versions 1-3 are"."""
    return f"{counted(versions).capitalize()} {'are' if len(versions) > 1 else 'is'}"
