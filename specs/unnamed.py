"""Messages that nobody has named: what their headers say, or else which layouts their bytes fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from wirebook.specs.codec import Codec, Reader, Span, WireError, codec
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
from wirebook.specs.records.reading import is_batch

_TOO_ODD = 2.0  # of an average value
_MOST_NAMED = 5  # other messages in a note


class _Place(NamedTuple):
    """A layout that bytes may have, where its body begins, and the correlation id in its header."""

    layout: Layout
    has_header: bool
    start: int
    correlation: Json = None

    @property
    def is_request(self) -> bool:
        """Whether the header says that it is a request."""
        return self.has_header and self.layout.type == "request"

    def __str__(self) -> str:
        return f"{self.layout.name} {self.layout.version}"


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
        keyed = [each for each in protocol if each.api_key is not None and each.type != "response"]
        # Requests first: an error is about them if the header names no message of any type.
        self._keyed = sorted(keyed, key=lambda message: (message.type != "request", message.type))
        if not guess and not (keyed and all(self._keyed[0].profile.header_fields[:2])):
            words = "name the message and its version: the header does not name them here"
            raise InputError(words)
        self._frame = self._keyed[0].profile.frame_length if keyed and (frame or guess) else 0
        self.guesses = guess
        self._records = records
        self._names = names
        self._asked: dict[Json, tuple[int | None, int]] = {}

    @cached_property
    def _layouts(self) -> list[Layout]:
        """Every layout of the protocol."""
        return [each for message in self._protocol for each in layouts(message)]

    @cached_property
    def _headers(self) -> dict[tuple[str, int], tuple[Codec, list[Layout]]]:
        """The headers by the type of message and version, each with the layouts that it
        precedes."""
        headers: dict[tuple[str, int], tuple[Codec, list[Layout]]] = {}
        for each in self._layouts:
            version = each.header_version
            if each.api_key is None or version is None:
                continue
            if (each.type, version) not in headers:
                try:
                    header = header_of(self._protocol, each.message, version)
                except InputError:
                    continue  # no spec describes it
                headers[each.type, version] = codec(header), []
            headers[each.type, version][1].append(each)
        return headers

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`, each with its frame length if it has one."""
        frames = split_frames(data, self._frame)
        is_framed = len(frames) > 1 or self._is_frame(data)
        # A response has at least its correlation id.
        has_sizes = all(len(frame) >= self._frame + 4 for frame in frames[:-1])
        return frames if not self.guesses or (is_framed and has_sizes) else [data]

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`; if `described`, with its spans. Raises InputError if a package is
        missing."""
        if self.guesses and is_batch(data):
            return BareRecords().read(data, described=described)
        frame = bool(self._frame) and (not self.guesses or self._is_frame(data))
        try:
            start = frame_end(data, self._frame if frame else 0)
        except WireError as bad:
            return MessageReading(error=bad)
        headed = list(self._headed(data, start))
        if self.guesses:
            bare = [] if frame else [each for each in self._layouts if each.type != "header"]
            places = [*headed, *(_Place(each, False, start) for each in bare)]
            answers = [each for each in headed if self._is_answer(each)]
            best = self._best(data, answers) or self._best(data, places)
            if best is not None:
                place, note = best
                found = self._envelope(place, frame).read(data, described=described)
                found.notes[:0] = note
                return found
        requests = [each for each in headed if each.layout.type != "response"]
        if not requests:
            return self._unknown(data, start)
        if len(requests) > 1 and not self.guesses:
            names = " or ".join(map(str, requests))
            words = f"the header may be that of {names}: name the message and its version"
            return MessageReading(error=WireError(words, start))
        return self._envelope(requests[0], frame).read(data, described=described)

    def _is_frame(self, data: bytes) -> bool:
        size = self._frame
        is_longer = bool(size) and len(data) > size
        return is_longer and int.from_bytes(data[:size], "big") == len(data) - size

    def _is_answer(self, place: _Place) -> bool:
        """Whether a layout is that of the response to a request before it."""
        of = place.layout
        asked = self._asked.get(place.correlation)
        return of.type == "response" and asked == (of.api_key, of.version)

    def _envelope(self, place: _Place, frame: bool) -> Envelope:
        return Envelope(
            place.layout,
            self._protocol,
            header=place.has_header,
            frame=frame,
            records=self._records,
            names=self._names,
        )

    # By their headers

    def _headed(self, data: bytes, start: int) -> Iterator[_Place]:
        """The layouts of all responses, and those of other messages that their header names."""
        for (type_, _), (header, every) in self._headers.items():
            reader = header.read(data, start, whole=False)
            if reader.error is not None or (type_ == "response" and not self.guesses):
                continue
            for each in every:
                own = each.api_key, each.version
                if type_ == "response" or _numbers(each.message, reader) == own:
                    name = each.message.profile.header_fields.correlation_id
                    yield _Place(each, True, reader.at, reader.value.get(name))

    def _unknown(self, data: bytes, start: int) -> MessageReading:
        """The header of a message that the protocol lacks, in its oldest form, and the rest in
        hex."""
        first = self._keyed[0] if self._keyed else None
        version = first and first.profile.headers.version_of(first.type, None, 0, False)
        if first is None or version is None or (first.type, version) not in self._headers:
            return MessageReading(error=WireError("these bytes fit no message", start))
        header, _ = self._headers[first.type, version]
        reader = header.read(data, start, whole=False, described=True)
        found = MessageReading(spans=[("header", span) for span in reader.spans])
        if reader.error is not None:
            found.value = {"header": reader.value} if reader.value else None
            found.error = reader.error.below("header")
            return found
        key, number = _numbers(first, reader)
        field = first.profile.header_fields.api_key
        words = f"there is no {first.type} with API key {key}"
        for message in self._keyed:
            if (message.type, message.api_key) == (first.type, key):
                field, valid = message.profile.header_fields.api_version, message.valid_versions
                words = f"{message.name} has no version {number}; its valid versions are {valid}"
        at = next((span.start for span in reader.spans if span.path == field), start)
        found.value = {"header": reader.value, "body": data[reader.at :].hex()}
        found.error = WireError(words, at, f"header.{field}")
        return found

    # By their bytes

    def _best(self, data: bytes, places: Iterable[_Place]) -> tuple[_Place, list[str]] | None:
        """The layout that the bytes fit best, and a note that names the others, if it is needed."""
        found: list[tuple[float, _Place]] = []
        unfit: list[str] = []
        left = MAX_TRIED
        for place in places:
            of = codec(place.layout)
            reader = of.read(data, place.start)
            left -= reader.at - place.start
            if reader.error is None:
                found.append((self._oddity(place, of.explain(data[place.start :])), place))
            elif place.is_request:
                unfit.append(f"as {place}, {reader.error}")
            if left < 0:
                break
        found.sort(key=lambda each: each[0])
        if not found or found[0][0] > _TOO_ODD:
            return None
        best = found[0][1]
        if best.is_request:
            self._asked[best.correlation] = best.layout.api_key, best.layout.version
        if not found[1:] and (best.is_request or self._is_answer(best)):
            return best, []
        fits = _others([place.layout for _, place in found[1:]])
        return best, [f"read as {best}; {'; '.join([fits, *unfit])}"]

    def _oddity(self, place: _Place, spans: Sequence[Span]) -> float:
        """How unlikely it is that a peer sent these bytes as this message."""
        of = place.layout
        values = (self._names or Names.of(of.message)).at(of)
        odd = sum(map(_odd, named(spans, values))) / (len(spans) or 1)
        # Of versions that are alike, peers use the newest.
        return odd + (0 if place.has_header else 0.7) - (of.type == "request") - of.version / 10_000


def _others(layouts: Iterable[Layout]) -> str:
    """The other layouts that bytes fit, in words."""
    versions: dict[str, list[int]] = {}
    for each in layouts:
        versions.setdefault(each.name, []).append(each.version)
    words = [f"{name} {', '.join(map(str, sorted(some)))}" for name, some in versions.items()]
    if len(words) > _MOST_NAMED:
        words[_MOST_NAMED:] = [f"{len(words) - _MOST_NAMED} more messages"]
    return f"the bytes also fit {'; '.join(words)}" if words else "nothing else fits"


def _numbers(message: Message, header: Reader) -> tuple[Json, Json]:
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
