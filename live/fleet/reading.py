"""Counts the lines of a log: a fast path for lines exactly as Kafka writes them, the parser for others.

The fast path extracts the same values as the parser. It skips the bodies of requests and responses, and
parses the parts that equal requests share only once.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import NamedTuple

from wirebook.live.fleet.counting import Counting
from wirebook.live.fleet.files import ByteSource
from wirebook.live.fleet.lines import parse
from wirebook.live.fleet.requests import LineForm, LoggedRequest, Reason, Unreadable
from wirebook.specs.limits import MAX_LINE
from wirebook.specs.printable import visible

CHUNK = 1 << 20
MOST_SAMPLES = 3  # of each reason
LONGEST_SAMPLE = 200
_MOST_KINDS = 100_000  # of raw lines before they are parsed and counted
_MOST_JUNK = 1_000  # of short lines that are no requests, so that equal ones are parsed once

_HEAD = re.compile(
    rb"\[(\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d,\d{3})\] [A-Z]+ Completed request:"
    rb'\{"isForwarded":(?:true|false),'
    rb'"requestHeader":\{("requestApiKey":\d+,"requestApiVersion":\d+),"correlationId":-?\d+,'
    rb'("clientId":(?:"(?:[^"\\]|\\.)*+"|null),"requestApiKeyName":"[A-Z0-9_]+"'
    rb'(?:,"requestApiVersionDeprecated":true)?)\},"request":'
)
_MARK = b"Completed request:"
_SECURITY = b',"securityProtocol":"'
_SOFTWARE = b'"clientInformation":{'
_ENDS = (b"} (kafka.request.logger)", b"}")
_END = re.compile(
    rb'(?:,"temporaryMemoryBytes":\d+)?(?:,"messageConversionsTime":[-+.\dE]+)?\}'
    rb"(?: \(kafka\.request\.logger\))?"
)
_TAIL = re.compile(
    rb',"securityProtocol":"\w*","principal":"(?:[^"\\]|\\.)*+","listener":"(?:[^"\\]|\\.)*+",'
    rb'"clientInformation":\{"softwareName":"[\w.-]*","softwareVersion":"[\w.-]*"\}'
)

Change = Callable[[LoggedRequest], LoggedRequest]
_Kinds = dict[tuple[bytes, bytes, bytes, bytes], list[int | bytes]]


class Sample(NamedTuple):
    """A line that is not a request: its start in printable form, and its file."""

    reason: Reason
    file: str
    text: str


@dataclass
class Read:
    """What was read: counted requests, lines by form, and skipped lines by reason."""

    counting: Counting = field(default_factory=Counting)
    forms: Counter[LineForm] = field(default_factory=Counter)
    skipped: Counter[Reason] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)

    def skip(self, reason: Reason, file: str, line: bytes) -> None:
        """Count a line that is not a request; a few samples are kept for each reason."""
        self.skipped[reason] += 1
        self.keep((Sample(reason, file, sample_text(line)),))

    def keep(self, samples: Iterable[Sample]) -> None:
        """Keep the first samples of each reason by file and text, regardless of the reading order."""
        for sample in samples:
            alike = [other for other in self.samples if other.reason is sample.reason]
            if sample in alike or (len(alike) == MOST_SAMPLES and sample > alike[-1]):
                continue
            if len(alike) == MOST_SAMPLES:
                self.samples.remove(alike[-1])
            insort(self.samples, sample)

    def add(self, other: Read) -> None:
        """Add the result of another read."""
        self.counting.add_all(other.counting)
        self.note(other.forms, other.skipped, other.samples)

    def note(self, forms: Counter[LineForm], skipped: Counter[Reason], samples: Iterable[Sample]) -> None:
        """Add the lines of another piece, by form and by reason, with its samples."""
        self.forms.update(forms)
        self.skipped.update(skipped)
        self.keep(samples)


def sample_text(line: bytes) -> str:
    """The start of a line as printable text."""
    text = visible(line[:LONGEST_SAMPLE].decode("utf-8", "backslashreplace").rstrip("\r\n"))
    return f"{text}…" if len(line) > LONGEST_SAMPLE else text


def same(request: LoggedRequest) -> LoggedRequest:
    """Return the request unchanged."""
    return request


def read_lines(blocks: Iterable[Sequence[bytes]], file: str, into: Read, change: Change = same) -> int:
    """Count the requests in blocks of lines into `into`; returns the number of lines.

    `change` is applied once to each distinct request before it is counted.
    """
    kinds: _Kinds = {}
    try:
        return _read(blocks, file, into, change, kinds)
    finally:
        # In a damaged file, the lines before the damage count.
        _flush(kinds, into, change)


def _read(blocks: Iterable[Sequence[bytes]], file: str, into: Read, change: Change, kinds: _Kinds) -> int:
    good_tails: set[bytes] = set()
    head, end_of, counted = _HEAD.match, _END.fullmatch, [0]
    junk: dict[bytes, Reason] = {}
    for line in _filled(blocks, counted):
        match = head(line)
        # After a crash, the next line begins in the middle of the last one: its start and end belong to
        # different requests.
        if match is not None and line.find(_MARK, match.end()) < 0:
            start = line.rfind(_SECURITY)
            close = line.find(b"}", line.find(_SOFTWARE, start)) + 1
            tail = line[start:close]
            rest = line[close:].rstrip()
            is_known = tail in good_tails
            if not is_known and start > 0 and close and _TAIL.fullmatch(tail):
                is_known = True
                if len(good_tails) < _MOST_KINDS:
                    good_tails.add(tail)
            if is_known and (rest in _ENDS or end_of(rest)):
                at, api, client = match.groups()
                key = (at[:10], api, client, tail)
                found = kinds.get(key)
                if found is None:
                    if len(kinds) >= _MOST_KINDS:
                        _flush(kinds, into, change)
                    kinds[key] = [1, at, at]
                else:
                    found[0] += 1  # type: ignore[operator]
                    if at > found[2]:  # type: ignore[operator]
                        found[2] = at
                    elif at < found[1]:  # type: ignore[operator]
                        found[1] = at
                continue
        reason = junk.get(line)
        if reason is not None:
            into.skipped[reason] += 1  # its sample was considered when it first came
            continue
        reason = _parsed(line, file, into, change)
        if reason is not None and len(line) <= LONGEST_SAMPLE and len(junk) < _MOST_JUNK:
            junk[line] = reason
    return counted[0]


def _filled(blocks: Iterable[Sequence[bytes]], counted: list[int]) -> Iterator[bytes]:
    """The lines that are not blank; `counted` gets the number of all.

    A small compressed file may have millions of blank lines, so that none reaches the interpreter's loop.
    """
    for block in blocks:
        counted[0] += len(block)
        yield from filter(bytes.strip, filter(None, block))


def _parsed(line: bytes, file: str, into: Read, change: Change) -> Reason | None:
    """Count a line that differs from Kafka's usual ones; returns why it is skipped."""
    if len(line) > MAX_LINE:
        into.skip(Reason.TOO_LONG, file, line)
        return Reason.TOO_LONG
    try:
        seen, form = parse(line)
    except Unreadable as error:
        into.skip(error.reason, file, line)
        return error.reason
    into.forms[form] += 1
    into.counting.add(change(seen.request), 1, seen.at, seen.at)
    return None


def _flush(kinds: _Kinds, into: Read, change: Change) -> None:
    """Parse one rebuilt line of each kind, and count as many requests as there were lines of that kind."""
    for (_, api, client, tail), (count, first, last) in kinds.items():
        assert isinstance(count, int)
        assert isinstance(first, bytes)
        assert isinstance(last, bytes)
        line = b'[%b] DEBUG Completed request:{"requestHeader":{%b,%b}%b}' % (first, api, client, tail)
        try:
            seen, form = parse(line)
        except Unreadable as error:
            into.skip(error.reason, "", line)
            into.skipped[error.reason] += count - 1
            continue
        into.forms[form] += count
        until = last.decode().replace(" ", "T").replace(",", ".")
        into.counting.add(change(seen.request), count, seen.at, until if seen.at else "")
    kinds.clear()


def lines_of(file: ByteSource, length: int | None = None) -> Iterator[bytes]:
    """The lines of `blocks_of`, one by one."""
    return chain.from_iterable(blocks_of(file, length))


def blocks_of(file: ByteSource, length: int | None = None) -> Iterator[list[bytes]]:
    """The lines of a file from its position on, or of its next `length` bytes, without line ends, in blocks.

    A line longer than MAX_LINE is cut one byte beyond that length.
    """
    left = length
    rest: list[bytes] = []
    held = 0
    for chunk in iter(partial(_chunk, file), b""):
        if left is not None:
            chunk = chunk[:left]
            left -= len(chunk)
        first, *lines = chunk.split(b"\n")
        if held <= MAX_LINE:
            rest.append(first)
            held += len(first)
        if lines:
            last = lines.pop()
            yield [b"".join(rest)[: MAX_LINE + 1], *lines]
            rest, held = [last], len(last)
        if left == 0:
            break
    if held:
        yield [b"".join(rest)[: MAX_LINE + 1]]


def _chunk(file: ByteSource) -> bytes:
    # `read` would lose what comes before the end of a truncated gzip file; this does not.
    chunk: bytes = getattr(file, "read1", file.read)(CHUNK)
    return chunk
