"""Requests added up by client, API and version, and who sends each version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from wirebook.docgen.fleet.records import VersionSender, VersionUse
from wirebook.live.fleet.advice import BROKERS_SEND, api_name
from wirebook.live.fleet.owners import Owners
from wirebook.live.fleet.requests import NO_DAY
from wirebook.live.fleet.verdicts import Target

MOST_VERSIONS = 5_000
"""How many versions of APIs are listed: logs may name any number of unknown ones."""
MOST_SENDERS = 20
_KEYS = ("client_software", "software_version", "client_id", "principal", "owner", "api_key", "version")


class Client(NamedTuple):
    """Who sends requests, by the values that distinguish clients."""

    software: str
    software_version: str
    client_id: str
    principal: str
    owner: str


class UsedVersion(NamedTuple):
    """Requests of one version of an API by one client over all days, and those of its last day."""

    client: Client
    api_key: int
    version: int
    requests: int
    first: datetime | None
    last: datetime | None
    last_day: str | None
    last_day_requests: int


class RequestSpan:
    """Requests added up, with the first and the last of them."""

    __slots__ = ("first", "last", "requests")

    def __init__(self) -> None:
        self.requests = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def add(self, use: UsedVersion) -> None:
        """Add the requests of a client."""
        self.requests += use.requests
        if use.first is not None:
            self.first = use.first if self.first is None else min(self.first, use.first)
        if use.last is not None:
            self.last = use.last if self.last is None else max(self.last, use.last)


def uses_of(table: pa.Table, owners: Owners) -> Iterator[UsedVersion]:
    """A table of a fleet, added up over days and over the columns that do not identify a client."""
    # Data without a day sorts before every day, so it is the last only if there is no other.
    day = pc.if_else(pc.equal(table["day"], NO_DAY), "", table["day"])
    daily = (
        table.set_column(table.schema.get_field_index("day"), "day", day)
        .group_by([*_KEYS, "day"])
        .aggregate([("requests", "sum"), ("first_seen", "min"), ("last_seen", "max")])
        .sort_by("day")
    )
    grouped = daily.group_by(list(_KEYS), use_threads=False).aggregate(
        [
            ("requests_sum", "sum"),
            ("first_seen_min", "min"),
            ("last_seen_max", "max"),
            ("day", "last"),
            ("requests_sum", "last"),
        ]
    )
    names = (*_KEYS, "requests_sum_sum", "first_seen_min_min", "last_seen_max_max", "day_last")
    columns = [grouped[name].to_pylist() for name in (*names, "requests_sum_last")]
    rows = sorted(zip(*columns, strict=True), key=lambda row: row[:7])
    for software, number, client_id, principal, owner, key, version, requests, first, last, on, then in rows:
        team = owner or owners.owner(principal, client_id)
        client = Client(software, number, client_id, principal, team)
        yield UsedVersion(client, key, version, requests, first, last, on or None, then if on else 0)


def version_uses(target: Target, uses: Iterable[UsedVersion]) -> tuple[tuple[VersionUse, ...], int]:
    """Who sends each version of each API, at most MOST_VERSIONS of those sent most, and how many more there
    are.

    Of the clients of a version, the MOST_SENDERS with the most requests are named.
    """
    by_version: dict[tuple[int, int], list[UsedVersion]] = defaultdict(list)
    for use in uses:
        by_version[use.api_key, use.version].append(use)
    most = sorted(by_version.items(), key=lambda item: (-sum(use.requests for use in item[1]), item[0]))
    listed = sorted(most[:MOST_VERSIONS])
    return tuple(_version(target, *place, some) for place, some in listed), len(most) - len(listed)


def _version(target: Target, key: int, version: int, uses: list[UsedVersion]) -> VersionUse:
    span = RequestSpan()
    for use in uses:
        span.add(use)
    uses = sorted(uses, key=lambda use: (-use.requests, use.client))
    return VersionUse(
        api_key=key,
        api=api_name(key),
        version=version,
        status=target.verdict(key, version).status.value,
        between_servers=key in BROKERS_SEND,
        requests=span.requests,
        first_seen=moment(span.first),
        last_seen=moment(span.last),
        clients=len(uses),
        senders=tuple(
            VersionSender(*use.client, use.requests, moment(use.last), use.last_day, use.last_day_requests)
            for use in uses[:MOST_SENDERS]
        ),
    )


def moment(value: Any) -> str | None:
    """A moment of a table in the form of the summary."""
    return None if value is None else str(value.isoformat(timespec="seconds"))
