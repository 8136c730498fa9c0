"""Turns counters of brokers into requests: the increase between two scrapes.

A counter is a total since its broker started. The first scrape of a broker does not show when that was, so
its totals have no day until a later scrape shows what is recent: from then on only differences count, each on
the day of the later scrape. If any counter of a broker is lower than before, the broker was restarted and all
of its counters began at 0 again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wirebook.fleet.reading.metrics.samples import Scrape, Series
from wirebook.fleet.requests import METRICS, NO_DAY, UNKNOWN, LineForm, LoggedRequest, Origin
from wirebook.specs.kafka.brokers import api_keys
from wirebook.specs.limits import MAX_SERIES

# Each of these requests also counts under its API: the first two are kinds of Fetch, and the third is called
# ListConfigResources since 4.1 (Request.updateRequestMetrics).
_PARTS = {"FetchConsumer": "Fetch", "FetchFollower": "Fetch"}
_RENAMED = {"ListClientMetricsResources": "ListConfigResources"}
# These do not also count under their API.
_OWN = {"AddPartitionsToTxnVerification": "AddPartitionsToTxn"}
_Counts = dict[Series, int]


class Gain(NamedTuple):
    """Requests that a scrape adds, or takes back if their day turns out to be unknown; `at` may be ""."""

    request: LoggedRequest
    requests: int
    at: str


class Gains(NamedTuple):
    """What a scrape adds and takes back, and the same by the form of the dumps that showed it."""

    requests: list[Gain]
    forms: Counter[LineForm]


@dataclass(slots=True)
class BrokerCounters:
    """The state of the counters of a broker.

    `unknown` are the counts of the first scrape, which have no day, and `unknown_forms` how many requests
    these are by the form of the dump. `owed` is what was counted too often, because the counters of one
    scrape are not read at the same moment.
    """

    at: str
    values: _Counts = field(default_factory=dict)
    unknown: _Counts = field(default_factory=dict)
    owed: _Counts = field(default_factory=dict)
    unknown_forms: Counter[LineForm] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Return the value for `state.json`."""
        parts = (self.values, self.unknown, self.owed)
        return {
            "at": self.at,
            "unknown_forms": dict(sorted(self.unknown_forms.items())),
            "series": [
                [*series, *(part.get(series, 0) for part in parts)] for series in sorted(set().union(*parts))
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> BrokerCounters:
        """Read a broker from a `state.json`. Raises TypeError, KeyError, ValueError."""
        forms = {LineForm(form): int(number) for form, number in value["unknown_forms"].items()}
        broker = cls(str(value["at"]), unknown_forms=Counter(forms))
        for request, version, software, number, last, unknown, owed in value["series"]:
            series = Series(str(request), int(version), str(software), str(number))
            broker.values[series] = int(last)
            for part, found in ((broker.unknown, int(unknown)), (broker.owed, int(owed))):
                if found:
                    part[series] = found
        return broker

    def add(self, values: _Counts, at: str, form: LineForm) -> Gains:
        """Return the requests since the last scrape; without a day if `at` is ""."""
        if any(values[series] < last for series, last in self.values.items() if series in values):
            # Restarted: counters that are not in this scrape began at 0 as well.
            self.values, self.owed = {}, {}
        grown = {series: value - self.values.get(series, 0) for series, value in values.items()}
        gained = _counted(grown, self)
        self.values.update(values)
        self.at = at
        gains = list(_counts(gained, at))
        forms = Counter({form: sum(gain.requests for gain in gains)})
        if not at:
            for series, number in gained.items():
                self.unknown[series] = self.unknown.get(series, 0) + number
            self.unknown_forms.update(forms)
        elif self.unknown:
            gains += _counts({series: -number for series, number in self.unknown.items()}, "")
            forms.subtract(self.unknown_forms)
            self.unknown, self.unknown_forms = {}, Counter()
        return Gains(gains, forms)


class Counters:
    """The counters of all brokers by source, and the requests that each scrape adds."""

    def __init__(self, brokers: dict[str, BrokerCounters]) -> None:
        self.brokers = brokers

    def add(self, scrape: Scrape, form: LineForm) -> Gains | None:
        """Return the requests of a scrape, from a dump of some form, that were not counted before; None if
        the scrape is out of order.

        Requests of an API whose name no release has are left out, because its key is unknown.
        """
        before = self.brokers.get(scrape.source)
        values = dict(list(_wanted(scrape.values).items())[:MAX_SERIES])
        if before is None:
            broker = self.brokers[scrape.source] = BrokerCounters("")
            gains = broker.add(values, "", form)
            broker.at = scrape.at
            return gains
        if before.at and scrape.at <= before.at:
            return None
        return before.add(values, scrape.at, form)


def unknown_names(values: Mapping[Series, int]) -> list[str]:
    """The names of APIs among these counters that no release has."""
    return sorted({series.request for series in _wanted(values) if _key(series) is None})


def left_out(values: Mapping[Series, int]) -> int:
    """How many counters of a scrape exceed the limit and are not followed."""
    return max(0, len(_wanted(values)) - MAX_SERIES)


def _wanted(values: Mapping[Series, int]) -> _Counts:
    """The counters, except those whose requests all count under another counter as well."""
    counters = {}
    for series, value in sorted(values.items()):
        if series.request in _PARTS:
            continue
        other = _RENAMED.get(series.request)
        if other is None or series._replace(request=other) not in values:
            counters[series] = value
    return counters


def _counted(grown: _Counts, broker: BrokerCounters) -> _Counts:
    """Requests by counter, without counting those of deprecated versions in the total a second time."""
    named: dict[tuple[str, int], int] = defaultdict(int)
    for series, number in grown.items():
        if series.is_deprecated:
            named[series.request, series.version] += number
    requests = {}
    for series, number in grown.items():
        if not series.is_deprecated:
            number -= named[series.request, series.version] + broker.owed.pop(series, 0)
            if number < 0:
                broker.owed[series] = -number
        if number > 0:
            requests[series] = number
    return requests


def _key(series: Series) -> int | None:
    name = _OWN.get(series.request, series.request)
    return api_keys().get(name.lower())


def _counts(gained: _Counts, at: str) -> Iterator[Gain]:
    for series, number in gained.items():
        key = _key(series)
        if key is not None:
            software = (series.software or UNKNOWN, series.software_version or UNKNOWN)
            day = at[:10] or NO_DAY
            request = LoggedRequest(
                day, *software, METRICS, "", "", key, series.version, series.is_deprecated, Origin.METRICS
            )
            yield Gain(request, number, at)
