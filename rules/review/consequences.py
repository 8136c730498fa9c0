"""Who must act on a change: clients, servers and releases, by the table of releases in the profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wirebook.rules.diff.kinds import CODE, WIRE, ProtocolChange
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.report.changes import by_api
from wirebook.specs.kafka.served import Served
from wirebook.specs.model import Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES, NEUTRAL, Profile
from wirebook.specs.versions import Versions, VersionSet, counted

SINCE = "since "
Before = Mapping[int, Message | None]  # by the id of a message of the new side: its old version


class Cause(StrEnum):
    """Why somebody has to act; the most urgent first."""

    BROKEN = "broken"
    REMOVED = "removed"
    LISTENER = "listener"
    DEPRECATED = "deprecated"
    ADDED = "added"
    STABILITY = "stability"
    CODE = "code"


TITLES = {
    Cause.BROKEN: "Incompatible versions",
    Cause.REMOVED: "Removed versions",
    Cause.LISTENER: "Listeners",
    Cause.DEPRECATED: "Deprecated versions",
    Cause.ADDED: "New versions",
    Cause.STABILITY: "Stability",
    Cause.CODE: "Generated code",
}
COLUMNS = {
    Cause.REMOVED: ("removed", "served by", "lowest that remains", "served since", "clients cut off"),
    Cause.DEPRECATED: ("deprecated", "move to", "served since"),
    Cause.ADDED: ("new", "known", "clients not affected"),
}


@dataclass(frozen=True)
class Consequence:
    """The effect on one API, as a sentence and, if its cause has COLUMNS, as the cells of a row."""

    cause: Cause
    api: str
    words: str
    cells: tuple[str, ...] = ()


def consequences(
    changes: Sequence[ProtocolChange],
    before: Before,
    findings: Sequence[Finding],
    *,
    is_unreleased: bool = False,
) -> tuple[Consequence, ...]:
    """What the changes require of others, the most urgent cause first, each in the order of the APIs.

    If the protocol `is_unreleased`, no client depends on a version that is removed.
    """
    every = [
        consequence
        for title, part in by_api(changes)
        for consequence in _Api(title, part, before, findings).consequences()
        if not (is_unreleased and consequence.cause is Cause.REMOVED)
    ]
    rank = list(Cause)
    return tuple(sorted(dict.fromkeys(every), key=lambda consequence: rank.index(consequence.cause)))


class _Api:
    """An API, or a message outside any API, with its changes."""

    def __init__(
        self,
        title: str,
        changes: Sequence[ProtocolChange],
        before: Before,
        findings: Sequence[Finding],
    ) -> None:
        self.title = title
        self.changes = changes
        messages = {id(change.message): change.message for change in changes if change.message}
        # Clients choose what requests to send; the response follows.
        self.request = next((message for message in messages.values() if message.type == "request"), None)
        self.message = self.request or next(iter(messages.values()), None)
        self.served: Served | None = None
        if self.message is not None:
            self.served = Served.of(self.message)
        self.before = before
        profile = self.message.profile if self.message is not None else NEUTRAL
        # Of a message outside any API, the writer chooses the version: readers must follow.
        self.is_read = self.message is not None and self.message.type not in (*HALVES, "header")
        self.is_stored = self.message is None or self.message.type not in profile.headers.types
        self.servers, self.product = _servers(profile, self.request), profile.product
        names = {(message.type, message.name) for message in messages.values()}
        # Another protocol may have messages of the same names.
        sides = (*messages.values(), *map(before.get, messages))
        paths = {message.path for message in sides if message is not None}
        self.broken = [
            finding
            for finding in findings
            if (finding.message_type, finding.message_name) in names
            and any(
                place is not None and place.path in paths for place in (finding.location, finding.previous)
            )
            and finding.severity is Severity.ERROR
            and finding.category is Category.WIRE
            and finding.waived is None
        ]

    def consequences(self) -> Iterator[Consequence]:
        if self.message is None:
            return
        if self.broken:
            yield self._of(Cause.BROKEN, self._broken(self.message))
        for change in self.changes:
            if change.message is not None:
                yield from self._change(change, change.message)
        if any(change.effect == CODE for change in self.changes):
            words = "Names or attributes change: regenerate code from the specs."
            if all(change.effect != WIRE for change in self.changes):
                words += " The bytes do not change."
            yield self._of(Cause.CODE, words)

    def _of(self, cause: Cause, words: str, *cells: str) -> Consequence:
        return Consequence(cause, self.title, words, cells)

    def _hurt(self) -> VersionSet:
        return VersionSet.union(*(part for finding in self.broken for part in finding.versions.ranges))

    def _broken(self, message: Message) -> str:
        versions = self._hurt()
        which = counted(versions) if versions else "all versions"
        if self.is_stored:
            stored = f"Data written in {which} before this change may be misread after it, and the reverse."
            headers = f"Peers with and without this change misread each other's headers of {which}."
            return headers if message.type == "header" else stored
        words = f"Peers with and without this change misread or refuse each other's messages in {which}."
        releases = self.served.releases(versions) if self.served else ""
        if releases:
            many = len(versions) > 1
            words += f" Releases that serve {'them' if many else 'it'}: {releases}."
        unaffected = self._unaffected()
        if versions and unaffected:
            words += f" {counted(unaffected).capitalize()} {_be(unaffected)} not affected."
        return words

    def _unaffected(self) -> VersionSet:
        """The versions of both sides without an error on the wire."""
        message = self.message
        old = None if message is None else self.before.get(id(message))
        if message is None or old is None:
            return VersionSet.NONE
        hurt = self._hurt()
        if self.broken and not hurt:
            return VersionSet.NONE
        return VersionSet.union(old.valid_versions & message.valid_versions) - hurt

    def _change(self, change: ProtocolChange, message: Message) -> Iterator[Consequence]:
        kind, versions = change.kind, change.versions
        # The halves of an API agree; only requests are sent by choice.
        is_choice = message.type == "request" or (message.type == "response" and self.request is None)
        is_choice = is_choice or self.is_read
        valid = VersionSet.union(message.valid_versions)
        if kind == "versions-added" and is_choice:
            yield from self._new(versions, message)
        elif kind == "versions-removed" and is_choice:
            yield self._removed(versions, message.valid_versions)
        elif kind == "versions-deprecated" and is_choice and versions & valid:
            yield self._deprecated(versions & valid, message)
        elif kind == "message-added" and message.type == "request":
            words = "A new API: send it only to peers that support it."
            negotiation = message.profile.negotiation
            if negotiation is not None:
                words = f"A new API: send it only to {self.servers} that list it in {negotiation.name}."
            yield self._of(Cause.ADDED, words, str(message.valid_versions), *self._known(message), "")
        elif kind == "message-added" and self.is_read:
            words = f"A new {_kind(message)}: readers without this change do not know it."
            yield self._of(Cause.ADDED, words, str(message.valid_versions), "", "")
        elif kind == "message-removed" and is_choice and valid:
            yield self._removed(valid, Versions.NONE)
        elif kind == "listener-removed":
            last = self.served.last_with_listener(change.subject) if self.served else None
            serving = f" Releases up to {last} serve it there." if last else ""
            words = f"No longer served on the {change.subject} listener.{serving}"
            yield self._of(Cause.LISTENER, words)
        elif kind == "version-made-unstable":
            old = self.before.get(id(message))
            if old is not None and message.valid_versions.highest in old.valid_versions:
                words = f"{counted(versions).capitalize()} may change until it is stable: do not rely on it."
                yield self._of(Cause.STABILITY, words)
        elif kind == "version-made-stable" and versions & valid:
            yield self._of(Cause.STABILITY, f"{counted(versions).capitalize()} is now stable.")

    def _known(self, message: Message) -> tuple[str]:
        return (self._served_since(VersionSet.union(message.valid_versions)),)

    def _served_since(self, versions: VersionSet) -> str:
        """Since when versions are served, for a table."""
        if self.served is None:
            return ""
        known = _known(self.served, versions)
        if len(known) == 1:
            return next(iter(known)) or f"no release up to {self.served.newest}"
        return "; ".join(f"{part}: {releases or 'no release'}" for releases, part in known.items())

    def _new(self, versions: VersionSet, message: Message) -> Iterator[Consequence]:
        newest = [message.valid_versions.highest] if message.latest_version_unstable else []
        stable, unstable = versions - VersionSet.of(newest), versions & VersionSet.of(newest)
        if stable:
            yield self._added(stable, message)
        if unstable:
            yield self._unstable(unstable)

    def _unstable(self, version: VersionSet) -> Consequence:
        words = f"{counted(version).capitalize()} is new and unstable: do not rely on it before it is stable."
        return self._of(Cause.ADDED, words, f"{version} (unstable)", self._served_since(version), "")

    def _added(self, versions: VersionSet, message: Message) -> Consequence:
        numbers = counted(versions)
        if self.is_read:
            used = f"{_be(versions)} {'written' if self.is_stored else 'sent'}"
            before = f"before {'they' if len(versions) > 1 else 'it'} {used}"
            words = f"Readers of this {_kind(message)} must support {numbers} {before}."
            return self._of(Cause.ADDED, words, str(versions), "", "")
        parts = []
        if self.served is None:
            parts.append(f"Peers without this change do not know {numbers}")
        else:
            for releases, part in _known(self.served, versions).items():
                if releases.startswith(SINCE):
                    words = f"{self.servers} before {releases.removeprefix(SINCE)} do not know"
                elif releases:
                    words = f"only {self.servers} of {releases} know"
                else:
                    words = f"no release up to {self.served.newest} serves"
                parts.append(f"{words if parts else words[0].upper() + words[1:]} {counted(part)}")
        stay = self._unaffected()
        if stay:
            parts.append(f"clients on {counted(stay)} are not affected")
        cells = (str(versions), self._served_since(versions), f"on {counted(stay)}" if stay else "")
        return self._of(Cause.ADDED, f"{'; '.join(parts)}.", *cells)

    def _removed(self, versions: VersionSet, remaining: Versions) -> Consequence:
        served = self.served
        words = f"{counted(versions).capitalize()} {_be(versions)} removed."
        if self.is_read and self.is_stored:
            written = "them" if len(versions) > 1 else "it"
            words = f"{words[:-1]}: data written in {written} is no longer readable."
            left = str(remaining.lowest) if remaining else "none"
            return self._of(Cause.REMOVED, words, str(versions), "", left, "", "")
        releases = served.releases(versions) if served else ""
        if releases:
            words += f" Releases that serve {'them' if len(versions) > 1 else 'it'}: {releases}."
        since = served.since(remaining.lowest) if served and remaining else None
        who, what = ("Readers", "message") if self.is_read else ("Clients", "API")
        if not remaining:
            words += f" {who} must work without the {what}."
        else:
            serving = f", which {self.servers} serve since {since}" if since else ""
            is_raised = max(versions) < remaining.lowest
            needed = (
                f"version {remaining.lowest} or later" if is_raised else counted(VersionSet.union(remaining))
            )
            words += f" {who} need {needed}{serving}."
        cut_off = served.only_below(remaining.lowest) if served and remaining else ""
        words += f" Clients of {self.product} {cut_off} are cut off." if cut_off else ""
        cells = (
            releases,
            str(remaining.lowest) if remaining else "none",
            f"since {since}" if since else "",
            cut_off,
        )
        return self._of(Cause.REMOVED, words, str(versions), *cells)

    def _deprecated(self, versions: VersionSet, message: Message) -> Consequence:
        newer = message.valid_versions - message.deprecated_versions
        first = next(iter(newer), None)
        since = self.served.since(first) if self.served and first is not None else None
        if first is None:
            words = f"{counted(versions).capitalize()} {_be(versions)} deprecated, and no other is left."
            return self._of(Cause.DEPRECATED, words, str(versions), "none", "")
        serving = f", which {self.servers} serve since {since}" if since else ""
        words = f"{counted(versions).capitalize()} {_be(versions)} deprecated: move to {counted(newer)}"
        if len(newer) > 1 and since:
            words += f", and {self.servers} serve version {first} since {since}."
        words += "" if words.endswith(".") else f"{serving}."
        cells = (str(versions), str(newer), f"since {since}" if since else "")
        return self._of(Cause.DEPRECATED, words, *cells)


def _known(served: Served, versions: VersionSet) -> dict[str, VersionSet]:
    """Versions by the releases that serve them, "" for none, in ascending order of the versions."""
    by_releases: dict[str, list[int]] = {}
    for version in versions:
        by_releases.setdefault(served.known(version), []).append(version)
    return {releases: VersionSet.of(part) for releases, part in by_releases.items()}


def _servers(profile: Profile, request: Message | None) -> str:
    """Who serves an API: the servers of its listeners, if no listener that is named after the servers of the
    protocol has it.
    """
    listeners = (request.listeners if request is not None else None) or ()
    names, own = profile.listeners or (), profile.server.lower()
    are_others = listeners and not any(own in name.lower() for name in listeners)
    if are_others and any(own in name.lower() for name in names):
        return enumerated([f"{name}s" for name in listeners])
    return f"{profile.server}s"


def _kind(message: Message) -> str:
    """What sentences call a message outside any API: "event", "coordinator value"."""
    names = {"data": "message", "metadata": "metadata record"}
    return names.get(message.type, message.type.replace("-", " "))


def _be(versions: VersionSet) -> str:
    return "are" if len(versions) > 1 else "is"
