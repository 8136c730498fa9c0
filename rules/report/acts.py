"""Who must act on a change of an API: clients, servers and readers, and from which release on.

The releases are those of the table of Kafka's releases; of other protocols they are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.report.words import of_half
from wirebook.specs.kafka.served import Served
from wirebook.specs.model import Field, Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions, VersionSet, counted

SAID = (
    "message-added", "message-removed", "versions-added", "versions-removed", "versions-deprecated",
    "listener-removed", "version-made-unstable", "version-made-stable",
)  # fmt: skip


@dataclass
class Subject:
    """An API, or a message outside any API: its messages on both sides, what changes, and what is
    found.

    `broken` are the errors on the wire, waived or not, with the versions of a message that each
    breaks.
    """

    title: str
    pairs: list[tuple[Message | None, Message | None]] = field(default_factory=list)
    changes: list[ProtocolChange] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    broken: list[VersionSet] = field(default_factory=list)

    @property
    def leading(self) -> tuple[Message | None, Message | None]:
        """The message that decides which version is sent: the request of an API, because responses
        follow."""
        requests = [
            pair for pair in self.pairs if any(each and each.type == "request" for each in pair)
        ]
        return (requests or self.pairs)[0]


def is_break(finding: Finding) -> bool:
    """Whether peers misread each other: an error on the wire, also one that is accepted."""
    return finding.severity is Severity.ERROR and finding.category is Category.WIRE


def union(sets: Iterable[VersionSet]) -> VersionSet:
    """The versions of several sets."""
    return VersionSet.union(*(part for versions in sets for part in versions.ranges))


def acts(subject: Subject, *, is_unreleased: bool) -> tuple[str, ...]:
    """The sentences on who must act, the most urgent first.

    If nothing `is_unreleased`, nobody depends on a version that is removed.
    """
    if not subject.pairs:
        return ()
    old, new = subject.leading
    message = new or old
    assert message is not None
    words = _Words(message)
    before, after = (Versions.NONE if each is None else each.valid_versions for each in (old, new))
    both = VersionSet.union(before & after)
    sentences = [words.broken(subject.broken, both)] if subject.broken else []
    if before - after and not is_unreleased:
        sentences.append(words.removed(before - after, after))
    changes = [change for change in subject.changes if change.message is message]
    for kind, sentence in (
        ("listener-removed", words.listener),
        ("versions-deprecated", words.deprecated),
        ("message-added", words.new_message),
        ("versions-added", words.added),
        ("version-made-unstable", words.unstable),
        ("version-made-stable", words.stable),
    ):
        # A new version that is unstable is not made so.
        if kind != "version-made-unstable" or after.highest in before:
            sentences += [sentence(change) for change in changes if change.kind == kind]
    return tuple(filter(None, sentences))


class _Words:
    """The sentences about one message, by the words of its protocol."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.valid = VersionSet.union(message.valid_versions)
        self.served = Served.of(message)
        self.servers = _servers(message)
        # Of a message outside any API, the writer chooses the version: readers must follow.
        self.is_read = message.type not in (*HALVES, "header")
        self.is_stored = message.type not in message.profile.headers.types
        names = {"data": "message", "metadata": "metadata record"}
        self.kind = names.get(message.type, message.type.replace("-", " "))

    def serving(self, version: int) -> str:
        """Which releases serve a version; "" if that is not known."""
        known = self.served.known(version) if self.served else ""
        when = known if known.startswith("since ") else f"in {known}"
        return f"; {self.servers} serve version {version} {when}" if known else ""

    def served_by(self, versions: VersionSet) -> str:
        """Which releases serve any of some versions; "" if that is not known."""
        releases = self.served.releases(versions) if self.served else ""
        return f", which releases {releases} serve" if releases else ""

    def broken(self, broken: Sequence[VersionSet], both: VersionSet) -> str:
        hurt = union(broken)
        unhurt = both - hurt
        everything = not all(broken) or (both and not unhurt)
        which = "all versions" if everything else counted(hurt)
        if self.message.type == "header":
            return f"Peers with and without this change misread each other's headers of {which}."
        if self.is_stored:
            return (
                f"Data written in {which} before this change may be misread after it, and the "
                "reverse."
            )
        rest = f" {_which(unhurt)} not affected." if unhurt and not everything else ""
        serving = self.served_by(hurt or both)
        return f"Peers with and without this change misread each other in {which}{serving}.{rest}"

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
        cut_off = self.served.only_below(lowest) if self.served else ""
        needed = f"version {lowest} or later" if max(versions) < lowest else counted(remaining)
        lost = (
            f"of {self.message.profile.product} {cut_off} are cut off"
            if cut_off
            else f"need {needed}"
        )
        return f"{what}: {who} {lost}{self.serving(lowest)}."

    def listener(self, change: ProtocolChange) -> str:
        last = self.served.last_with_listener(change.subject) if self.served else None
        serving = f"; releases up to {last} serve it there" if last else ""
        return f"Not served on the {change.subject} listener any more{serving}."

    def deprecated(self, change: ProtocolChange) -> str:
        versions = change.versions & self.valid
        newer = self.message.valid_versions - self.message.deprecated_versions
        move = f": move to {counted(newer)}{self.serving(min(newer))}" if newer else ""
        return f"{_which(versions)} deprecated{move}." if versions else ""

    def new_message(self, change: ProtocolChange) -> str:
        mark = ", unstable" if self.message.latest_version_unstable else ""
        if self.is_read:
            return f"A new {self.kind}{mark}: readers without this change do not know it."
        if self.message.type != "request":
            return ""
        negotiation = self.message.profile.negotiation
        listed = f"{self.servers} that list it in {negotiation.name}" if negotiation else ""
        return f"A new API{mark}: send it only to {listed or 'peers that support it'}."

    def added(self, change: ProtocolChange) -> str:
        versions = change.versions
        newest = max(versions)
        if self.is_read:
            used = f"{_they(versions)} {'written' if self.is_stored else 'sent'}"
            return f"Readers of this {self.kind} must support {counted(versions)} before {used}."
        if self.message.latest_version_unstable and newest == self.message.valid_versions.highest:
            others = versions - VersionSet.of([newest])
            also = f" {_which(others)} new, too." if others else ""
            return (
                f"Version {newest} is new and unstable: do not rely on it before it is "
                f"stable.{also}"
            )
        serving = (
            self.serving(newest) or f": peers without this change do not know {_them(versions)}"
        )
        return f"{_which(versions)} new{serving}."

    def unstable(self, change: ProtocolChange) -> str:
        return (
            f"{counted(change.versions).capitalize()} may change until it is stable: do not rely "
            "on it."
        )

    def stable(self, change: ProtocolChange) -> str:
        versions = change.versions & self.valid
        return f"{_which(versions)} now stable." if versions else ""


def of_fields(subject: Subject) -> dict[str, list[ProtocolChange]]:
    """What older peers make of new fields, and newer ones of removed tags: a sentence for fields of
    one fate, with their changes.

    In a version that breaks, nothing is certain: a finding says what happens.
    """
    fates: dict[tuple[str, str], list[ProtocolChange]] = {}
    pairs = {
        id(new): (old, new) for old, new in subject.pairs if old is not None and new is not None
    }
    found = {finding.field for finding in subject.findings if is_break(finding)}
    for change in subject.changes:
        if id(change.message) not in pairs or change.field in found:
            continue
        old, new = pairs[id(change.message)]
        versions = change.versions - union(subject.broken)
        fate = ""
        if change.kind == "field-added":
            fate = _of_new(_field(new, change.field), versions, old, new)
        elif change.kind == "field-removed":
            fate = _of_removed(_field(old, change.field), versions, new)
        if fate:
            fates.setdefault((of_half(new), fate), []).append(change)
    said: dict[str, list[list[ProtocolChange]]] = {}
    for (_, fate), changes in fates.items():
        fields = [f"{change.field} ({change.new or change.old})" for change in changes]
        words = fate.format(be="are" if fields[1:] else "is", them="them" if fields[1:] else "it")
        said.setdefault(f"{enumerated(fields)} {words}.", []).append(changes)
    # What both halves of an API have is said of neither.
    return {
        f"{'' if both[1:] else of_half(both[0][0].message)}{text}": [
            change for part in both for change in part
        ]
        for text, both in said.items()
    }


def _of_new(added: Field | None, versions: VersionSet, old: Message, new: Message) -> str:
    if added is None or not versions:
        return ""
    known = versions & VersionSet.union(old.valid_versions)
    if known - VersionSet.union(added.tagged_versions):
        return ""
    parts = ["peers without this change skip {them}"] if known else []
    first = min(versions)
    if new.type in HALVES and new.valid_versions.lowest < first:
        older = f"where the peer is older{f' than version {first}' if known else ''}"
        parts.append(
            f"dropped {older} (ignorable)"
            if added.ignorable
            else f"refused by the writer {older} (not ignorable)"
        )
    return ": ".join(filter(None, (f"{{be}} new in {counted(versions)}", "; ".join(parts))))


def _of_removed(removed: Field | None, versions: VersionSet, new: Message) -> str:
    if removed is None:
        return ""
    sent = versions & VersionSet.union(new.valid_versions & removed.tagged_versions)
    return (
        f"{{be}} removed from {counted(sent)}: peers with this change skip {{them}}" if sent else ""
    )


def _field(message: Message, path: str) -> Field | None:
    """The field at a path."""
    fields: Sequence[Field] = message.fields
    found = None
    for name in path.split("."):
        found = next((each for each in fields if each.name == name), None)
        if found is None:
            return None
        fields = message.fields_of(found) or ()
    return found


def _servers(message: Message) -> str:
    """Who serves an API: the servers of its listeners, if no listener that is named after the
    servers of the protocol has it.
    """
    profile = message.profile
    names, own = profile.listeners or (), profile.server.lower()
    are_others = message.listeners and not any(own in name.lower() for name in message.listeners)
    if are_others and any(own in name.lower() for name in names):
        return enumerated([f"{name}s" for name in message.listeners])
    return f"{profile.server}s"


def _which(versions: VersionSet) -> str:
    return f"{counted(versions).capitalize()} {'are' if len(versions) > 1 else 'is'}"


def _them(versions: VersionSet) -> str:
    return "them" if len(versions) > 1 else "it"


def _they(versions: VersionSet) -> str:
    return "they are" if len(versions) > 1 else "it is"
