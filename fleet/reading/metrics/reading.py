"""Reads dumps of metrics and results of the probe into counted requests."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable
from pathlib import Path

from wirebook.fleet.reading.files import DamagedFile, Packing, unpacked
from wirebook.fleet.reading.metrics.counters import Counters, left_out, unknown_names
from wirebook.fleet.reading.metrics.samples import Dump, Scrape
from wirebook.fleet.reading.own_logs import probe_requests
from wirebook.fleet.reading.progress import FilePosition
from wirebook.fleet.reading.reading import Read, lines_of
from wirebook.fleet.requests import NO_DAY, LineForm, LoggedRequest, Reason, Unreadable
from wirebook.specs.limits import MAX_INSTANCES, MAX_PROBE, MAX_SERIES

_NAMED = 3
_DIGITS = 16  # of a digest of a client instance: 64 bits

File = tuple[Path, Packing, LineForm]


class Dumps:
    """Reads files that count as a whole; keeps track of those that were read, and of problems in them.

    `instances` are digests of the client instances that were counted, by day; of the last day that is
    forgotten, there are none.
    """

    def __init__(
        self, counters: Counters, positions: Iterable[FilePosition], instances: dict[str, set[str]]
    ) -> None:
        self.counters = counters
        self.instances = instances
        self.positions = list(positions)
        self.read_now: list[FilePosition] = []
        self.texts = {position.prefix: position.path for position in self.positions}
        self.problems: list[tuple[str, str]] = []

    def read(self, files: Iterable[File], into: Read) -> None:
        """Read new files, and all scrapes in order of time. Raises OSError, InputError."""
        scrapes: list[tuple[Scrape, str, LineForm]] = []
        for path, packing, form in files:
            try:
                scrapes += self._file(path, packing, form, into)
            except FileNotFoundError:
                self._note(path, "the file vanished before it was read")
            except DamagedFile:
                self._note(path, "the compressed file is cut off or corrupt; it is not counted")
        paths = {position.path for position in self.read_now}
        self.positions = [*(each for each in self.positions if each.path not in paths), *self.read_now]
        for scrape, name, form in sorted(scrapes, key=lambda item: (item[0].at, item[0].source, item[1])):
            gains = self.counters.add(scrape, form)
            if gains is None:
                self._note(name, "has a scrape that is not later than one that was counted")
                continue
            self._note_left_out(scrape, name)
            for request, number, at in gains.requests:
                into.counting.see(request, number, at, at)
            into.forms.update(gains.forms)
        self._forget()

    def _file(
        self, path: Path, packing: Packing, form: LineForm, into: Read
    ) -> list[tuple[Scrape, str, LineForm]]:
        """Return the scrapes of a file; the requests of a probe are counted immediately."""
        state = os.stat(path)
        with unpacked(path, packing) as file:
            text = file.read(MAX_PROBE) if form is LineForm.PROBE else b""
            lines = list(lines_of(file))
        into.lines += len(lines) or 1
        digest = hashlib.sha256(text)
        for line in lines:
            digest.update(line + b"\n")
        mark = digest.hexdigest()[:32]
        self.read_now.append(
            FilePosition(str(path), packing, state.st_size, state.st_mtime_ns, state.st_ino, 0, mark, "")
        )
        if self.texts.setdefault(mark, str(path)) != str(path):
            self._note(path, "has the same text as another file, and counts once")
            return []
        if form is LineForm.PROBE:
            self._probe(text, path, into)
            return []
        dump = Dump(str(path), form)
        scrapes = dump.read(lines)
        for reason, line in dump.skipped:
            into.skip(reason, str(path), line)
        if dump.others:
            into.skipped[Reason.OTHER_METRIC] += dump.others
        late = set(filter(self._is_forgotten, {request.day for request, _ in dump.instances}))
        for (request, instance), at in sorted(dump.instances.items()):
            if request.day not in late:
                self._instance(instance, request, at, into)
        for day in sorted(late):
            words = f"has telemetry of {day}, whose client instances are no longer known: not counted"
            self._note(path, words)
        if not scrapes and not dump.instances:
            self._note(path, "has no counter of requests (RequestsPerSec, DeprecatedRequestsPerSec)")
        return [(scrape, str(path), form) for scrape in scrapes]

    def _instance(self, instance: str, request: LoggedRequest, at: str, into: Read) -> None:
        """Count a client instance unless another dump of the day has it; that shows only another time."""
        # The key of pseudonyms keeps names from being guessed by their digests.
        key = into.counting.naming.key
        text = "\0".join((instance, request.client_id, request.principal, *request[1:3]))
        digest = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_DIGITS]
        seen = self.instances.setdefault(request.day, set())
        number = int(digest not in seen)
        seen.add(digest)
        into.counting.see(request, number, at, at)
        into.forms[LineForm.TELEMETRY] += number

    def _is_forgotten(self, day: str) -> bool:
        """Whether the client instances of a day, or of a later one, were forgotten."""
        forgotten = [other for other, seen in self.instances.items() if not seen]
        return day in forgotten or any(day < other != NO_DAY for other in forgotten)

    def _forget(self) -> None:
        """Forget the earliest days if there are too many instances, apart from which days these are."""
        remembered = sum(map(len, self.instances.values()))
        for day in sorted(self.instances):
            if remembered <= MAX_INSTANCES:
                break
            remembered -= len(self.instances[day])
            self.instances = {other: seen for other, seen in self.instances.items() if other > day}
            self.instances[day] = set()

    def _probe(self, text: bytes, path: Path, into: Read) -> None:
        try:
            requests = list(probe_requests(text))
        except Unreadable as error:
            into.skip(error.reason, str(path), text)
            return
        for request in requests:
            into.forms[LineForm.PROBE] += 1
            into.counting.see(request, 1, "", "")

    def _note(self, path: Path | str, problem: str) -> None:
        self.problems.append((str(path), problem))

    def _note_left_out(self, scrape: Scrape, name: str) -> None:
        unknown, more = unknown_names(scrape.values), left_out(scrape.values)
        if unknown:
            listed = ", ".join(unknown[:_NAMED]) + (", …" if len(unknown) > _NAMED else "")
            self._note(name, f"counts requests of APIs that no release has by name: {listed}")
        if more:
            words = f"has more than {MAX_SERIES:,} counters of one broker; {more:,} are not counted"
            self._note(name, words)
