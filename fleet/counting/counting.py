"""Counts requests by application: equal requests of a day are one row, with the times of the first and last.

Memory depends on applications and the versions that they send, not on client ids: those are counted, and a
few of them kept, below their application.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from wirebook.fleet.applications.naming import Naming
from wirebook.fleet.applications.patterns import ANY, beginning_of
from wirebook.fleet.counting.bounds import WHOLE, Smallest, smallest
from wirebook.fleet.requests import METRICS, LoggedRequest, Row
from wirebook.specs.limits import MAX_APPLICATIONS

MOST_APPLICATIONS = MAX_APPLICATIONS
"""The maximum number of names per principal, owner and day; others are counted by their beginning."""
KEPT, SAMPLES = 256, 5
_SLACK = 40  # a set of Python with 10 more takes four times the memory
Moment = TypeVar("Moment", str, datetime)


class Count(NamedTuple):
    """The number of equal requests; `first` and `last` are "" if no line had a date."""

    row: Row
    requests: int
    first: str
    last: str


class Who(NamedTuple):
    """An application on a day."""

    day: str
    principal: str
    owner: str
    application: str

    @classmethod
    def of(cls, row: Row) -> Who:
        """The application of a row."""
        return cls(row.day, row.principal, row.owner, row.application)


class ClientIdCount:
    """How many different client ids there were, and some of them; the order does not matter.

    The KEPT smallest hashes are kept. Below that, the number is exact; for more ids it is estimated, with a
    standard error of 1 / √(KEPT - 2), 6.3%. Of some ids, only their number is known: there are `at_least` as
    many.
    """

    __slots__ = ("_hashes", "_limit", "at_least", "samples")

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        self._limit = WHOLE
        self.at_least = 0
        self.samples: dict[int, bytes] = {}

    def merge(self, hashes: Iterable[int], client_ids: Iterable[bytes], at_least: int = 0) -> None:
        """Count ids in UTF-8, others of which only the hashes are known, and the number of others."""
        self.at_least = max(self.at_least, at_least)
        names = smallest(client_ids, self._limit, KEPT)
        # An id that was counted before is a sample, or larger than all samples.
        if not names.keys() <= self._hashes:
            self._keep(names)
            names |= self.samples
            self.samples = {number: names[number] for number in sorted(names)[:SAMPLES]}
        self._keep(hashes)

    def add(self, other: ClientIdCount) -> None:
        """Count the ids of another count."""
        self.merge(other.hashes, other.samples.values(), other.at_least)

    def _keep(self, hashes: Iterable[int]) -> None:
        self._hashes.update(hashes)
        if len(self._hashes) > KEPT + _SLACK:
            self._limit = max(self.hashes)

    @property
    def hashes(self) -> set[int]:
        """The smallest hashes."""
        if len(self._hashes) > KEPT:
            self._hashes = set(sorted(self._hashes)[:KEPT])
        return self._hashes

    @property
    def number(self) -> int:
        """How many ids there were."""
        return max(number_of_ids(self.hashes), self.at_least)

    @property
    def is_exact(self) -> bool:
        """Whether the number is no estimate, and not only the least one."""
        return len(self.hashes) < KEPT and self.number == len(self.hashes)

    @property
    def names(self) -> tuple[str, ...]:
        """Some of the ids."""
        return tuple(name.decode() for _, name in sorted(self.samples.items()))


def number_of_ids(hashes: Collection[int]) -> int:
    """How many ids there were, from their KEPT smallest hashes."""
    return len(hashes) if len(hashes) < KEPT else round((KEPT - 1) * WHOLE / max(hashes))


class RequestSpan(Generic[Moment]):
    """Requests added up, with the times of the first and the last; None if none has a time."""

    __slots__ = ("first", "last", "requests")

    def __init__(self) -> None:
        self.requests = 0
        self.first: Moment | None = None
        self.last: Moment | None = None

    def add(self, requests: int, first: Moment | None, last: Moment | None) -> None:
        """Add requests; a time may be None or ""."""
        self.requests += requests
        if first and (self.first is None or first < self.first):
            self.first = first
        if last and (self.last is None or last > self.last):
            self.last = last


class _Application:
    """What an application sent on a day, and its client ids."""

    __slots__ = ("ids", "name", "tallies")

    def __init__(self, name: str) -> None:
        self.name = name
        self.tallies: dict[Row, RequestSpan[str]] = {}
        self.ids = ClientIdCount()

    def add(self, row: Row, requests: int, first: str, last: str) -> None:
        if row.application != self.name:
            row = row._replace(application=self.name)
        tally = self.tallies.get(row)
        if tally is None:
            tally = self.tallies[row] = RequestSpan()
        tally.add(requests, first, last)


class _Group:
    """The applications of one principal and owner on one day."""

    def __init__(self, limit: int) -> None:
        self.names, self.beginnings = Smallest(limit), Smallest(limit)
        self.applications: dict[str, _Application] = {}

    def application(self, name: str) -> _Application:
        """The application of a name, or the common one of all with its beginning."""
        if not name.endswith(ANY):
            is_kept, dropped = self.names.admit((name,))
            if dropped is not None:
                self._move(dropped[0], beginning_of(dropped[0]))
            if is_kept:
                return self._at(name)
            name = beginning_of(name)
        return self._at(self._beginning(name))

    def _beginning(self, name: str) -> str:
        if name == ANY:
            return ANY
        is_kept, dropped = self.beginnings.admit((name,))
        if dropped is not None:
            self._move(dropped[0], ANY)
        return name if is_kept else ANY

    def _move(self, old: str, new: str) -> None:
        """Count what an application has so far under another name."""
        merged = self.applications.pop(old)
        into = self.application(new)
        for row, tally in merged.tallies.items():
            into.add(row, tally.requests, tally.first or "", tally.last or "")
        into.ids.add(merged.ids)

    def _at(self, name: str) -> _Application:
        application = self.applications.get(name)
        if application is None:
            application = self.applications[name] = _Application(name)
        return application


class Counting:
    """The requests of one or more logs; the result does not depend on the order in which they are added."""

    def __init__(self, naming: Naming | None = None, most_applications: int = MOST_APPLICATIONS) -> None:
        self.naming = naming or Naming()
        self.most_applications = most_applications
        self.groups: dict[tuple[str, str, str], _Group] = {}

    def see(self, request: LoggedRequest, requests: int, first: str, last: str) -> None:
        """Add a number of equal requests as a log has them."""
        row, client_id = self.naming(request)
        application = self._application(Who.of(row))
        application.add(row, requests, first, last)
        if client_id and client_id != METRICS:
            application.ids.merge((), (client_id.encode(),))

    def add(self, row: Row, requests: int, first: str, last: str) -> None:
        """Add a number of equal requests that are counted under their application already."""
        self._application(Who.of(row)).add(row, requests, first, last)

    def ids_at(self, who: Who) -> ClientIdCount:
        """The count of the client ids of an application, to be added to."""
        return self._application(who).ids

    def add_all(self, other: Counting) -> None:
        """Add the counts of another instance."""
        for row, requests, first, last in other:
            self.add(row, requests, first, last)
        for who, ids in other.ids():
            self.ids_at(who).add(ids)

    @property
    def days(self) -> list[str]:
        """The days that have requests, in order."""
        return sorted({day for day, _, _ in self.groups})

    def of_day(self, day: str) -> list[Count]:
        """The counts of a day, in order."""
        return sorted(count for place in self.groups if place[0] == day for count in self._of(place))

    def ids_of_day(self, day: str) -> list[tuple[Who, ClientIdCount]]:
        """The client ids of a day by application, in order."""
        return sorted((item for item in self.ids() if item[0].day == day), key=lambda item: item[0])

    def ids(self) -> Iterator[tuple[Who, ClientIdCount]]:
        """The client ids by application."""
        for place, group in self.groups.items():
            for name, application in group.applications.items():
                yield Who(*place, name), application.ids

    def __iter__(self) -> Iterator[Count]:
        for place in self.groups:
            yield from self._of(place)

    def _application(self, who: Who) -> _Application:
        place = (who.day, who.principal, who.owner)
        group = self.groups.get(place)
        if group is None:
            group = self.groups[place] = _Group(self.most_applications)
        return group.application(who.application)

    def _of(self, place: tuple[str, str, str]) -> Iterator[Count]:
        for application in self.groups[place].applications.values():
            for row, tally in application.tallies.items():
                yield Count(row, tally.requests, tally.first or "", tally.last or "")
