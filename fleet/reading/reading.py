"""Counts the lines of a log: a fast path for lines exactly as Kafka writes them, the parser for others.

The fast path extracts the same values as the parser. It skips the bodies of requests and responses, and
parses the parts that equal requests share only once.
"""

from __future__ import annotations

import json
import re
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

from wirebook.fleet.applications.naming import Names, row_of
from wirebook.fleet.counting.counting import Counting, Who
from wirebook.fleet.reading.containers import Parts, decoded
from wirebook.fleet.reading.files import ByteSource, some
from wirebook.fleet.reading.lines import parse
from wirebook.fleet.reading.times import moment_of
from wirebook.fleet.requests import (
    NO_DAY,
    UNKNOWN,
    LineForm,
    LoggedRequest,
    Reason,
    Row,
    Unreadable,
    apis_of_server,
    name_of,
    origin_of,
)
from wirebook.specs.limits import MAX_LINE, MAX_NAME
from wirebook.specs.printable import visible

CHUNK = 1 << 16
MOST_SAMPLES = 3  # of each reason
LONGEST_SAMPLE = 200
_MOST_LINES = 1 << 16  # that are kept before they are counted
_MOST_KINDS = 1 << 13  # whose values are parsed only once
_MOST_JUNK = 1_000  # of short lines that are no requests, so that equal ones are parsed once

_MARK = b"Completed request:"
# Alternatives whose first bytes differ, and repeated sets of bytes, cost Python's engine the least.
_PLAIN = rb'[^"\\\x00-\x1f]*+'
_ESCAPED = _PLAIN + rb'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})' + _PLAIN + rb")*+"
_NUMBER = rb"(?:0|[1-9]\d{0,3}+)"
_CONVERSIONS = rb'"messageConversionsTime":[-+.\dE]++\}'
_USUAL = (
    rb"\[(\d{4}-\d\d-\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d,\d{3})\] [A-Z]++ "
    + _MARK
    + rb'\{"isForwarded":((?:true|false),"requestHeader":'
    rb'\{"requestApiKey":' + _NUMBER + rb',"requestApiVersion":' + _NUMBER + rb"),"
    rb'"correlationId":-?\d++,"clientId":(?:"(' + _PLAIN + rb')"|null),"requestApiKeyName":"[A-Z0-9_]++"'
    rb'(?:\}|,"requestApiVersionDeprecated":(true)\}),"request":.*,'
    rb'("securityProtocol":"\w*+","principal":"' + _ESCAPED + rb'","listener":"' + _PLAIN + rb'",'
    rb'"clientInformation":\{"softwareName":"[\w.-]*+","softwareVersion":"[\w.-]*+"\})'
    rb'(?:\}|,"temporaryMemoryBytes":\d++(?:\}|,' + _CONVERSIONS + rb")|," + _CONVERSIONS + rb")"
    rb"(?: \(kafka\.request\.logger\)|)[ \t\r\x0b\x0c]*+"
)
# Empty lines are skipped: a small compressed file may have millions of them.
_LINE = re.compile(rb"\n*+(?:" + _USUAL + rb"|(.*))$", re.MULTILINE)
_FIRST, _LAST = itemgetter(0), itemgetter(-1)
_API = re.compile(rb"(true|false)\D+(\d+)\D+(\d+)")

# The day and the time, whether it was forwarded with the API and its version, the client id, the deprecation,
# the tail from the security protocol on; in another line than a usual one, only the last, which is the line.
_Groups = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]
# Lines that count in one row, of clients of one application: the day, the tail, the form of the client id,
# the API and the deprecation.
_Kind = tuple[bytes, bytes, str, bytes, bytes]
# The times of the lines of a kind, and their client ids in UTF-8: going through a set, which is in the order
# of hashes, is slow.
_Slot = tuple[list[bytes], dict[bytes, None]]


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


def read_lines(blocks: Iterable[bytes], file: str, into: Read) -> None:
    """Count the requests in blocks of whole lines into `into`."""
    kept = _Kept(into)
    parts = Parts()
    junk: dict[bytes, Reason] = {}
    try:
        for block in blocks:
            into.lines += block.count(b"\n") + (not block.endswith(b"\n"))
            usual, others = _split(block)
            for raw in others:
                if raw in junk:
                    into.skipped[junk[raw]] += 1  # its sample was considered when it first came
                    continue
                line = parts.whole(raw)
                if line is None:
                    continue
                groups = _groups(line)
                if groups is not None:
                    usual.append(groups)
                else:
                    _unusual(line, parts.time, file, into, junk)
            if usual:
                kept.keep(usual)
        for line in parts.rest():
            into.skip(Reason.CUT, file, line)
    finally:
        # In a damaged file, the lines before the damage count.
        kept.count()


def _split(block: bytes) -> tuple[list[_Groups], list[bytes]]:
    """The usual lines of a block, as their groups, and the others, without blank ones."""
    lines: list[_Groups] = _LINE.findall(block)
    others = [line for line in filter(None, map(_LAST, lines)) if line.strip()]
    usual = list(filter(_FIRST, lines))
    if block.count(_MARK) != len(usual) + sum(line.count(_MARK) for line in others):
        return [], [line for line in block.split(b"\n") if line.strip()]
    return usual, others


def _groups(line: bytes) -> _Groups | None:
    """The groups of a usual line; None for another one.

    After a crash, the next line begins in the middle of the last one: its start and end belong to different
    requests.
    """
    match = _LINE.fullmatch(line) if line.count(_MARK) == 1 else None
    return match.groups(b"") if match is not None and match[1] else None  # type: ignore[return-value]


def _unusual(line: bytes, time: bytes, file: str, into: Read, junk: dict[bytes, Reason]) -> None:
    """Count a line that differs from Kafka's usual ones, or why it is skipped.

    `time` is that of the container runtime, if any.
    """
    try:
        if len(line) > MAX_LINE:
            raise Unreadable(Reason.TOO_LONG)
        request, at, form = parse(line, time)
    except Unreadable as error:
        into.skip(error.reason, file, line)
        if len(line) <= LONGEST_SAMPLE and len(junk) < _MOST_JUNK:
            junk[line] = error.reason
        return
    into.forms[form] += 1
    into.counting.see(request, 1, at, at)


class _Sender:
    """What an application sends on a day with one tail: its client ids, and its requests by API and
    deprecation, each kind as its row and the times.
    """

    __slots__ = ("client_ids", "kinds", "who")

    def __init__(self, who: Who) -> None:
        self.who = who
        self.client_ids: dict[bytes, None] = {}
        self.kinds: dict[tuple[bytes, bytes], tuple[Row, list[bytes]]] = {}


class _Kept:
    """Usual lines that are kept to be counted together: client ids may be as many as lines, applications are
    few.
    """

    def __init__(self, into: Read) -> None:
        self.into = into
        self.lines = 0
        self.senders: dict[tuple[bytes, bytes, Names, frozenset[int]], _Sender] = {}
        self.slots: dict[_Kind, _Slot] = {}

    def keep(self, lines: Sequence[_Groups]) -> None:
        """Keep some lines, and count all if they are many."""
        days, times, apis, texts, deprecated, tails, _ = zip(*lines, strict=True)
        client_ids, lines_of_ids = _client_ids(texts)
        forms = self.into.counting.naming.forms(lines_of_ids)
        slots = self.slots
        kinds = zip(days, tails, forms, apis, deprecated, strict=True)
        for kind, time, client_id in zip(kinds, times, client_ids, strict=True):
            slot = slots.get(kind)
            if slot is None:
                slot = slots[kind] = self._slot(kind, client_id)
            slot[0].append(time)
            slot[1][client_id] = None
        self.lines += len(lines)
        if self.lines >= _MOST_LINES:
            self.count()

    def _slot(self, kind: _Kind, client_id: bytes) -> _Slot:
        """Where the times and the client ids of lines of a kind are kept."""
        day, tail, _, api, deprecated = kind
        principal, listener, software, number = _tail(tail)
        name = client_id.decode()
        names = self.into.counting.naming.names(principal, name)
        apis = apis_of_server(name)
        sender = self.senders.get((day, tail, names, apis))
        if sender is None:
            date = moment_of(f"{day.decode()} 00:00:00")[0] or NO_DAY
            sender = _Sender(Who(date, names.principal, names.owner, names.application))
            self.senders[day, tail, names, apis] = sender
        if (api, deprecated) not in sender.kinds:
            key, version, is_forwarded = _api(api)
            request = LoggedRequest(
                *(sender.who.day, software, number, "", principal, listener, key, version),
                deprecated=bool(deprecated),
                origin=origin_of(key, apis, is_forwarded),
            )
            sender.kinds[api, deprecated] = row_of(request, names), []
        return sender.kinds[api, deprecated][1], sender.client_ids

    def count(self) -> None:
        """Count what is kept."""
        if not self.lines:
            return
        counting = self.into.counting
        for sender in self.senders.values():
            for row, times in sender.kinds.values():
                if times:
                    counting.add(row, len(times), _moment(row.day, min(times)), _moment(row.day, max(times)))
                    times.clear()
            sender.client_ids.pop(b"", None)
            if sender.client_ids:
                counting.ids_at(sender.who).merge((), counting.naming.encoded_ids(sender.client_ids))
                sender.client_ids.clear()
        self.into.forms[LineForm.JSON] += self.lines
        self.lines = 0
        if len(self.slots) > _MOST_KINDS:
            self.senders, self.slots = {}, {}


@lru_cache(_MOST_KINDS)
def _api(api: bytes) -> tuple[int, int, bool]:
    """The key, the version, and whether a broker forwarded the request."""
    forwarded, key, version = _API.fullmatch(api).groups()  # type: ignore[union-attr]
    return int(key), int(version), forwarded == b"true"


@lru_cache(_MOST_KINDS)
def _tail(tail: bytes) -> tuple[str, str, str, str]:
    """The principal, the listener, the software and its version."""
    value = json.loads(decoded(b"{%b}" % tail))
    software = value["clientInformation"]
    return (
        name_of(value["principal"]),
        name_of(value["listener"]),
        name_of(software["softwareName"] or UNKNOWN),
        name_of(software["softwareVersion"] or UNKNOWN),
    )


def _client_ids(texts: Sequence[bytes]) -> tuple[Sequence[bytes], str]:
    """Client ids as they are kept, in UTF-8 and as lines, from texts without escapes."""
    lines = b"\n".join(texts)
    if lines.isascii() and max(map(len, texts)) <= MAX_NAME:
        return texts, lines.decode()
    names = [name_of(decoded(text)) for text in texts]
    return [name.encode() for name in names], "\n".join(names)


def _moment(day: str, time: bytes) -> str:
    return "" if day == NO_DAY else f"{day}T{time.decode().replace(',', '.')}"


def lines_of(file: ByteSource, length: int | None = None) -> Iterator[bytes]:
    """The lines of `blocks_of`, one by one, without line ends."""
    for block in blocks_of(file, length):
        yield from block.removesuffix(b"\n").split(b"\n")


def blocks_of(file: ByteSource, length: int | None = None) -> Iterator[bytes]:
    """The text of a file from its position on, or of its next `length` bytes, in blocks of whole lines.

    A line longer than MAX_LINE is cut one byte beyond that length.
    """
    remaining = length
    rest: list[bytes] = []
    size = 0
    for chunk in iter(partial(some, file, CHUNK), b""):
        if remaining is not None:
            chunk = chunk[:remaining]
            remaining -= len(chunk)
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n") + 1
        if size <= MAX_LINE:
            rest.append(chunk[:first] if last else chunk)
            size += len(rest[-1])
        if last:
            yield b"".join(rest)[: MAX_LINE + 1] + chunk[first:last]
            rest, size = [chunk[last:]], len(chunk) - last
        if remaining == 0:
            break
    if size:
        yield b"".join(rest)[: MAX_LINE + 1]
