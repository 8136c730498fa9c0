"""Messages that nobody has named: their headers say what they are, and records have none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirebook.specs.codec import number_at, read
from wirebook.specs.envelope import Envelope, header_of
from wirebook.specs.kafka.log_records import decode_records, problems_of
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH, HEADERS
from wirebook.specs.records.reading import explain_records, is_batch
from wirebook.specs.records.writing import write_records
from wirebook.specs.spans import MessageReading, WireError, some_bytes

_UNNAMED = "name the message and its version"
LONGEST_FRAME = 100 * 1024 * 1024  # what brokers accept: socket.request.max.bytes


@dataclass(frozen=True)
class BareRecords:
    """Records without an enclosing message, as in a log segment; used like an `Envelope`.

    `topic` is that of brokers, whose keys and values have specs; "" for any other.
    """

    topic: str = ""

    def encode(self, value: Json) -> bytes:
        """Encode a list of batches. Raises WireError, InputError."""
        return write_records(value)

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read a list of batches; if `described`, with its spans. Raises InputError."""
        items = decode_records(data, self.topic)
        problems = problems_of(items, "", may_be_cut=True)
        spans = [("body", span) for span in explain_records(data)] if described else []
        return MessageReading("records", 0, [*items], spans, problems=problems)


class UnnamedMessages:
    """Finds what bytes are: frames, record batches, requests by their headers, and a response by
    the request before it with the same correlation id.

    Raises InputError if the profile names no fields with the API key and version, or without a
    spec for the header.
    """

    def __init__(
        self, protocol: Protocol, *, records: bool = False, names: Names | None = None
    ) -> None:
        self._protocol, self._records, self._names = protocol, records, names
        self._requests: dict[Any, Message] = {
            each.api_key: each
            for each in protocol
            if each.type == "request" and each.api_key is not None
        }
        first = next(iter(self._requests.values()), None)
        if first is None or not all(first.profile.headers.fields[:2]):
            raise InputError(f"{_UNNAMED}: the header does not name them here")
        self._roles = first.profile.headers.fields
        # The key and the version are at the same place in every header.
        self._header = header_of(protocol, first, HEADERS["request"][0])
        self._answers: dict[Json, Layout] = {}

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`, each with its frame length if it has one."""
        frames = split_frames(data)
        is_framed = len(frames) > 1 or not self._missing(data)
        # A response has at least its correlation id.
        has_sizes = all(len(frame) >= FRAME_LENGTH + 4 for frame in frames[:-1])
        return frames if is_framed and has_sizes else [data]

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`; if `described`, with its spans. Raises InputError."""
        if is_batch(data):
            return BareRecords().read(data, described=described)
        missing = self._missing(data)
        reading = self._read_at(data, 0 if missing else FRAME_LENGTH, described)
        # A request names itself, even if it is damaged; anything else may be a frame that is cut.
        is_request = bool(reading.name) and number_at(data) not in self._answers
        is_wrong = reading.error is not None and not is_request
        if is_wrong and missing > 0 and self._is_known(data[FRAME_LENGTH:]):
            reading = self._read_at(data, FRAME_LENGTH, described)
            if reading.name:
                reading.notes.append(f"{reading.name} {reading.version} is a guess")
        return reading

    def _read_at(self, data: bytes, start: int, described: bool) -> MessageReading:
        answer = self._answers.get(number_at(data, start))
        if answer is not None:
            reading = self._envelope(answer, start).read(data, described=described)
            if reading.error is None or self._missing(data):
                return reading
        head = read(self._header, data, start, whole=False)
        named: dict[str, Any] = head.value
        key, version = named.get(self._roles.api_key), named.get(self._roles.api_version, -1)
        message, of = self._requests.get(key), None
        if message is not None and version in message.valid_versions:
            of = layout(message, version)
            reading = self._envelope(of, start).read(data, described=described)
            if reading.error is None or not reading.error.path.startswith("header"):
                value: Any = reading.value
                is_sure = reading.error is None or start > 0
                for other in self._protocol.api(of.api) if is_sure else ():
                    if other.type == "response" and version in other.valid_versions:
                        correlation = value["header"].get(self._roles.correlation_id)
                        self._answers[correlation] = layout(other, version)
                return reading
        if of is not None or head.error is not None:
            words = f"no header names this message: {_UNNAMED}{self._or_cut(data)}"
            return MessageReading(error=WireError(words, start))
        # What the protocol lacks: the rest is hex.
        field, words = self._roles.api_key, f"there is no request with API key {key}"
        if message is not None:
            field, valid = self._roles.api_version, message.valid_versions
            words = f"{message.name} has no version {version}; its valid versions are {valid}"
        at = next((span.start for span in head.spans if span.path == field), start)
        value = {"header": head.value, "body": data[head.at :].hex()}
        spans = [("header", span) for span in head.spans]
        error = WireError(words + self._or_cut(data), at, f"header.{field}")
        return MessageReading(value=value, spans=spans, error=error)

    def _missing(self, data: bytes) -> int:
        """How many bytes are missing if the first ones are a frame length, -1 if they are none."""
        length = number_at(data)
        left = len(data) - FRAME_LENGTH
        return length - left if 0 < left <= length <= LONGEST_FRAME else -1

    def _or_cut(self, data: bytes) -> str:
        missing = self._missing(data)
        words = f"; if it begins with its length, the frame is cut: {some_bytes(missing)} missing"
        return words if missing > 0 else ""

    def _is_known(self, data: bytes) -> bool:
        """Whether bytes begin like a request, or like the answer to one."""
        head = read(self._header, data, 0, whole=False)
        named: dict[str, Any] = head.value if head.error is None else {}
        message = self._requests.get(named.get(self._roles.api_key))
        version = named.get(self._roles.api_version, -1)
        is_request = message is not None and version in message.valid_versions
        return is_request or number_at(data) in self._answers

    def _envelope(self, of: Layout, start: int) -> Envelope:
        records, names = self._records, self._names
        return Envelope(
            of, self._protocol, header=True, frame=start > 0, records=records, names=names
        )


def split_frames(data: bytes) -> list[bytes]:
    """The frames in `data`; what does not fit is the last one."""
    start, frames = 0, []
    while len(data) - start > FRAME_LENGTH:
        begin = start + FRAME_LENGTH
        end = begin + number_at(data, start)
        if not begin <= end < len(data):
            break
        frames.append(data[start:end])
        start = end
    return [*frames, data[start:]]
