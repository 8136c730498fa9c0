"""Counts the requests in lines of logs: equal requests of a day are one row, with the first and
last time.

Memory depends on applications and the versions that they send, not on lines. Counts of parts of
the lines add up to those of all, in any order: this process reads one file after the other, and
tasks of Spark read their share and pass on `entries`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from wirebook.fleet.containers import Parts
from wirebook.fleet.lines import Origin, Reason, Unreadable, parse
from wirebook.fleet.owners import Names, Owners
from wirebook.specs.limits import MAX_NAMES
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

MOST_IDS = 256
"""How many client ids of an application are kept; of more, only that there are so many is known."""
_MOST_SAMPLES = 3  # of each reason
_LONGEST_SAMPLE = 200
_CACHED = 1 << 14


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


Key = tuple[Any, ...]
"""What a tally is of: a kind, and what distinguishes it from others of the kind."""
Item = TypeVar("Item", str, Sample)


@dataclass(slots=True)
class Tally:
    """A number of requests, and the times of the first and the last; "" if none has one."""

    requests: int = 0
    first: str = ""
    last: str = ""

    def add(self, other: Tally) -> None:
        """Add some requests."""
        self.requests += other.requests
        self.first = min(filter(None, (self.first, other.first)), default="")
        self.last = max(self.last, other.last)


class Counts:
    """What was read: requests, client ids of each application, the lines of each file, and the
    reasons of lines that are not requests, with samples."""

    def __init__(self, owners: Owners | None = None) -> None:
        self.requests: defaultdict[Row, Tally] = defaultdict(Tally)
        self.client_ids: defaultdict[Names, set[str]] = defaultdict(set)
        self.lines: Counter[str] = Counter()
        self.skipped: Counter[Reason] = Counter()
        self._samples: defaultdict[Reason, set[Sample]] = defaultdict(set)
        self._parts: defaultdict[str, Parts] = defaultdict(Parts)
        self._names = lru_cache(_CACHED)((owners or Owners()).names)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Some lines that are not requests, by reason."""
        samples: list[Sample] = []
        for _, kept in sorted(self._samples.items()):
            samples += sorted(kept)[:_MOST_SAMPLES]
        return tuple(samples)

    def read(self, lines: Iterable[bytes], file: str) -> None:
        """Count the requests in some lines of a file. Raises InputError for more names than a fleet
        has."""
        parts = self._parts[file]
        for line in lines:
            self.lines[file] += 1
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
            self.requests[row].add(Tally(1, request.at, request.at))
            self.keep(names, request.client_id)

    def end(self) -> None:
        """Count the lines whose last part is missing, once all is read."""
        for file, parts in self._parts.items():
            for whole in parts.unfinished():
                self.skip(Reason.CUT, file, whole.text)

    def keep(self, names: Names, client_id: str) -> None:
        """Keep a client id of an application, if it has one. Raises InputError."""
        ids = self.client_ids[names]
        if client_id:
            _keep(ids, client_id, MOST_IDS)
        if len(self.client_ids) > MAX_NAMES:
            raise InputError(
                f"there are more than {MAX_NAMES:,} applications, such as {client_id}: "
                "give those with random names one name, by [[application]] in the owners file"
            )

    def skip(self, reason: Reason, file: str, line: bytes) -> None:
        """Count a line that is not a request; a few samples are kept for each reason."""
        self.skipped[reason] += 1
        text = visible(line[:_LONGEST_SAMPLE].decode("utf-8", "backslashreplace").rstrip("\r\n"))
        shown = f"{text}…" if len(line) > _LONGEST_SAMPLE else text
        _keep(self._samples[reason], Sample(reason, file, shown), _MOST_SAMPLES)

    def rename(self, renamed: Mapping[Names, Names]) -> None:
        """Count what was counted for some applications as that of others."""
        rows = list(self.requests.items())
        self.requests.clear()
        for row, tally in rows:
            names = renamed.get(row.names, row.names)
            self.requests[row._replace(**names._asdict())].add(tally)
        for names, new in renamed.items():
            for each in self.client_ids.pop(names, ()):
                _keep(self.client_ids[new], each, MOST_IDS)

    def entries(self) -> Iterator[tuple[Key, Tally]]:
        """All that was read, as tallies that add up by a key."""
        for row, tally in self.requests.items():
            yield ("request", *row), tally
        for names, kept in self.client_ids.items():
            for each in sorted(kept)[:MOST_IDS]:
                yield ("client id", *names, each), Tally(1)
        for sample in self.samples:
            yield ("sample", *sample), Tally(1)
        for reason, number in self.skipped.items():
            yield ("skipped", reason), Tally(number)
        for file, number in self.lines.items():
            yield ("lines", file), Tally(number)

    def add(self, key: Key, tally: Tally) -> None:
        """Add an entry of others, whose key may have been JSON. Raises InputError."""
        match key:
            case ("request", day, origin, *others):
                self.requests[Row(day, Origin(origin), *others)].add(tally)
            case ("client id", *names, each):
                self.keep(Names(*names), each)
            case ("sample", reason, file, text):
                sample = Sample(Reason(reason), file, text)
                _keep(self._samples[sample.reason], sample, _MOST_SAMPLES)
            case ("skipped", reason):
                self.skipped[Reason(reason)] += tally.requests
            case ("lines", file):
                self.lines[file] += tally.requests


def _keep(kept: set[Item], item: Item, most: int) -> None:
    """Keep an item, if it is among the first ones in order."""
    kept.add(item)
    if len(kept) >= 2 * most:
        kept.difference_update(sorted(kept)[most:])
