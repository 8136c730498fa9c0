"""Messages that nobody has named: what their headers say, or else which layouts their bytes fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from wirebook.specs.codec import Reading, Span, WireError, codec
from wirebook.specs.envelope import (
    BareRecords,
    Envelope,
    MessageReading,
    frame_end,
    header_of,
    split_frames,
)
from wirebook.specs.layout import Layout, layouts
from wirebook.specs.limits import MAX_TRIED
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names, named
from wirebook.specs.problems import InputError
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.reading import (
    BATCH_CRC_END,
    HEADER,
    LENGTH_AT,
    LENGTH_END,
    MAGIC_AT,
)

_TOO_ODD = 2.0  # of an average value
_UNNAMED = "name the message and its version: the header does not name them here"


class _Place(NamedTuple):
    """A layout that bytes may have, where its body begins, and the correlation id in its header."""

    layout: Layout
    has_header: bool
    start: int
    correlation: Json = None


class UnnamedMessages:
    """Reads messages as their headers say: requests, and messages of other types that have an API
    key.

    With `guess`, what no header names is read in the layout that the bytes fit best: the response
    to an earlier request with the same correlation id, or else any message; the notes say which
    others fit. Frames and record batches are found, too. Raises InputError if the profile does not
    name the fields with the API key and the version.
    """

    may_be_empty = False

    def __init__(
        self,
        protocol: Protocol,
        *,
        frame: bool = False,
        guess: bool = False,
        records: bool = False,
        names: Names | None = None,
    ) -> None:
        self._protocol = protocol
        self._keyed = [
            each for each in protocol if each.api_key is not None and each.type != "response"
        ]
        # Requests first: an error is about them if the header names no message of any type.
        self._keyed.sort(key=lambda message: (message.type != "request", message.type))
        if not guess and not (self._keyed and all(self._keyed[0].profile.header_fields[:2])):
            raise InputError(_UNNAMED)
        self._frame = self._keyed[0].profile.frame_length if self._keyed and (frame or guess) else 0
        self.guesses = guess
        self._records = records
        self._names = names
        self._envelopes: dict[tuple[str, int, bool, bool], Envelope] = {}
        self._asked: dict[Json, tuple[int | None, int]] = {}

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`, each with its frame length if it has one."""
        frames = split_frames(data, self._frame)
        is_framed = len(frames) > 1 or _is_frame(data, self._frame)
        # A response has at least its correlation id.
        has_sizes = all(len(frame) >= self._frame + 4 for frame in frames[:-1])
        return frames if not self.guesses or (is_framed and has_sizes) else [data]

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`; if `described`, with its spans. Raises InputError if a package is
        missing."""
        if self.guesses and _is_batch(data):
            return BareRecords().read(data, described=described)
        frame = bool(self._frame) and (not self.guesses or _is_frame(data, self._frame))
        try:
            start = frame_end(data, self._frame) if frame else 0
        except WireError as bad:
            return MessageReading("", 0, None, [], bad)
        headed = list(self._headed(data, start))
        named = [each.layout for each in headed if each.layout.type != "response"]
        if self.guesses:
            bare = [] if frame else [each for each in self._layouts if each.type != "header"]
            places = [*headed, *(_Place(each, False, start) for each in bare)]
            answers = [each for each in headed if self._is_answer(each)]
            guessed = self._guessed(data, answers, frame, described)
            guessed = guessed or self._guessed(data, places, frame, described)
            if guessed is not None:
                return guessed
        if not named:
            return self._unknown(data, start)
        if len(named) > 1 and not self.guesses:
            words = " or ".join(f"{each.name} {each.version}" for each in named)
            error = WireError(
                f"the header may be that of {words}: name the message and its version", start
            )
            return MessageReading("", 0, None, [], error)
        return self._envelope(named[0], True, frame).read(data, described=described)

    def _is_answer(self, place: _Place) -> bool:
        """Whether a layout is that of the response to a request before it."""
        of = place.layout
        return of.type == "response" and self._asked.get(place.correlation) == (
            of.api_key,
            of.version,
        )

    def _envelope(self, of: Layout, header: bool, frame: bool) -> Envelope:
        key = of.name, of.version, header, frame
        if key not in self._envelopes:
            self._envelopes[key] = Envelope(
                of,
                self._protocol,
                header=header,
                frame=frame,
                records=self._records,
                names=self._names,
            )
        return self._envelopes[key]

    # By their headers

    @cached_property
    def _layouts(self) -> list[Layout]:
        """Every layout of the protocol."""
        return [each for message in self._protocol for each in layouts(message)]

    @cached_property
    def _headers(self) -> dict[tuple[str, int], tuple[Layout, list[Layout]]]:
        """The headers by the type of message and version, each with the layouts that it
        precedes."""
        headers: dict[tuple[str, int], tuple[Layout, list[Layout]]] = {}
        for each in self._layouts:
            version = each.header_version
            if each.api_key is None or version is None:
                continue
            if (each.type, version) not in headers:
                try:
                    header = header_of(self._protocol, each.message, version)
                except InputError:
                    continue  # no spec describes it
                headers[each.type, version] = header, []
            headers[each.type, version][1].append(each)
        return headers

    def _headed(self, data: bytes, start: int) -> Iterator[_Place]:
        """The layouts of all responses, and those of other messages that their header names."""
        for (type_, _), (header, every) in self._headers.items():
            reading = codec(header).read(data, start, whole=False)
            if reading.error is not None or (type_ == "response" and not self.guesses):
                continue
            for each in every:
                if type_ == "response" or _numbers(each.message, reading) == (
                    each.api_key,
                    each.version,
                ):
                    correlation = reading.value.get(
                        each.message.profile.header_fields.correlation_id
                    )
                    yield _Place(each, True, reading.end, correlation)

    def _unknown(self, data: bytes, start: int) -> MessageReading:
        """The header of a message that the protocol lacks, in its oldest form, and the rest in
        hex."""
        first = self._keyed[0] if self._keyed else None
        version = (
            None if first is None else first.profile.headers.version_of(first.type, None, 0, False)
        )
        if first is None or version is None or (first.type, version) not in self._headers:
            return MessageReading("", 0, None, [], WireError("these bytes fit no message", start))
        header = codec(self._headers[first.type, version][0])
        reading = header.read(data, start, whole=False, described=True)
        spans = [("header", span) for span in reading.spans]
        if reading.error is not None:
            value: Json = {"header": reading.value} if reading.value else None
            return MessageReading("", 0, value, spans, reading.error.below("header"))
        key, number = _numbers(first, reading)
        field = first.profile.header_fields.api_key
        words = f"there is no {first.type} with API key {key}"
        for message in self._keyed:
            if (message.type, message.api_key) == (first.type, key):
                field, valid = message.profile.header_fields.api_version, message.valid_versions
                words = f"{message.name} has no version {number}; its valid versions are {valid}"
        at = next((span.start for span in reading.spans if span.path == field), start)
        value = {"header": reading.value, "body": data[reading.end :].hex()}
        return MessageReading("", 0, value, spans, WireError(words, at, f"header.{field}"))

    # By their bytes

    def _guessed(
        self, data: bytes, places: Sequence[_Place], frame: bool, described: bool
    ) -> MessageReading | None:
        """The message that the bytes fit best; the notes name the others that they fit."""
        found: list[tuple[float, _Place]] = []
        unfit: list[str] = []
        left = MAX_TRIED
        for place in places:
            of = codec(place.layout)
            reading = of.read(data, place.start)
            left -= reading.end - place.start
            if reading.error is None:
                found.append((self._oddity(place, of.explain(data[place.start :])), place))
            elif place.has_header and place.layout.type == "request":
                unfit.append(f"as {place.layout.name} {place.layout.version}, {reading.error}")
            if left < 0:
                break
        found.sort(key=lambda each: each[0])
        if not found or found[0][0] > _TOO_ODD:
            return None
        best = found[0][1]
        chosen = self._envelope(best.layout, best.has_header, frame).read(data, described=described)
        is_request = best.has_header and best.layout.type == "request"
        if is_request:
            self._asked[best.correlation] = best.layout.api_key, best.layout.version
        if not found[1:] and (is_request or self._is_answer(best)):
            return chosen
        others: dict[str, list[int]] = {}
        for _, each in found[1:]:
            others.setdefault(each.layout.name, []).append(each.layout.version)
        words = [
            f"{name} {', '.join(map(str, sorted(versions)))}" for name, versions in others.items()
        ]
        more = [f"{len(words) - 5} more messages"] if len(words) > 5 else []
        fits = (
            f"the bytes also fit {'; '.join([*words[:5], *more])}" if words else "nothing else fits"
        )
        note = f"read as {best.layout.name} {best.layout.version}; {'; '.join([fits, *unfit])}"
        return chosen._replace(notes=(note, *chosen.notes))

    def _oddity(self, place: _Place, spans: Sequence[Span]) -> float:
        """How unlikely it is that a peer sent these bytes as this message."""
        of = place.layout
        values = self._envelope(of, place.has_header, False).values
        odd = sum(map(_odd, named(spans, values))) / (len(spans) or 1)
        # Of versions that are alike, peers use the newest.
        return odd + (0 if place.has_header else 0.7) - (of.type == "request") - of.version / 10_000


def _is_frame(data: bytes, size: int) -> bool:
    return (
        bool(size) and len(data) > size and int.from_bytes(data[:size], "big") == len(data) - size
    )


def _is_batch(data: bytes) -> bool:
    """Whether bytes begin with a record batch: its checksum is right."""
    end = LENGTH_END + int.from_bytes(data[LENGTH_AT:LENGTH_END], "big")
    if not HEADER <= end <= len(data) or data[MAGIC_AT] != 2:
        return False
    return data[BATCH_CRC_END - 4 : BATCH_CRC_END] == crc32c(data[BATCH_CRC_END:end]).to_bytes(
        4, "big"
    )


def _numbers(message: Message, header: Reading) -> tuple[Json, Json]:
    """The API key and the version in a header, according to the profile."""
    roles = message.profile.header_fields
    return header.value.get(roles.api_key), header.value.get(roles.api_version)


def _odd(span: Span) -> float:
    """How unlikely it is that a peer sent a value: less for text and known codes, more for what is
    rare."""
    name = span.field.rpartition(".")[2]
    if span.kind == "unknown":
        return 8
    if span.kind != "value":
        return 0
    if isinstance(span.value, str) and span.type.endswith("STRING"):
        return -1 if span.value.isprintable() else 6
    if name.endswith("ErrorCode"):
        return -1 if span.name else 8
    if not isinstance(span.value, int):
        return 0
    return 3 if span.value < -2 or (name == "ThrottleTimeMs" and span.value > 1 << 20) else 0
