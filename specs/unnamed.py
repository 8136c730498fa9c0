"""Messages that nobody has named: their headers say what they are."""

from __future__ import annotations

from typing import Any

from wirebook.specs.codec import Reader, WireError, codec
from wirebook.specs.envelope import (
    BareRecords,
    Envelope,
    MessageReading,
    header_of,
    split_frames,
)
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH, HEADERS
from wirebook.specs.records.reading import is_batch

_UNNAMED = "name the message and its version"


class UnnamedMessages:
    """Finds what bytes are: frames, record batches, requests by their headers, and a response by
    the request before it with the same correlation id.

    Raises InputError if the profile does not name the fields with the API key and the version, or
    if there is no spec for the header.
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
        self._frame = FRAME_LENGTH
        self._roles = first.profile.headers.fields
        numbers = {number for each in self._requests.values() for number in each.headers}
        self._headers = {number: header_of(protocol, first, number) for number in sorted(numbers)}
        self._oldest = header_of(protocol, first, HEADERS["request"][0])
        self._answers: dict[Json, Layout] = {}

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`, each with its frame length if it has one."""
        frames = split_frames(data, self._frame)
        is_framed = len(frames) > 1 or self._frame_length(data)
        # A response has at least its correlation id.
        has_sizes = all(len(frame) >= self._frame + 4 for frame in frames[:-1])
        return frames if is_framed and has_sizes else [data]

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`; if `described`, with its spans. Raises InputError if a package is
        missing."""
        if is_batch(data):
            return BareRecords().read(data, described=described)
        start = self._frame_length(data)
        answer = self._answers.get(int.from_bytes(data[start : start + 4], "big", signed=True))
        if answer is not None:
            reading = self._envelope(answer, start).read(data, described=described)
            if reading.error is None:
                return reading
        for number, header in self._headers.items():
            reader = codec(header).read(data, start, whole=False)
            key, version = self._named(reader)
            message = None if reader.error else self._requests.get(key)
            if (
                message is not None
                and version in message.valid_versions
                and message.header_of(version) == number
            ):
                of = layout(message, version)
                halves = self._protocol.api(of.api)
                response = next((each for each in halves if each.type == "response"), None)
                if response is not None and version in response.valid_versions:
                    correlation = reader.value.get(self._roles.correlation_id)
                    self._answers[correlation] = layout(response, version)
                return self._envelope(of, start).read(data, described=described)
        return self._unknown(data, start)

    def _named(self, header: Reader) -> tuple[Any, Any]:
        """The API key and the version in a header."""
        return header.value.get(self._roles.api_key), header.value.get(self._roles.api_version)

    def _frame_length(self, data: bytes) -> int:
        """The bytes of the frame length before a message, 0 for none."""
        size = self._frame
        is_frame = len(data) > size and int.from_bytes(data[:size], "big") == len(data) - size
        return size if is_frame else 0

    def _envelope(self, of: Layout, start: int) -> Envelope:
        records, names = self._records, self._names
        return Envelope(
            of, self._protocol, header=True, frame=start > 0, records=records, names=names
        )

    def _unknown(self, data: bytes, start: int) -> MessageReading:
        """The header of a message that the protocol lacks, in its oldest form, and the rest in
        hex."""
        reader = codec(self._oldest).read(data, start, whole=False, described=True)
        if reader.error is not None:
            words = f"no header names this message: {_UNNAMED}"
            return MessageReading(error=WireError(words, start))
        key, version = self._named(reader)
        field, words = self._roles.api_key, f"there is no request with API key {key}"
        message = self._requests.get(key)
        if message is not None:
            field, valid = self._roles.api_version, message.valid_versions
            words = f"{message.name} has no version {version}; its valid versions are {valid}"
        at = next((span.start for span in reader.spans if span.path == field), start)
        value: Json = {"header": reader.value, "body": data[reader.at :].hex()}
        spans = [("header", span) for span in reader.spans]
        error = WireError(words, at, f"header.{field}")
        return MessageReading(value=value, spans=spans, error=error)
