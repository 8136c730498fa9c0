"""Requests added up by application, API and version, and who sends each version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from wirebook.fleet.applications.naming import Names, reassigned
from wirebook.fleet.applications.owners import Owners
from wirebook.fleet.applications.patterns import ANY, beginning_of, pattern_of
from wirebook.fleet.counting.counting import ClientIdCount, RequestSpan
from wirebook.fleet.page.records import VersionSender, VersionUse
from wirebook.fleet.requests import BROKERS_SEND, NO_DAY, Origin
from wirebook.fleet.tables import tables
from wirebook.fleet.verdicts.advice import api_name
from wirebook.fleet.verdicts.verdicts import Status, Target

MOST_VERSIONS = 5_000
"""How many versions of APIs are listed: logs may name any number of unknown ones."""
MOST_SENDERS = 20
EPHEMERAL = 20
"""How many names of one beginning there have to be until those seen on one day only are one application."""
_A_YEAR = timedelta(days=366)
_FEW = 100  # a clock that was wrong shows in less than this part of the requests
_SHORTEST = 3  # days of a log that shows which names return
Key = TypeVar("Key", bound=Hashable)
_KEYS = (*Names._fields, "origin", "client_software", "software_version", "api_key", "version")


class UsedVersion(NamedTuple):
    """Requests of one version of an API by one software of an application on a day, or on all.

    `status` is that of the version at the target.
    """

    names: Names
    origin: Origin
    software: str
    software_version: str
    api_key: int
    version: int
    day: str
    requests: int
    first: datetime | None
    last: datetime | None
    status: Status


def added_up(uses: Iterable[UsedVersion]) -> RequestSpan[datetime]:
    """The requests of uses, with the first and the last of them."""
    span: RequestSpan[datetime] = RequestSpan()
    for use in uses:
        span.add(use.requests, use.first, use.last)
    return span


def refused(uses: Iterable[UsedVersion]) -> list[UsedVersion]:
    """Those that the target refuses."""
    return [use for use in uses if use.status is Status.REFUSED]


def grouped(uses: Iterable[UsedVersion], key: Callable[[UsedVersion], Key]) -> dict[Key, list[UsedVersion]]:
    """Uses by a key of each."""
    groups: dict[Key, list[UsedVersion]] = defaultdict(list)
    for use in uses:
        groups[key(use)].append(use)
    return dict(groups)


class FleetTables:
    """The tables of a fleet, judged at a target: uses by day, and the client ids of each application.

    `hidden` is set for pseudonyms: neither the owners file nor the beginnings of names apply to those.
    `stray` are days of clocks that were wrong, with their requests: those count as if they had no day.
    `logged` are the uses that request logs show, `metrics` those that metrics count: only logs show which
    application sent a request, and when. `named` are the applications that the owners file names.

    Names with one beginning that differ in words, such as `job-kqzx` and `job-wmpd`, show only in all data:
    if there are more than EPHEMERAL of a principal, and nine of ten of them were seen on one day only, they
    are one application, unless the owners file names them. `brief` are these beginnings with their
    principals.
    """

    def __init__(self, folder: Path, target: Target, owners: Owners, *, hidden: bool) -> None:
        requests, ids = tables.read_all(folder), tables.read_all(folder, tables.IDS)
        self.hidden, self.owners = hidden, Owners() if hidden else owners
        sources = [(part, _stray_days(part)) for part in _by_source(requests)]
        self.stray: Counter[str] = Counter()
        for _, stray in sources:
            self.stray.update(stray)
        self.samples = tables.samples_of(ids)
        self.brief = set() if hidden else self._brief(ids)
        self.named: set[Names] = set()
        self.ids: dict[Names, ClientIdCount] = {}
        for row in ids.to_pylist():
            names = Names(row["application"], row["principal"], row["owner"])
            application = self._application(names)
            if self._is_named(names):
                self.named.add(application)
            self.ids.setdefault(application, ClientIdCount()).merge(
                row["hashes"], map(str.encode, row["samples"]), row["client_ids"]
            )
        self.uses = [use for part, stray in sources for use in _uses(part, stray, self._application, target)]
        self.logged = [use for use in self.uses if use.origin.is_logged]
        self.metrics = [use for use in self.uses if use.origin is Origin.METRICS]
        for use in self.uses:
            self.ids.setdefault(use.names, ClientIdCount())

    def shown(self, names: Names) -> str:
        """The name of an application: its client id if it has only one, unless the owners file names it."""
        ids, name = self.ids[names], names.application
        if ids.number != 1:
            return name
        client_id = ids.names[0]
        # A pseudonym does not show whether it is that of a pattern.
        is_pattern = self.hidden or name.endswith(ANY) or name == pattern_of(client_id)
        return client_id if is_pattern else name

    def beside(self, other: FleetTables, names: Names) -> Names:
        """An application as two outputs can be compared: by its beginning if one of them has only that."""
        if names in self.named or names in other.named:
            return names
        beginning = beginning_of(names.application)
        who = (beginning, names.principal)
        return names._replace(application=beginning) if who in self.brief or who in other.brief else names

    def _application(self, names: Names) -> Names:
        """The application of a row."""
        beginning = beginning_of(names.application)
        is_brief = (beginning, names.principal) in self.brief
        by_pattern = names._replace(application=beginning) if is_brief else names
        return reassigned(self.owners, by_pattern, self._client_id(names))

    def _is_named(self, names: Names) -> bool:
        """Whether the owners file names the application of a row."""
        return bool(self.owners.application(names.principal, self._client_id(names)))

    def _client_id(self, names: Names) -> str:
        return self.samples.get(names, names.application)

    def _brief(self, ids: pa.Table) -> set[tuple[str, str]]:
        """The beginnings, with their principals, of names that do not return."""
        days: dict[Names, set[str]] = defaultdict(set)
        for *names, day in zip(*(ids[name].to_pylist() for name in (*Names._fields, "day")), strict=True):
            days[Names(*names)].add(day)
        undated = {NO_DAY, *self.stray}
        by_pattern = {who: seen - undated for who, seen in days.items() if not self._is_named(who)}
        if len(set().union(*by_pattern.values())) < _SHORTEST:
            return set()
        counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for (name, principal, _), seen in by_pattern.items():
            beginning = beginning_of(name)
            if seen and not name.endswith(ANY) and beginning != ANY:
                counts[beginning, principal][0] += 1
                counts[beginning, principal][1] += len(seen) == 1
        return {who for who, (names, once) in counts.items() if names > EPHEMERAL and once * 10 >= names * 9}


def _by_source(table: pa.Table) -> Iterator[pa.Table]:
    """The rows of request logs, of metrics and of telemetry: each has its own days and clocks."""
    logged = [origin for origin in Origin if origin.is_logged]
    for origins in (logged, [Origin.METRICS], [Origin.INSTANCE]):
        yield table.filter(pc.is_in(table["origin"], pa.array(origins, pa.string())))


def _stray_days(table: pa.Table) -> dict[str, int]:
    """Days of a source with few requests that more than a year without any separates from its others.

    A broker that starts without the time is in 1970, and other clocks may jump as far: with such a day, no
    application would be active, and the weeks of the burn-down would be thousands.
    """
    by_day = table.group_by("day").aggregate([("requests", "sum")])
    requests = dict(zip(by_day["day"].to_pylist(), by_day["requests_sum"].to_pylist(), strict=True))
    runs: list[list[str]] = []
    for day in sorted(requests.keys() - {NO_DAY}):
        if not runs or date.fromisoformat(day) - date.fromisoformat(runs[-1][-1]) > _A_YEAR:
            runs.append([])
        runs[-1].append(day)
    few = sum(requests.values()) / _FEW
    stray = [days for days in runs if sum(requests[day] for day in days) < few]
    return {day: requests[day] for days in stray for day in days}


def _uses(
    table: pa.Table, stray: Iterable[str], named: Callable[[Names], Names], target: Target
) -> Iterator[UsedVersion]:
    """The rows of a table, added up over the columns that do not matter."""
    # Data without a day sorts before every day, so it is the last only if there is no other.
    undated, strayed = (
        pc.is_in(table["day"], pa.array(days, pa.string())) for days in ([NO_DAY, *stray], [*stray])
    )
    for name, where, nothing in (
        ("day", undated, ""),
        ("first_seen", strayed, None),
        ("last_seen", strayed, None),
    ):
        column = pc.if_else(where, pa.scalar(nothing, table[name].type), table[name])
        table = table.set_column(table.schema.get_field_index(name), name, column)
    grouped = table.group_by([*_KEYS, "day"]).aggregate(
        [("requests", "sum"), ("first_seen", "min"), ("last_seen", "max")]
    )
    names = (*_KEYS, "day", "requests_sum", "first_seen_min", "last_seen_max")
    columns = [grouped[name].to_pylist() for name in names]
    applications: dict[Names, Names] = {}
    for row in sorted(zip(*columns, strict=True), key=lambda row: row[:9]):
        who = Names(*row[:3])
        if who not in applications:
            applications[who] = named(who)
        _, _, _, origin, software, number, key, version, on, requests, first, last = row
        # A client instance of telemetry is no request, so no target refuses it.
        is_request = origin != Origin.INSTANCE
        yield UsedVersion(
            applications[who],
            Origin(origin),
            software,
            number,
            key,
            version,
            on,
            requests if is_request else 0,
            first,
            last,
            target.status(key, version) if is_request else Status.SERVED,
        )


def over_days(uses: Iterable[UsedVersion]) -> list[tuple[UsedVersion, UsedVersion]]:
    """Uses added up over days, each with that of its last day."""
    spans: dict[tuple[Any, ...], RequestSpan[datetime]] = {}
    latest: dict[tuple[Any, ...], UsedVersion] = {}
    for use in uses:
        key = use[:6]
        spans.setdefault(key, RequestSpan()).add(use.requests, use.first, use.last)
        last = latest.get(key)
        if last is None or use.day > last.day:
            latest[key] = use
        elif use.day == last.day:
            latest[key] = last._replace(requests=last.requests + use.requests)
    return [
        (latest[key]._replace(requests=span.requests, first=span.first, last=span.last), latest[key])
        for key, span in spans.items()
    ]


def version_uses(fleet: FleetTables, uses: Iterable[UsedVersion]) -> tuple[tuple[VersionUse, ...], int]:
    """Who sends each version of each API, at most MOST_VERSIONS of those sent most, and how many more there
    are.

    Of the senders of a version, the MOST_SENDERS with the most requests are named.
    """
    by_version: dict[tuple[int, int], list[tuple[UsedVersion, UsedVersion]]] = defaultdict(list)
    for use, last in over_days(uses):
        by_version[use.api_key, use.version].append((use, last))
    most = sorted(by_version.items(), key=lambda item: (-sum(use.requests for use, _ in item[1]), item[0]))
    listed = sorted(most[:MOST_VERSIONS])
    return tuple(_version(fleet, some) for _, some in listed), len(most) - len(listed)


def _version(fleet: FleetTables, uses: list[tuple[UsedVersion, UsedVersion]]) -> VersionUse:
    span = added_up(use for use, _ in uses)
    uses = sorted(uses, key=lambda item: (-item[0].requests, item[0]))
    most = uses[0][0]
    return VersionUse(
        api_key=most.api_key,
        api=api_name(most.api_key),
        version=most.version,
        status=most.status.value,
        between_servers=most.api_key in BROKERS_SEND,
        requests=span.requests,
        first_seen=moment(span.first),
        last_seen=moment(span.last),
        clients=len(uses),
        senders=tuple(
            VersionSender(
                software=use.software,
                software_version=use.software_version,
                client_id=fleet.shown(use.names),
                principal=use.names.principal,
                owner=use.names.owner,
                requests=use.requests,
                last_seen=moment(use.last),
                last_day=use.day or None,
                last_day_requests=last.requests if use.day else 0,
            )
            for use, last in uses[:MOST_SENDERS]
        ),
    )


def moment(value: Any) -> str | None:
    """A moment of a table in the form of the summary."""
    return None if value is None else str(value.isoformat(timespec="seconds"))
