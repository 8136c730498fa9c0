"""Counts the lines of a log: a fast path for lines exactly as Kafka writes them, the parser for others.

The fast path extracts the same values as the parser. It skips the bodies of requests and responses, and
parses the parts that equal requests share only once.
"""

from __future__ import annotations

import json
import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import NamedTuple

from wirebook.fleet.applications.naming import Names, row_of
from wirebook.fleet.counting.counting import Counting, Who
from wirebook.fleet.reading.containers import Parts
from wirebook.fleet.reading.files import ByteSource
from wirebook.fleet.reading.lines import name_of, parse
from wirebook.fleet.reading.times import moment_of
from wirebook.fleet.requests import (
    NO_DAY,
    UNKNOWN,
    LineForm,
    LoggedRequest,
    Origin,
    Reason,
    Unreadable,
    origin_of,
)
from wirebook.specs.limits import MAX_INT16, MAX_LINE
from wirebook.specs.printable import visible

CHUNK = 1 << 20
MOST_SAMPLES = 3  # of each reason
LONGEST_SAMPLE = 200
_MOST_LINES = 1 << 15  # that are kept before they are counted
_MOST_TAILS = 100_000  # that are checked only once
_MOST_JUNK = 1_000  # of short lines that are no requests, so that equal ones are parsed once

_STRING = rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER = rb"(?:0|[1-9]\d{0,4}+)"
_HEAD = re.compile(
    rb"\[(\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d,\d{3})\] [A-Z]+ Completed request:"
    rb'\{"isForwarded":(true|false),'
    rb'"requestHeader":\{("requestApiKey":' + _NUMBER + rb',"requestApiVersion":' + _NUMBER + rb"),"
    rb'"correlationId":-?\d+,"clientId":(' + _STRING + rb'|null),"requestApiKeyName":"[A-Z0-9_]+"'
    rb'(,"requestApiVersionDeprecated":true)?\},"request":'
)
_API = re.compile(rb"\D+(\d+)\D+(\d+)")
_MARK = b"Completed request:"
_SECURITY = b',"securityProtocol":"'
_SOFTWARE = b'"clientInformation":{'
_ENDS = (b"} (kafka.request.logger)", b"}")
_END = re.compile(
    rb'(?:,"temporaryMemoryBytes":\d+)?(?:,"messageConversionsTime":[-+.\dE]+)?\}'
    rb"(?: \(kafka\.request\.logger\))?"
)
_TAIL = re.compile(
    rb',"securityProtocol":"\w*","principal":' + _STRING + rb',"listener":' + _STRING + rb","
    rb'"clientInformation":\{"softwareName":"[\w.-]*","softwareVersion":"[\w.-]*"\}'
)

# The day, whether it was forwarded, the API and its version, the deprecation, the tail.
_Kind = tuple[bytes, bytes, bytes, bytes | None, bytes]
_Lines = tuple[list[bytes], list[bytes]]  # their times, and their client ids
_Kinds = defaultdict[_Kind, _Lines]


class Sample(NamedTuple):
    """A line that is not a request: its start in printable form, and its file."""

    reason: Reason
    file: str
    text: str


@dataclass(kw_only=True)
class LineCounts:
    """Lines that were read: how many, requests by form, and lines that are none by reason, with samples."""

    forms: Counter[LineForm] = field(default_factory=Counter)
    skipped: Counter[Reason] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    lines: int = 0

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

    def add_lines(self, other: LineCounts) -> None:
        """Add the lines of another read."""
        self.forms.update(other.forms)
        self.skipped.update(other.skipped)
        self.keep(other.samples)
        self.lines += other.lines


@dataclass
class Read(LineCounts):
    """What was read: counted requests, and the lines."""

    counting: Counting = field(default_factory=Counting)

    def without_requests(self) -> Read:
        """The lines of this read, to be sent elsewhere."""
        return replace(self, counting=Counting())

    def add(self, other: Read) -> None:
        """Add the result of another read."""
        self.counting.add_all(other.counting)
        self.add_lines(other)


def sample_text(line: bytes) -> str:
    """The start of a line as printable text."""
    text = visible(line[:LONGEST_SAMPLE].decode("utf-8", "backslashreplace").rstrip("\r\n"))
    return f"{text}…" if len(line) > LONGEST_SAMPLE else text


def read_lines(blocks: Iterable[Sequence[bytes]], file: str, into: Read) -> None:
    """Count the requests in blocks of lines into `into`."""
    kinds: _Kinds = defaultdict(lambda: ([], []))
    counted = [0]
    try:
        _read(blocks, file, into, kinds, counted)
    finally:
        into.lines += counted[0]
        # In a damaged file, the lines before the damage count.
        _flush(kinds, into)


def _read(
    blocks: Iterable[Sequence[bytes]], file: str, into: Read, kinds: _Kinds, counted: list[int]
) -> None:
    tails = _Tails(set(), {})
    head = _HEAD.match
    junk: dict[bytes, Reason] = {}
    parts = Parts()
    kept = 0
    for raw in _filled(blocks, counted):
        line: bytes | None = raw
        match = head(raw)
        if match is None:
            if raw in junk:
                into.skipped[junk[raw]] += 1  # its sample was considered when it first came
                continue
            line = parts.whole(raw)
            if line is None:
                continue
            match = None if line is raw else head(line)
        assert line is not None
        # After a crash, the next line begins in the middle of the last one: its start and end belong to
        # different requests.
        if match is not None and line.find(_MARK, match.end()) < 0:
            tail = _tail_of(line, tails)
            if tail is not None:
                at, forwarded, api, client, deprecated = match.groups()
                times, clients = kinds[at[:10], forwarded, api, deprecated, tail]
                times.append(at)
                clients.append(client)
                kept += 1
                if kept == _MOST_LINES:
                    _flush(kinds, into)
                    kept = 0
                continue
        _unusual(line, file, into, junk)
    for line in parts.rest():
        into.skip(Reason.CUT, file, line)


class _Tails(NamedTuple):
    """The valid tails so far, and those of the usual ends of lines."""

    valid: set[bytes]
    of_end: dict[bytes, bytes]


def _tail_of(line: bytes, tails: _Tails) -> bytes | None:
    """The part of a usual line from the security protocol on; None if the line ends in another way."""
    start = line.rfind(_SECURITY)
    end = line[start:]
    tail = tails.of_end.get(end)
    if tail is not None:
        return tail
    close = end.find(b"}", end.find(_SOFTWARE)) + 1
    tail, rest = end[:close], end[close:].rstrip()
    if tail not in tails.valid:
        if start <= 0 or not close or _TAIL.fullmatch(tail) is None:
            return None
        if len(tails.valid) < _MOST_TAILS:
            tails.valid.add(tail)
    if rest not in _ENDS:
        return tail if _END.fullmatch(rest) else None
    if len(tails.of_end) < _MOST_TAILS:
        tails.of_end[end] = tail
    return tail


def _unusual(line: bytes, file: str, into: Read, junk: dict[bytes, Reason]) -> None:
    """Count a line that differs from Kafka's usual ones, or why it is skipped."""
    reason = _parsed(line, file, into)
    if reason is not None and len(line) <= LONGEST_SAMPLE and len(junk) < _MOST_JUNK:
        junk[line] = reason


def _filled(blocks: Iterable[Sequence[bytes]], counted: list[int]) -> Iterator[bytes]:
    """The lines that are not blank; `counted` gets the number of all.

    A small compressed file may have millions of blank lines, so that none reaches the interpreter's loop.
    """
    for block in blocks:
        counted[0] += len(block)
        yield from filter(bytes.strip, filter(None, block))


def _parsed(line: bytes, file: str, into: Read) -> Reason | None:
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
    into.counting.see(seen.request, 1, seen.at, seen.at)
    return None


def _flush(kinds: _Kinds, into: Read) -> None:
    """Count the requests of usual lines: the values that the lines of a kind share are parsed once."""
    for kind, lines in kinds.items():
        key, version = _key_and_version(kind[2])
        number = len(lines[0])
        if key > MAX_INT16 or version > MAX_INT16:
            into.skip(Reason.NO_HEADER, "", kind[2])
            into.skipped[Reason.NO_HEADER] += number - 1
        else:
            into.forms[LineForm.JSON] += number
            _count(kind, key, version, lines, into.counting)
    kinds.clear()


class _Sender:
    """The times of the requests of an application, and its client ids."""

    __slots__ = ("client_ids", "times")

    def __init__(self) -> None:
        self.times: list[bytes] = []
        self.client_ids: list[str] = []


def _count(kind: _Kind, key: int, version: int, lines: _Lines, counting: Counting) -> None:
    """Count the requests of a kind: its client ids may be as many as its lines, its applications are few."""
    _, forwarded, _, deprecated, tail = kind
    principal, listener, software, number = _tail(tail)
    senders: defaultdict[tuple[Names, Origin], _Sender] = defaultdict(_Sender)
    times_of: dict[bytes, list[bytes]] = {}
    for client in set(lines[1]):
        client_id = "" if client == b"null" else name_of(_text(client))
        names = counting.naming.names(principal, client_id)
        sender = senders[names, origin_of(client_id, key, forwarded == b"true")]
        times_of[client] = sender.times
        if client_id:
            sender.client_ids.append(client_id)
    for at, client in zip(*lines, strict=True):
        times_of[client].append(at)
    day = moment_of(lines[0][0].decode())[0]
    request = LoggedRequest(
        day or NO_DAY, software, number, "", principal, listener, key, version, deprecated is not None
    )
    for (names, origin), sender in senders.items():
        row = row_of(request._replace(origin=origin), names)
        span = (_moment(min(sender.times)), _moment(max(sender.times))) if day else ("", "")
        counting.add(row, len(sender.times), *span)
        counting.add_ids(Who.of(row), (), map(counting.naming.client_id, sender.client_ids))


def _key_and_version(api: bytes) -> tuple[int, int]:
    key, version = _API.fullmatch(api).groups()  # type: ignore[union-attr]
    return int(key), int(version)


def _tail(tail: bytes) -> tuple[str, str, str, str]:
    """Principal, listener, software and its version."""
    value = json.loads(b"{%b}" % tail[1:] if tail.isascii() else _decoded(b"{%b}" % tail[1:]))
    software = value["clientInformation"]
    return (
        name_of(value["principal"]),
        name_of(value["listener"]),
        name_of(software["softwareName"] or UNKNOWN),
        name_of(software["softwareVersion"] or UNKNOWN),
    )


def _text(string: bytes) -> str:
    """The text of a JSON string."""
    if b"\\" in string:
        return str(json.loads(_decoded(string)))
    return _decoded(string)[1:-1]


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _moment(at: bytes) -> str:
    return at.decode().replace(" ", "T").replace(",", ".")


def lines_of(file: ByteSource, length: int | None = None) -> Iterator[bytes]:
    """The lines of `blocks_of`, one by one."""
    return chain.from_iterable(blocks_of(file, length))


def blocks_of(file: ByteSource, length: int | None = None) -> Iterator[list[bytes]]:
    """The lines of a file from its position on, or of its next `length` bytes, without line ends, in blocks.

    A line longer than MAX_LINE is cut one byte beyond that length.
    """
    left = length
    rest: list[bytes] = []
    size = 0
    for chunk in iter(partial(_chunk, file), b""):
        if left is not None:
            chunk = chunk[:left]
            left -= len(chunk)
        first, *lines = chunk.split(b"\n")
        if size <= MAX_LINE:
            rest.append(first)
            size += len(first)
        if lines:
            last = lines.pop()
            yield [b"".join(rest)[: MAX_LINE + 1], *lines]
            rest, size = [last], len(last)
        if left == 0:
            break
    if size:
        yield [b"".join(rest)[: MAX_LINE + 1]]


def _chunk(file: ByteSource) -> bytes:
    # `read` would lose what comes before the end of a truncated gzip file; this does not.
    chunk: bytes = getattr(file, "read1", file.read)(CHUNK)
    return chunk
