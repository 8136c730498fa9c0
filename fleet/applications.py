"""What the requests of each application mean at the target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from wirebook.fleet.advice import (
    API_VERSIONS,
    Confidence,
    action,
    api_name,
    confidence,
    software_of,
)
from wirebook.fleet.counts import MOST_IDS, Names
from wirebook.fleet.records import ApiUse, ApplicationUse, ClientIds, SoftwareUse
from wirebook.fleet.requests import UNKNOWN, Origin
from wirebook.fleet.uses import FleetUses, Use, added_up, grouped, moment, refused
from wirebook.fleet.verdicts import Status, Target
from wirebook.specs.versions import VersionSet

QUIET_DAYS = 7
_APART = timedelta(days=1)
_NAMED_SINCE = 3  # the version of ApiVersions by which clients name their software
_SAMPLES = 5


class CutOffState(StrEnum):
    """What is known about an application that is cut off; the most urgent first."""

    ACTIVE = "active"
    QUIET = "quiet"
    UPGRADED = "upgraded"


@dataclass
class SeenApplication:
    """What is known of an application: its own requests, and whether brokers and controllers send as it."""

    names: Names
    own: list[Use] = field(default_factory=list)
    is_server: bool = False

    @property
    def worst(self) -> Status:
        """The worst status of its requests."""
        order = (Status.REFUSED, Status.UNKNOWN, Status.DEPRECATED)
        statuses = {use.status for use in self.own}
        return next((status for status in order if status in statuses), Status.SERVED)

    @property
    def is_cut_off(self) -> bool:
        """Whether it is a client of which the target refuses requests; it may be upgraded meanwhile."""
        return not self.is_server and bool(refused(self.own))


def seen_applications(uses: Iterable[Use]) -> dict[Names, SeenApplication]:
    """The applications of a fleet, with the requests that count as theirs.

    A controller logs a request again that a broker has forwarded: those count only for applications of which
    no log of a broker shows a request.
    """
    applications: dict[Names, SeenApplication] = {}
    forwarded: dict[Names, list[Use]] = defaultdict(list)
    for use in uses:
        seen = applications.setdefault(use.names, SeenApplication(use.names))
        if use.origin is Origin.SERVER:
            seen.is_server = True
        elif use.origin is Origin.FORWARDED:
            forwarded[use.names].append(use)
        else:
            seen.own.append(use)
    for seen in applications.values():
        if not any(use.origin is Origin.CLIENT for use in seen.own):
            seen.own += forwarded.get(seen.names, ())
        seen.is_server &= all(use.api_key == API_VERSIONS for use in seen.own)
    return applications


def report(target: Target, fleet: FleetUses, seen: SeenApplication, end: str) -> ApplicationUse:
    """An application that the target cuts off; `end` is that of the logs."""
    bad = refused(seen.own)
    everything, cut = added_up(seen.own), added_up(bad)
    software = _software(seen.own)
    successor = _successor(software)
    unseen = _apart(cut.last, end).days if cut.last else None
    state = CutOffState.ACTIVE
    if successor is not None:
        state = CutOffState.UPGRADED
    elif (unseen or 0) >= QUIET_DAYS:
        state = CutOffState.QUIET
    sends = tuple(api_uses(target, seen.own))
    unserved = [use.api_key for use in sends if use.status == Status.REFUSED]
    ids = fleet.client_ids[seen.names]
    main = max(software, key=lambda name: added_up(refused(software[name])).requests)
    about = software_of(*main, ids[0] if ids else seen.names.application)
    keys = frozenset(use.api_key for use in seen.own if _is_of(use, main))
    sure, because = confidence(target, about, unserved, keys)
    if all(use.origin is Origin.FORWARDED for use in bad):
        sure, because = Confidence.POSSIBLE, "no log of a broker shows these requests"
    replaced_by = None if successor is None else software_of(*successor, "").words
    return ApplicationUse(
        name=fleet.shown(seen.names),
        pattern=seen.names.application,
        principal=seen.names.principal,
        owner=seen.names.owner,
        client_ids=ClientIds(len(ids), len(ids) < MOST_IDS, tuple(ids[:_SAMPLES])),
        software=tuple(sorted(_software_uses(software), key=lambda use: -use.refused)),
        requests=everything.requests,
        refused=cut.requests,
        first_seen=moment(everything.first),
        last_seen=moment(everything.last),
        last_refused=moment(cut.last),
        unseen_days=unseen,
        state=state.value,
        sends=sends,
        action=action(target, about, unserved, replaced_by),
        confidence=sure.value,
        because=because,
    )


def _is_of(use: Use, software: tuple[str, str]) -> bool:
    """Whether requests are by a software; ApiVersions 3+, logged without software, is by one with a name."""
    if use.api_key == API_VERSIONS and use.software == UNKNOWN and use.version >= _NAMED_SINCE:
        return software[0] != UNKNOWN
    return (use.software, use.software_version) == software


def _software(own: Iterable[Use]) -> dict[tuple[str, str], list[Use]]:
    """The requests of an application by software.

    A broker learns the software from ApiVersions, and logs that request itself without it (SocketServer): it
    does not show that other software is still in use.
    """
    software = grouped(own, lambda use: (use.software, use.software_version))
    nameless = software.get((UNKNOWN, UNKNOWN), ())
    if len(software) > 1 and not _last_working(nameless) and not refused(nameless):
        software.pop((UNKNOWN, UNKNOWN), None)
    return software


def _apart(first: str, last: str) -> timedelta:
    return datetime.fromisoformat(last) - datetime.fromisoformat(first)


def _last_working(uses: Iterable[Use]) -> str:
    """The last request but for those of ApiVersions."""
    return added_up(use for use in uses if use.api_key != API_VERSIONS).last


def _software_uses(software: Mapping[tuple[str, str], list[Use]]) -> Iterator[SoftwareUse]:
    for (name, version), uses in sorted(software.items()):
        span = added_up(uses)
        yield SoftwareUse(name, version, span.requests, added_up(refused(uses)).requests, moment(span.last))


def _successor(software: Mapping[tuple[str, str], list[Use]]) -> tuple[str, str] | None:
    """The software that has replaced all that sent refused requests, for a day or more; None if none has."""
    ended = [_last_working(uses) for uses in software.values() if refused(uses)]
    if not all(ended):
        return None
    end = max(ended)
    others = {name: _last_working(uses) for name, uses in software.items() if not refused(uses)}
    later = {name: last for name, last in others.items() if last and _apart(end, last) >= _APART}
    return max(later, key=lambda name: (later[name], name), default=None)


def api_uses(target: Target, uses: Iterable[Use]) -> Iterator[ApiUse]:
    """What the target does not simply serve, by API and status."""
    notable = (use for use in uses if use.status is not Status.SERVED)
    for (key, status), some in sorted(grouped(notable, lambda use: (use.api_key, use.status)).items()):
        span, versions = added_up(some), {use.version for use in some}
        yield ApiUse(
            api_key=key,
            api=api_name(key),
            versions=str(VersionSet.of(versions)),
            status=status.value,
            requests=span.requests,
            first_seen=moment(span.first),
            last_seen=moment(span.last),
            target_serves=str(target.served(key)),
            last_served_by=target.last_served(key, max(versions)) if status is Status.REFUSED else "",
        )
