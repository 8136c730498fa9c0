"""What the requests of each application mean at the target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
from wirebook.fleet.uses import Use, added_up, grouped
from wirebook.specs.kafka.brokers import API_VERSIONS, Broker
from wirebook.specs.versions import VersionSet

QUIET_DAYS = 7
STATES = ("active", "quiet", "upgraded")
"""What is known about an application that breaks, the most urgent first."""
_APART = timedelta(days=1)
_NO_SOFTWARE = (UNKNOWN, UNKNOWN)
_SAMPLES = 5
BySoftware = dict[tuple[str, str], list[Use]]


@dataclass
class Application:
    """What is known of an application: its own requests, and whether brokers and controllers send
    as it."""

    names: Names
    own: list[Use] = field(default_factory=list)
    is_server: bool = False

    @property
    def breaks(self) -> bool:
        """Whether it is a client of which the target refuses requests; it may be upgraded
        meanwhile."""
        return not self.is_server and _breaks(self.own)


def applications_of(uses: Iterable[Use]) -> list[Application]:
    """The applications of a fleet, with the requests that count as theirs.

    A controller logs a request again that a broker has forwarded: those count only in versions of
    an API that no log of a broker shows of the application, because the log of a broker is missing.
    """
    applications: dict[Names, Application] = {}
    forwarded: dict[Names, list[Use]] = defaultdict(list)
    for use in uses:
        application = applications.setdefault(use.row.names, Application(use.row.names))
        if use.row.origin is Origin.SERVER:
            application.is_server = True
        elif use.row.origin is Origin.FORWARDED:
            forwarded[use.row.names].append(use)
        else:
            application.own.append(use)
    for application in applications.values():
        shown = {(use.row.api_key, use.row.version) for use in application.own}
        for use in forwarded[application.names]:
            if (use.row.api_key, use.row.version) not in shown:
                application.own.append(use)
        application.is_server &= all(use.row.api_key == API_VERSIONS for use in application.own)
    return list(applications.values())


def moment(text: str) -> str | None:
    """A time in the form of the summary."""
    return text[:19] or None


def report(target: Broker, application: Application, ids: list[str], end: str) -> ApplicationUse:
    """An application that breaks, with some of its client ids; `end` is that of the logs."""
    names, own = application.names, application.own
    total, software = added_up(own), _software_uses(_by_software(own))
    sends = api_uses(target, own)
    unserved = [use.api_key for use in sends if use.status == Status.REFUSED]
    java = java_of(software[0].software, software[0].software_version)
    sure, because = confidence(target, java, unserved)
    is_forwarded = [
        use.row.origin is Origin.FORWARDED for use in own if use.status is Status.REFUSED
    ]
    if all(is_forwarded):
        sure, because = "possible", "no log of a broker shows these requests"
    last = total.refused.last
    unseen = _apart(last, end).days if last else None
    state = "quiet" if (unseen or 0) >= QUIET_DAYS else "active"
    advice = action(target, java, unserved)
    # The software of forwarded requests is not known, so that nothing shows that it has stopped.
    logged = [use for use in own if use.row.origin is not Origin.FORWARDED]
    successor = None if any(is_forwarded) else _successor(_by_software(logged))
    if successor is not None:
        state, name = "upgraded", " ".join(word for word in successor if word != UNKNOWN)
        what = name or "a client that does not name its software"
        advice = f"Upgraded: the application is now {what}."
    patterns = [pattern_of(each) for each in ids]
    is_named = not names.application.endswith(ANY) and patterns != [names.application]
    return ApplicationUse(
        name=names.application if is_named or len(ids) != 1 else ids[0],
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


def _by_software(own: Sequence[Use]) -> BySoftware:
    """The requests of an application by software.

    A broker learns the software from ApiVersions, and logs that request itself without it
    (SocketServer): it does not show that other software is still in use.
    """
    software = grouped(own, lambda use: (use.row.software, use.row.software_version))
    nameless = software.get(_NO_SOFTWARE, [])
    if len(software) > 1 and not _last_working(nameless) and not _breaks(nameless):
        software.pop(_NO_SOFTWARE, None)
    return software


def _apart(first: str, last: str) -> timedelta:
    return datetime.fromisoformat(last) - datetime.fromisoformat(first)


def _last_working(uses: Iterable[Use]) -> str:
    """The time of the last request but for those of ApiVersions."""
    return added_up(use for use in uses if use.row.api_key != API_VERSIONS).every.last


def _breaks(uses: Iterable[Use]) -> bool:
    return any(use.status is Status.REFUSED for use in uses)


def _software_uses(software: BySoftware) -> tuple[SoftwareUse, ...]:
    """The software of an application, that of most refused requests first."""
    found = []
    for name, uses in sorted(software.items()):
        total = added_up(uses)
        numbers = (total.every.requests, total.refused.requests)
        found.append(SoftwareUse(*name, *numbers, moment(total.every.last)))
    return tuple(sorted(found, key=lambda use: -use.refused))


def _successor(software: BySoftware) -> tuple[str, str] | None:
    """The software that has replaced all that sent refused requests, for a day or more; None if
    none has."""
    ended, others = [], []
    for name, uses in software.items():
        last = _last_working(uses)
        if _breaks(uses):
            ended.append(last)
        elif last:
            others.append((last, name))
    if not all(ended) or not others:
        return None
    last, name = max(others)
    return name if _apart(max(ended), last) >= _APART else None


def api_uses(target: Broker, uses: Iterable[Use]) -> tuple[ApiUse, ...]:
    """What the target does not simply serve, by API and status."""
    notable = (use for use in uses if use.status is not Status.SERVED)
    by_status = grouped(notable, lambda use: (use.row.api_key, use.status))
    found = []
    for (key, status), some in sorted(by_status.items()):
        span, versions = added_up(some).every, VersionSet.of(use.row.version for use in some)
        newest = versions.ranges[-1].highest
        found.append(
            ApiUse(
                api_key=key,
                api=api_name(key),
                versions=str(versions),
                status=status.value,
                requests=span.requests,
                first_seen=moment(span.first),
                last_seen=moment(span.last),
                target_serves=str(served_by(target, key)),
                last_served_by=last_served(target, key, newest) if status is Status.REFUSED else "",
            )
        )
    return tuple(found)
