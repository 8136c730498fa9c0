"""What the requests of each application mean at the target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from wirebook.fleet.counts import MOST_IDS
from wirebook.fleet.lines import UNKNOWN, Origin
from wirebook.fleet.owners import Names
from wirebook.fleet.patterns import ANY, pattern_of
from wirebook.fleet.records import ApiUse, ApplicationUse, ClientIds, SoftwareUse
from wirebook.fleet.target import (
    Status,
    action,
    api_name,
    confidence,
    java_of,
    last_served,
    served_by,
)
from wirebook.fleet.uses import Total, Use, added_up, grouped
from wirebook.specs.kafka.brokers import API_VERSIONS, Broker
from wirebook.specs.versions import VersionSet

QUIET_DAYS = 7
STATES = ("active", "quiet", "upgraded")
"""What is known about an application that breaks, the most urgent first."""
_APART = timedelta(days=1)
_NO_SOFTWARE = (UNKNOWN, UNKNOWN)
_SAMPLES = 5


@dataclass
class Application:
    """What is known of an application: the requests that count as its own, and whether it is
    brokers and controllers."""

    names: Names
    own: list[Use]
    is_server: bool

    @cached_property
    def total(self) -> Total:
        """Its own requests."""
        return added_up(self.own)


def applications_of(uses: Iterable[Use]) -> list[Application]:
    """The applications of a fleet, with the requests that count as theirs.

    A controller logs a request again that a broker has forwarded: those count only in versions of
    an API that no log of a broker shows of the application, because the log of a broker is missing.
    """
    applications = []
    for names, some in grouped(uses, lambda use: use.row.names).items():
        by_origin = grouped(some, lambda use: use.row.origin)
        own = by_origin.get(Origin.CLIENT, [])
        shown = {(use.row.api_key, use.row.version) for use in own}
        for use in by_origin.get(Origin.FORWARDED, []):
            if (use.row.api_key, use.row.version) not in shown:
                own.append(use)
        is_asked = any(use.row.api_key != API_VERSIONS for use in own)
        is_server = Origin.SERVER in by_origin and not is_asked
        applications.append(Application(names, own, is_server))
    return applications


def moment(text: str) -> str | None:
    """A time in the form of the summary."""
    return text[:19] or None


def report(target: Broker, application: Application, ids: list[str], end: str) -> ApplicationUse:
    """An application that breaks, with some of its client ids; `end` is that of the logs."""
    names, own, total = application.names, application.own, application.total
    software = _software_uses(own)
    sends = api_uses(target, own)
    unserved = [use.api_key for use in sends if use.status == Status.REFUSED]
    java = java_of(software[0].software, software[0].software_version)
    sure, because = confidence(target, java, unserved)
    advice = action(target, java, unserved)
    last = total.refused.last
    unseen = _apart(last, end).days if last else None
    state = "quiet" if (unseen or 0) >= QUIET_DAYS else "active"
    origins = {use.row.origin for use in own if use.status is Status.REFUSED}
    if origins == {Origin.FORWARDED}:
        sure, because = "possible", "no log of a broker shows these requests"
    # The software of forwarded requests is not known, so that nothing shows that it has stopped.
    successor = None if Origin.FORWARDED in origins else _successor(own)
    if successor is not None:
        name = " ".join(word for word in successor if word != UNKNOWN)
        what = name or "a client that does not name its software"
        state, advice = "upgraded", f"Upgraded: the application is now {what}."
    return ApplicationUse(
        name=_name(names.application, ids),
        pattern=names.application,
        principal=names.principal,
        owner=names.owner,
        client_ids=ClientIds(len(ids), len(ids) < MOST_IDS, tuple(ids[:_SAMPLES])),
        software=software,
        requests=total.every.requests,
        refused=total.refused.requests,
        first_seen=moment(total.every.first),
        last_seen=moment(total.every.last),
        last_refused=moment(last),
        unseen_days=unseen,
        state=state,
        sends=sends,
        action=advice,
        confidence=sure,
        because=because,
    )


def _name(application: str, ids: list[str]) -> str:
    """The only client id of an application, unless the owners file names it."""
    if len(ids) == 1 and (application.endswith(ANY) or application == pattern_of(ids[0])):
        return ids[0]
    return application


def _apart(first: str, last: str) -> timedelta:
    return datetime.fromisoformat(last) - datetime.fromisoformat(first)


def _software_uses(own: Iterable[Use]) -> tuple[SoftwareUse, ...]:
    """The software of an application, that of most refused requests first.

    A broker learns the software from ApiVersions, and logs that request itself without it
    (SocketServer): it does not show that other software is still in use.
    """
    software = grouped(own, _software_of)
    listed = []
    for name, uses in sorted(software.items()):
        total = added_up(uses)
        is_known = name != _NO_SOFTWARE or total.refused.requests or _last_working(uses)
        if is_known or len(software) == 1:
            numbers = (total.every.requests, total.refused.requests)
            listed.append(SoftwareUse(*name, *numbers, moment(total.every.last)))
    return tuple(sorted(listed, key=lambda use: -use.refused))


def _successor(own: Iterable[Use]) -> tuple[str, str] | None:
    """The software that has replaced all that sent refused requests, for a day or more; None if
    none has."""
    logged = (use for use in own if use.row.origin is not Origin.FORWARDED)
    ended, others = [], []
    for name, uses in grouped(logged, _software_of).items():
        last = _last_working(uses)
        if any(use.status is Status.REFUSED for use in uses):
            ended.append(last)
        elif last:
            others.append((last, name))
    if not all(ended) or not others:
        return None
    last, name = max(others)
    return name if _apart(max(ended), last) >= _APART else None


def _software_of(use: Use) -> tuple[str, str]:
    return use.row.software, use.row.software_version


def _last_working(uses: Iterable[Use]) -> str:
    """The time of the last request but for those of ApiVersions; "" if none has one."""
    return max((use.tally.last for use in uses if use.row.api_key != API_VERSIONS), default="")


def api_uses(target: Broker, uses: Iterable[Use]) -> tuple[ApiUse, ...]:
    """What the target does not simply serve, by API and status."""
    notable = (use for use in uses if use.status is not Status.SERVED)
    by_status = grouped(notable, lambda use: (use.row.api_key, use.status))
    listed = []
    for (key, status), some in sorted(by_status.items()):
        span, versions = added_up(some).every, {use.row.version for use in some}
        last = last_served(target, key, max(versions)) if status is Status.REFUSED else ""
        listed.append(
            ApiUse(
                api_key=key,
                api=api_name(key),
                versions=str(VersionSet.of(versions)),
                status=status.value,
                requests=span.requests,
                first_seen=moment(span.first),
                last_seen=moment(span.last),
                target_serves=str(served_by(target, key)),
                last_served_by=last,
            )
        )
    return tuple(listed)
