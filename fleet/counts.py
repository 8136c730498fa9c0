"""Counts the requests in lines of logs: equal requests of a day are one row, with the first and
last time.

Memory depends on applications and the versions that they send, not on lines or client ids: more
than MAX_APPLICATIONS names of a principal that begin alike are one application. Counts of parts of
the lines add up to those of all, in any order: this process reads one file after the other, and
tasks of Spark read their share and pass on `entries`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

from wirebook.fleet.containers import Parts
from wirebook.fleet.lines import Origin, Reason, Unreadable, parse
from wirebook.fleet.owners import Owners
from wirebook.fleet.patterns import beginning_of
from wirebook.specs.limits import MAX_APPLICATIONS
from wirebook.specs.printable import visible

MOST_IDS = 256
"""How many client ids of an application are kept; of more, only that there are so many is known."""
_MOST_SAMPLES = 3  # of each reason
_LONGEST_SAMPLE = 200
_CACHED = 1 << 14


class Names(NamedTuple):
    """What distinguishes an application."""

    application: str
    principal: str
    owner: str


class Row(NamedTuple):
    """What equal requests of a day have in common: they are counted together."""

    day: str
    origin: Origin
    software: str
    software_version: str
    application: str
    principal: str
    owner: str
    api_key: int
    version: int

    @property
    def names(self) -> Names:
        """The application, its principal and its owner."""
        return Names(self.application, self.principal, self.owner)


class Sample(NamedTuple):
    """A line that is not a request: its start in printable form, and its file."""

    reason: Reason
    file: str
    text: str


Item = TypeVar("Item", str, Sample)


@dataclass(slots=True)
class Tally:
    """A number of requests, and the times of the first and the last; "" if none has one."""

    requests: int = 0
    first: str = ""
    last: str = ""

    def add(self, requests: int, first: str, last: str) -> None:
        """Add some requests."""
        self.requests += requests
        self.first = min(filter(None, (self.first, first)), default="")
        self.last = max(self.last, last)


class Counts:
    """What was read: requests and client ids, files, and lines, with the reasons of those that
    are not requests.

    `named` are the applications that the owners file names.
    """

    def __init__(self, owners: Owners | None = None) -> None:
        self.requests: dict[Row, Tally] = {}
        self.client_ids: defaultdict[Names, set[str]] = defaultdict(set)
        self.files: set[str] = set()
        self.lines = 0
        self.skipped: Counter[Reason] = Counter()
        self._samples: defaultdict[Reason, set[Sample]] = defaultdict(set)
        self._owners = owners or Owners()
        self.named = {entry.value for entry in self._owners.applications}
        # The names that begin alike, of each principal; None if there are too many.
        self._alike: dict[tuple[str, str], set[Names] | None] = {}
        self._names = lru_cache(_CACHED)(self._names_of)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Some lines that are not requests, by reason."""
        samples: list[Sample] = []
        for _, kept in sorted(self._samples.items()):
            samples += sorted(kept)[:_MOST_SAMPLES]
        return tuple(samples)

    def read(self, lines: Iterable[bytes], file: str, parts: Parts) -> None:
        """Count the requests in some lines of a file. `parts` keeps those that a container has
        split."""
        read = 0
        for read, line in enumerate(lines, 1):  # noqa: B007 - it is the number of lines
            whole = parts.whole(line)
            if whole is None or not whole.text.strip():
                continue
            try:
                request = parse(*whole)
            except Unreadable as error:
                self.skip(error.reason, file, whole.text)
                continue
            names = self._names(request.principal, request.client_id)
            software = (request.software, request.software_version)
            what = (request.api_key, request.version)
            row = Row(request.day, request.origin, *software, *names, *what)
            self._add(row, 1, request.at, request.at)
            if request.client_id:
                _keep(self.client_ids[names], request.client_id, MOST_IDS)
        if read:  # Spark shows no file that is empty
            self.files.add(file)
            self.lines += read

    def end(self, file: str, parts: Parts) -> None:
        """Note the lines of a file whose last part is missing."""
        for whole in parts.unfinished():
            self.skip(Reason.CUT, file, whole.text)

    def skip(self, reason: Reason, file: str, line: bytes) -> None:
        """Count a line that is not a request; a few samples are kept for each reason."""
        self.skipped[reason] += 1
        text = visible(line[:_LONGEST_SAMPLE].decode("utf-8", "backslashreplace").rstrip("\r\n"))
        shown = f"{text}…" if len(line) > _LONGEST_SAMPLE else text
        self._sample(Sample(reason, file, shown))

    def _sample(self, sample: Sample) -> None:
        _keep(self._samples[sample.reason], sample, _MOST_SAMPLES)

    def _names_of(self, principal: str, client_id: str) -> Names:
        return self._folded(Names(*self._owners.names(principal, client_id)))

    def _folded(self, names: Names) -> Names:
        """The names of an application: those of its beginning if too many of its principal begin
        alike."""
        if names.application in self.named:
            return names
        beginning = beginning_of(names.application)
        alike = self._alike.setdefault((beginning, names.principal), set())
        if alike is not None and names.application != beginning:
            alike.add(names)
            if len(alike) <= MAX_APPLICATIONS:
                return names
        if alike is not None:
            self._alike[beginning, names.principal] = None
            self.fold(alike)
        return names._replace(application=beginning)

    def fold(self, alike: set[Names]) -> None:
        """Count what was counted for some names as that of their beginning."""
        self._names.cache_clear()
        rows, self.requests = self.requests, {}
        for row, tally in rows.items():
            if row.names in alike:
                row = row._replace(application=beginning_of(row.application))
            self._add(row, tally.requests, tally.first, tally.last)
        for names in alike & self.client_ids.keys():
            whole = names._replace(application=beginning_of(names.application))
            for each in self.client_ids.pop(names):
                _keep(self.client_ids[whole], each, MOST_IDS)

    def _add(self, row: Row, requests: int, first: str, last: str) -> None:
        tally = self.requests.get(row)
        if tally is None:
            tally = self.requests[row] = Tally()
        tally.add(requests, first, last)

    def entries(self) -> Iterator[tuple[str, int, str | None, str | None]]:
        """All that was read, as numbers that add up by a key, and the first and the last time."""
        for row, tally in self.requests.items():
            times = tally.first or None, tally.last or None
            yield json.dumps(["request", *row]), tally.requests, *times
        for names, kept in self.client_ids.items():
            for each in sorted(kept)[:MOST_IDS]:
                yield json.dumps(["client id", *names, each]), 1, None, None
        for sample in self.samples:
            yield json.dumps(["sample", *sample]), 1, None, None
        for reason, number in self.skipped.items():
            yield json.dumps(["skipped", reason]), number, None, None
        for file in self.files:
            yield json.dumps(["file", file]), 1, None, None
        yield json.dumps(["lines"]), self.lines, None, None

    def add(self, key: str, number: int, first: str | None, last: str | None) -> None:
        """Add an entry of others."""
        match json.loads(key):
            case ["request", day, origin, *rest]:
                row = Row(day, Origin(origin), *rest)
                row = row._replace(application=self._folded(row.names).application)
                self._add(row, number, first or "", last or "")
            case ["client id", *names, each]:
                _keep(self.client_ids[self._folded(Names(*names))], each, MOST_IDS)
            case ["sample", reason, file, text]:
                self._sample(Sample(Reason(reason), file, text))
            case ["skipped", reason]:
                self.skipped[Reason(reason)] += number
            case ["file", file]:
                self.files.add(file)
            case ["lines"]:
                self.lines += number


def _keep(kept: set[Item], item: Item, most: int) -> None:
    """Keep an item, if it is among the first ones in order."""
    kept.add(item)
    if len(kept) >= 2 * most:
        kept.difference_update(sorted(kept)[most:])
