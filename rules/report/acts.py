"""Who must act on a change of an API: clients, servers and readers, and from which release on.

The releases are those of the table of Kafka's releases; of other protocols they are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.specs.kafka.served import Served
from wirebook.specs.model import Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet, counted

# The changes of which the sentences on who must act are.
SAID = (
    "message-added", "message-removed", "versions-added", "versions-removed", "versions-deprecated",
)  # fmt: skip


@dataclass
class Subject:
    """An API, or a message outside any API: its messages on both sides, what changes, and what is
    found.

    `broken` are the versions of a message that each error on the wire breaks, waived or not.
    """

    title: str
    pairs: list[tuple[Message | None, Message | None]] = field(default_factory=list)
    changes: list[ProtocolChange] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    broken: list[VersionSet] = field(default_factory=list)


def is_break(finding: Finding) -> bool:
    """Whether peers misread each other: an error on the wire, also one that is accepted."""
    return finding.severity is Severity.ERROR and finding.category is Category.WIRE


def union(sets: Iterable[VersionSet]) -> VersionSet:
    """The versions of several sets."""
    return VersionSet.union(*(part for versions in sets for part in versions.ranges))


def acts(subject: Subject, *, is_unreleased: bool) -> list[str]:
    """The sentences on who must act, what breaks and what is removed first.

    If nothing `is_unreleased`, nobody depends on a version that is removed.
    """
    if not subject.pairs:
        return []
    # The request decides which version is sent: responses follow.
    requests = [
        pair for pair in subject.pairs if any(each and each.type == "request" for each in pair)
    ]
    old, new = (requests or subject.pairs)[0]
    message = new or old
    assert message is not None
    before, after = (Versions.NONE if each is None else each.valid_versions for each in (old, new))
    words = _Words(message)
    said = []
    if subject.broken:
        said.append(words.broken(subject.broken, VersionSet.union(before & after)))
    if before - after and not is_unreleased:
        said.append(words.removed(before - after, after))
    for change in subject.changes:
        if change.message is message and change.kind in SAID:
            said.append(words.of(change))
    return list(filter(None, said))


class _Words:
    """The sentences about one message, by the words of its protocol."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.valid = message.valid_versions
        self.served = Served.of(message)
        # Of a message outside any API, the writer chooses the version: readers must follow.
        self.is_read = message.type not in (*HALVES, "header")
        self.is_stored = message.type not in HALVES
        names = {"data": "message", "metadata": "metadata record"}
        self.kind = names.get(message.type, message.type.replace("-", " "))

    def serving(self, version: int) -> str:
        """Which releases serve a version; "" if that is not known."""
        known = self.served.known(version)
        when = known if known.startswith("since ") else f"in {known}"
        return f"; {_servers(self.message)} serve version {version} {when}" if known else ""

    def served_by(self, versions: VersionSet) -> str:
        """Which releases serve any of some versions; "" if that is not known."""
        releases = self.served.releases(versions)
        return f", which releases {releases} serve" if releases else ""

    def broken(self, broken: list[VersionSet], both: VersionSet) -> str:
        hurt = union(broken)
        everything = not all(broken) or (both and not both - hurt)
        which = "all versions" if everything else counted(hurt)
        if self.message.type == "header":
            return f"Peers with and without this change misread each other's headers of {which}."
        if self.is_stored:
            before = f"Data written in {which} before this change"
            return f"{before} may be misread after it, and the reverse."
        served = self.served_by(hurt or both)
        return f"Peers with and without this change misread each other in {which}{served}."

    def removed(self, versions: VersionSet, remaining: Versions) -> str:
        what = f"{_which(versions)} removed"
        if self.message.type == "header":
            return f"{what}."
        if self.is_read and self.is_stored:
            return f"{what}: data written in {_them(versions)} is not readable any more."
        who, thing = ("readers", "message") if self.is_read else ("clients", "API")
        if not remaining:
            return f"{what}: {who} must work without the {thing}{self.served_by(versions)}."
        lowest = remaining.lowest
        needed = f"version {lowest} or later" if max(versions) < lowest else counted(remaining)
        old = self.served.only_below(lowest)
        lost = f"of {self.message.profile.product} {old} are cut off" if old else f"need {needed}"
        return f"{what}: {who} {lost}{self.serving(lowest)}."

    def of(self, change: ProtocolChange) -> str:
        """The sentence on a change of one of SAID; "" for none."""
        if change.kind == "versions-deprecated":
            return self.deprecated(change)
        if change.kind == "versions-added":
            return self.added(change.versions)
        return self.new_message() if change.kind == "message-added" else ""

    def deprecated(self, change: ProtocolChange) -> str:
        versions = change.versions & VersionSet.union(self.valid)
        newer = self.valid - self.message.deprecated_versions
        move = f": move to {counted(newer)}{self.serving(min(newer))}" if newer else ""
        return f"{_which(versions)} deprecated{move}." if versions else ""

    def new_message(self) -> str:
        if self.is_read:
            return f"A new {self.kind}: readers without this change do not know it."
        if self.message.type != "request":
            return ""
        negotiation = self.message.profile.negotiation
        peers = "peers that support it"
        if negotiation:
            peers = f"{_servers(self.message)} that list it in {negotiation.name}"
        return f"A new API: send it only to {peers}."

    def added(self, versions: VersionSet) -> str:
        if self.is_read:
            before = f"{_they_are(versions)} {'written' if self.is_stored else 'sent'}"
            return f"Readers of this {self.kind} must support {counted(versions)} before {before}."
        unknown = f": peers without this change do not know {_them(versions)}"
        return f"{_which(versions)} new{self.serving(max(versions)) or unknown}."


def fate(subject: Subject, change: ProtocolChange, broken: VersionSet) -> str:
    """What older peers make of a new field, and newer ones of a removed tag, in words that follow
    its name; "" for other changes.

    In a version that breaks, nothing is certain: a finding says what happens.
    """
    new, declared = change.message, change.declared
    old = next((each for each, other in subject.pairs if other is new), None)
    if new is None or old is None or declared is None:
        return ""
    if any(each.field == change.field for each in subject.findings if is_break(each)):
        return ""
    versions = change.versions - broken
    tagged = VersionSet.union(declared.tagged_versions)
    if change.kind == "field-removed":
        sent = versions & tagged & VersionSet.union(new.valid_versions)
        return f"removed from {counted(sent)}: skipped by peers with this change" if sent else ""
    known = versions & VersionSet.union(old.valid_versions)
    if not versions or known - tagged:
        return ""
    parts = ["skipped by peers without this change"] if known else []
    first = min(versions)
    if new.type in HALVES and new.valid_versions.lowest < first:
        what = "dropped" if declared.ignorable else "refused by the writer"
        than = f" than version {first}" if known else ""
        mark = "ignorable" if declared.ignorable else "not ignorable"
        parts.append(f"{what} where the peer is older{than} ({mark})")
    return ": ".join(filter(None, (f"new in {counted(versions)}", "; ".join(parts))))


def _servers(message: Message) -> str:
    """Who serves an API: the servers of its listeners, if no listener that is named after the
    servers of the protocol has it.
    """
    profile = message.profile
    own = profile.server.lower()
    named = [name for name in profile.listeners or () if own in name.lower()]
    if named and message.listeners and not {*named} & {*message.listeners}:
        return enumerated([f"{name}s" for name in message.listeners])
    return f"{profile.server}s"


def _which(versions: VersionSet) -> str:
    return f"{counted(versions).capitalize()} {'are' if len(versions) > 1 else 'is'}"


def _they_are(versions: VersionSet) -> str:
    return "they are" if len(versions) > 1 else "it is"


def _them(versions: VersionSet) -> str:
    return "them" if len(versions) > 1 else "it"
