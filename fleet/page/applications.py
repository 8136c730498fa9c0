"""What the requests of each application mean at the target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from wirebook.fleet.counting.counting import KEPT
from wirebook.fleet.page.records import ApiUse, ApplicationUse, ClientIds, SoftwareUse
from wirebook.fleet.page.uses import Application, FleetTables, UsedVersion, added_up, moment
from wirebook.fleet.requests import UNKNOWN, Origin
from wirebook.fleet.verdicts.advice import (
    API_VERSIONS,
    Confidence,
    Sent,
    action,
    advice,
    api_name,
    confidence,
    software_of,
)
from wirebook.fleet.verdicts.verdicts import Evidence, Status, Target
from wirebook.specs.versions import VersionSet

QUIET_DAYS = 7
_APART = timedelta(days=1)
_NAMED_SINCE = 3  # the version of ApiVersions by which clients name their software
_SOURCES = {
    Origin.CLIENT: "request log",
    Origin.FORWARDED: "forwarded requests in the log of a controller",
    Origin.INSTANCE: "client telemetry",
}


class CutOffState(StrEnum):
    """What is known about an application that is cut off; the most urgent first."""

    ACTIVE = "active"
    QUIET = "quiet"
    UPGRADED = "upgraded"


@dataclass
class SeenApplication:
    """What is known of an application: its own requests, and whether brokers and controllers send as it."""

    application: Application
    own: list[UsedVersion] = field(default_factory=list)
    is_server: bool = False
    worst: Status = Status.SERVED


def seen_applications(target: Target, uses: Iterable[UsedVersion]) -> dict[Application, SeenApplication]:
    """The applications of a fleet, with the requests that count as theirs.

    A controller logs a request again that a broker has forwarded: those count only for applications of which
    no log of a broker shows a request.
    """
    applications: dict[Application, SeenApplication] = {}
    forwarded: dict[Application, list[UsedVersion]] = defaultdict(list)
    for use in uses:
        if use.origin is Origin.METRICS:
            continue
        seen = applications.setdefault(use.application, SeenApplication(use.application))
        if use.origin is Origin.SERVER:
            seen.is_server = True
        elif use.origin is Origin.FORWARDED:
            forwarded[use.application].append(use)
        else:
            seen.own.append(use)
    for seen in applications.values():
        if not any(use.origin is Origin.CLIENT for use in seen.own):
            seen.own += forwarded.get(seen.application, ())
        seen.is_server &= all(use.api_key == API_VERSIONS for use in seen.own)
        statuses = {target.verdict(use.api_key, use.version).status for use in seen.own}
        order = (Status.REFUSED, Status.UNKNOWN, Status.DEPRECATED, Status.SERVED)
        seen.worst = next((status for status in order if status in statuses), Status.SERVED)
    return applications


@dataclass
class _Software:
    """The requests of one software of an application."""

    requests: int = 0
    refused: int = 0
    last: datetime | None = None
    last_working: datetime | None = None


def report(
    target: Target, fleet: FleetTables, seen: SeenApplication, evidence: Evidence, end: datetime | None
) -> ApplicationUse:
    """An application that the target cuts off."""
    bad = [use for use in seen.own if target.verdict(use.api_key, use.version).status is Status.REFUSED]
    everything, refused = added_up(seen.own), added_up(bad)
    software = _software(seen.own, bad)
    successor = _successor(software)
    unseen = None if refused.last is None or end is None else (end - refused.last).days
    state = CutOffState.ACTIVE
    if successor is not None:
        state = CutOffState.UPGRADED
    elif (unseen or 0) >= QUIET_DAYS:
        state = CutOffState.QUIET
    sends = tuple(api_uses(target, seen.own))
    sent = [
        Sent(item.api_key, VersionSet.parse(item.versions), item.requests)
        for item in sends
        if item.status == Status.REFUSED
    ]
    ids = fleet.ids[seen.application]
    main = max(software, key=lambda name: software[name].refused)
    about = software_of(*main, ids.names[0] if ids.names else seen.application.name)
    keys = frozenset(use.api_key for use in seen.own if _is_of(use, main))
    sure, because = confidence(target, about, sent, keys)
    origins = {use.origin for use in bad}
    if Origin.CLIENT not in origins:
        sure, because = Confidence.POSSIBLE, "no log of a broker shows these requests"
    elif {(use.api_key, use.version) for use in bad} <= evidence.beyond:
        sure, because = Confidence.POSSIBLE, "brokers that are otherwise like the target serve them"
    replaced_by = None if successor is None else software_of(*successor, "").words
    return ApplicationUse(
        name=fleet.shown(seen.application),
        pattern=seen.application.name,
        principal=seen.application.principal,
        owner=seen.application.owner,
        client_ids=ClientIds(ids.number, len(ids.hashes) < KEPT, ids.names),
        software=tuple(
            SoftwareUse(name, version, one.requests, one.refused, moment(one.last))
            for (name, version), one in sorted(software.items(), key=lambda item: (-item[1].refused, item[0]))
        ),
        requests=everything.requests,
        refused=refused.requests,
        first_seen=moment(everything.first),
        last_seen=moment(everything.last),
        last_refused=moment(refused.last),
        unseen_days=unseen,
        state=state.value,
        sends=sends,
        action=action(target, about, sent, replaced_by),
        confidence=sure.value,
        because=because,
        sources=tuple(_SOURCES[origin] for origin in sorted(origins)),
        advice=tuple(advice(target, about, sent, keys)),
    )


def _is_of(use: UsedVersion, software: tuple[str, str]) -> bool:
    """Whether requests are by a software; ApiVersions 3+, logged without software, is by one with a name."""
    if use.api_key == API_VERSIONS and use.software == UNKNOWN and use.version >= _NAMED_SINCE:
        return software[0] != UNKNOWN
    return (use.software, use.software_version) == software


def _software(own: Iterable[UsedVersion], bad: Iterable[UsedVersion]) -> dict[tuple[str, str], _Software]:
    """The requests of an application by software.

    A broker learns the software from ApiVersions, and logs that request itself without it (SocketServer): it
    does not show that other software is still in use.
    """
    software: dict[tuple[str, str], _Software] = defaultdict(_Software)
    for use in own:
        one = software[use.software, use.software_version]
        one.requests += use.requests
        if use.last is not None:
            one.last = use.last if one.last is None else max(one.last, use.last)
            if use.api_key != API_VERSIONS:
                one.last_working = use.last if one.last_working is None else max(one.last_working, use.last)
    for use in bad:
        software[use.software, use.software_version].refused += use.requests
    nameless = software.get((UNKNOWN, UNKNOWN))
    if nameless is not None and nameless.last_working is None and len(software) > 1 and not nameless.refused:
        del software[UNKNOWN, UNKNOWN]
    return dict(software)


def _successor(software: Mapping[tuple[str, str], _Software]) -> tuple[str, str] | None:
    """The software that has replaced all that sent refused requests, for a day or more; None if none has."""
    ended = [one.last_working for one in software.values() if one.refused]
    if any(moment is None for moment in ended):
        return None
    end = max(moment for moment in ended if moment is not None)
    later = {
        name: one.last_working
        for name, one in software.items()
        if not one.refused and one.last_working is not None and one.last_working - end >= _APART
    }
    return max(later, key=lambda name: (later[name], name)) if later else None


def api_uses(target: Target, uses: Iterable[UsedVersion]) -> Iterator[ApiUse]:
    """What the target does not simply serve, by API and status."""
    by_status: dict[tuple[int, Status], list[UsedVersion]] = defaultdict(list)
    for use in uses:
        status = target.verdict(use.api_key, use.version).status
        if status is not Status.SERVED:
            by_status[use.api_key, status].append(use)
    for (key, status), some in sorted(by_status.items()):
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
