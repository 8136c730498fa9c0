"""The counted requests of a fleet, judged at a target, under the names that its applications
have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple, TypeVar

from wirebook.fleet.counts import Counts, Row, Tally
from wirebook.fleet.lines import NO_DAY
from wirebook.fleet.owners import Names, Owners
from wirebook.fleet.patterns import ANY, beginning_of
from wirebook.fleet.target import Status, status_at
from wirebook.specs.kafka.brokers import Broker
from wirebook.specs.limits import MAX_APPLICATIONS

EPHEMERAL = 20
"""How many names of one beginning there have to be until those seen on one day only are one
application."""
_A_YEAR = timedelta(days=366)
_FEW = 100  # a clock that was wrong shows in less than this part of the requests
_SHORTEST = 3  # days of a log that shows which names return
Key = TypeVar("Key", bound=Hashable)


class Use(NamedTuple):
    """Requests that are counted as one, and the status of their version at the target."""

    row: Row
    tally: Tally
    status: Status


@dataclass
class Total:
    """The requests of some uses, and those of each status."""

    every: Tally = field(default_factory=Tally)
    of: dict[Status, Tally] = field(default_factory=lambda: {each: Tally() for each in Status})

    @property
    def refused(self) -> Tally:
        """Those that the target refuses."""
        return self.of[Status.REFUSED]

    @property
    def numbers(self) -> list[int]:
        """The number of each status."""
        return [tally.requests for tally in self.of.values()]


def fleet_uses(counts: Counts, owners: Owners, target: Broker) -> tuple[list[Use], dict[str, int]]:
    """Judge what was counted; returns the uses, and days of clocks that were wrong, with their
    requests: those count as if they had no day."""
    stray = _stray_days(counts)
    named = {entry.value for entry in owners.applications}
    counts.rename(_alike(counts, named, {NO_DAY, *stray}))
    uses = []
    for row, tally in sorted(counts.requests.items()):
        status = status_at(target, row.api_key, row.version)
        if row.day in stray:
            uses.append(Use(row._replace(day=NO_DAY), Tally(tally.requests), status))
        else:
            uses.append(Use(row, tally, status))
    return uses, stray


def _alike(counts: Counts, named: set[str], undated: set[str]) -> dict[Names, Names]:
    """Names that count as one application, because too many of a principal begin alike.

    Names that differ in words, such as `job-kqzx` and `job-wmpd`, show only in all data: if there
    are more than EPHEMERAL, and nine of ten of them were seen on one day only, they are one
    application; so are more than MAX_APPLICATIONS. Those that the owners file names stay.
    """
    days: dict[Names, set[str]] = defaultdict(set)
    for row in counts.requests:
        if row.application not in named:
            days[row.names].update({row.day} - undated)
    is_long = len(set().union(*days.values())) >= _SHORTEST
    alike: dict[tuple[str, str], list[Names]] = defaultdict(list)
    for names in days:
        alike[beginning_of(names.application), names.principal].append(names)
    renamed: dict[Names, Names] = {}
    for (beginning, _), some in alike.items():
        dated = [len(days[names]) for names in some if days[names]]
        is_brief = len(dated) > EPHEMERAL and dated.count(1) * 10 >= len(dated) * 9
        if len(some) > MAX_APPLICATIONS or (is_long and is_brief and beginning != ANY):
            for names in some:
                renamed[names] = names._replace(application=beginning)
    return renamed


def _stray_days(counts: Counts) -> dict[str, int]:
    """Days with few requests that more than a year without any separates from the others.

    A broker that starts without the time is in 1970, and other clocks may jump as far: with such a
    day, no application would be active.
    """
    requests: Counter[str] = Counter()
    for row, tally in counts.requests.items():
        requests[row.day] += tally.requests
    runs: list[list[str]] = []
    for day in sorted(requests.keys() - {NO_DAY}):
        if not runs or date.fromisoformat(day) - date.fromisoformat(runs[-1][-1]) > _A_YEAR:
            runs.append([])
        runs[-1].append(day)
    stray: dict[str, int] = {}
    for run in runs:
        of_run = {day: requests[day] for day in run}
        if sum(of_run.values()) * _FEW < requests.total():
            stray |= of_run
    return stray


def added_up(uses: Iterable[Use]) -> Total:
    """The requests of uses, in one pass."""
    total = Total()
    for use in uses:
        for tally in (total.every, total.of[use.status]):
            tally.add(use.tally)
    return total


def grouped(uses: Iterable[Use], key: Callable[[Use], Key]) -> dict[Key, list[Use]]:
    """Uses by a key of each."""
    groups: dict[Key, list[Use]] = defaultdict(list)
    for use in uses:
        groups[key(use)].append(use)
    return dict(groups)
