"""Counts requests: equal requests of a day are one entry, with the time of the first and the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.live.fleet.bounds import Smallest
from wirebook.live.fleet.requests import OTHER, UNKNOWN, LoggedRequest
from wirebook.specs.limits import MAX_CLIENTS

MOST_CLIENTS = MAX_CLIENTS
"""The maximum number of clients listed per principal and day; requests of further clients count as OTHER."""

Client = tuple[str, ...]
_Rest = tuple[str, int, int, bool]
_OTHERS: Client = (UNKNOWN, UNKNOWN, OTHER)


class Count(NamedTuple):
    """The number of equal requests; `first` and `last` are "" if no line had a date."""

    request: LoggedRequest
    requests: int
    first: str
    last: str


class _Tally:
    """The number of equal requests, and the times of the first and the last."""

    __slots__ = ("first", "last", "requests")

    def __init__(self) -> None:
        self.requests = 0
        self.first = self.last = ""

    def add(self, requests: int, first: str, last: str) -> None:
        self.requests += requests
        if first and (not self.first or first < self.first):
            self.first = first
        if last > self.last:
            self.last = last


class _Group:
    """The clients of one principal on one day."""

    def __init__(self, limit: int) -> None:
        self.names = Smallest(limit)
        self.clients: dict[Client, dict[_Rest, _Tally]] = {}

    def add(self, client: Client, rest: _Rest, requests: int, first: str, last: str) -> None:
        if client != _OTHERS:
            is_kept, dropped = self.names.admit(client)
            if dropped is not None:
                for one, tally in self.clients.pop(dropped).items():
                    self._add(_OTHERS, one, tally.requests, tally.first, tally.last)
            client = client if is_kept else _OTHERS
        self._add(client, rest, requests, first, last)

    def _add(self, client: Client, rest: _Rest, requests: int, first: str, last: str) -> None:
        tallies = self.clients.setdefault(client, {})
        tally = tallies.get(rest)
        if tally is None:
            tally = tallies[rest] = _Tally()
        tally.add(requests, first, last)


class Counting:
    """The requests of one or more logs; the result does not depend on the order in which they are added."""

    def __init__(self, most_clients: int = MOST_CLIENTS) -> None:
        self.most_clients = most_clients
        self.groups: dict[tuple[str, str, str], _Group] = {}

    def add(self, request: LoggedRequest, requests: int, first: str, last: str) -> None:
        """Add a number of equal requests."""
        place = (request.day, request.principal, request.owner)
        group = self.groups.get(place)
        if group is None:
            group = self.groups[place] = _Group(self.most_clients)
        client = (request.software, request.software_version, request.client_id)
        rest = (request.listener, request.api_key, request.version, request.deprecated)
        group.add(client, rest, requests, first, last)

    def add_all(self, counts: Iterable[Count]) -> None:
        """Add the counts of another instance."""
        for count in counts:
            self.add(count.request, count.requests, count.first, count.last)

    @property
    def days(self) -> list[str]:
        """The days that have requests, in order."""
        return sorted({day for day, _, _ in self.groups})

    def of_day(self, day: str) -> list[Count]:
        """The counts of a day, in order."""
        return sorted(count for place in self.groups if place[0] == day for count in self._of(place))

    def __iter__(self) -> Iterator[Count]:
        for place in self.groups:
            yield from self._of(place)

    def _of(self, place: tuple[str, str, str]) -> Iterator[Count]:
        day, principal, owner = place
        for (software, number, client_id), tallies in self.groups[place].clients.items():
            for rest, tally in tallies.items():
                listener, key, version, deprecated = rest
                request = LoggedRequest(
                    day, software, number, client_id, principal, listener, key, version, deprecated, owner
                )
                yield Count(request, tally.requests, tally.first, tally.last)
