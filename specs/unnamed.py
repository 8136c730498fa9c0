"""Messages that nobody has named: their headers say what they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any

from wirebook.specs.codec import Reader, WireError, codec
from wirebook.specs.envelope import (
    BareRecords,
    Envelope,
    MessageReading,
    frame_end,
    header_of,
    split_frames,
)
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names
from wirebook.specs.problems import InputError
from wirebook.specs.records.reading import is_batch

_UNNAMED = "name the message and its version"


class UnnamedMessages:
    """Reads messages as their headers say: requests, messages of other types that have an API key,
    and a response by the request before it with the same correlation id.

    With `find`, frames and record batches are found, too. Raises InputError if the profile does not
    name the fields with the API key and the version.
    """

    may_be_empty = False

    def __init__(
        self,
        protocol: Protocol,
        *,
        frame: bool = False,
        find: bool = False,
        records: bool = False,
        names: Names | None = None,
    ) -> None:
        self._protocol = protocol
        keyed = [each for each in protocol if each.api_key is not None and each.type != "response"]
        # Requests first: an error is about them if the header names no message of any type.
        self._keyed = sorted(keyed, key=lambda message: (message.type != "request", message.type))
        if not keyed or not all(self._keyed[0].profile.header_fields[:2]):
            raise InputError(f"{_UNNAMED}: the header does not name them here")
        self._frame = self._keyed[0].profile.frame_length if frame or find else 0
        self.finds = find
        self._records = records
        self._names = names
        self._answers: dict[Json, Layout] = {}

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`, each with its frame length if it has one."""
        frames = split_frames(data, self._frame)
        is_framed = len(frames) > 1 or self._is_frame(data)
        # A response has at least its correlation id.
        has_sizes = all(len(frame) >= self._frame + 4 for frame in frames[:-1])
        return frames if not self.finds or (is_framed and has_sizes) else [data]

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`; if `described`, with its spans. Raises InputError if a package is
        missing."""
        if self.finds and is_batch(data):
            return BareRecords().read(data, described=described)
        frame = bool(self._frame) and (not self.finds or self._is_frame(data))
        try:
            start = frame_end(data, self._frame if frame else 0)
        except WireError as bad:
            return MessageReading(error=bad)
        answer = self._answers.get(int.from_bytes(data[start : start + 4], "big", signed=True))
        if answer is not None:
            reading = self._envelope(answer, frame).read(data, described=described)
            if reading.error is None:
                return reading
        named = list(self._named(data, start))
        if not named:
            return self._unknown(data, start)
        if len(named) > 1:
            names = " or ".join(f"{of.name} {of.version}" for of, _ in named)
            words = f"the header may be that of {names}: {_UNNAMED}"
            return MessageReading(error=WireError(words, start))
        of, header = named[0]
        halves = self._protocol.api(of.api)
        response = next((each for each in halves if each.type == "response"), None)
        if of.type == "request" and response and of.version in response.valid_versions:
            correlation = header.value.get(of.message.profile.header_fields.correlation_id)
            self._answers[correlation] = layout(response, of.version)
        return self._envelope(of, frame).read(data, described=described)

    def _is_frame(self, data: bytes) -> bool:
        size = self._frame
        is_longer = bool(size) and len(data) > size
        return is_longer and int.from_bytes(data[:size], "big") == len(data) - size

    def _envelope(self, of: Layout, frame: bool) -> Envelope:
        records, names = self._records, self._names
        return Envelope(of, self._protocol, header=True, frame=frame, records=records, names=names)

    @cached_property
    def _headers(self) -> dict[tuple[str, int], Layout]:
        """The headers that specs describe, by the type of message and their version."""
        headers: dict[tuple[str, int], Layout] = {}
        for message in self._keyed:
            for number in message.headers:
                if (message.type, number) not in headers:
                    with suppress(InputError):
                        headers[message.type, number] = header_of(self._protocol, message, number)
        return headers

    def _named(self, data: bytes, start: int) -> Iterator[tuple[Layout, Reader]]:
        """The layouts that a header names, with that header."""
        for (type_, number), header in self._headers.items():
            reader = codec(header).read(data, start, whole=False)
            for message in self._keyed if reader.error is None else ():
                key, version = _numbers(message, reader)
                if (message.type, message.api_key) != (type_, key):
                    continue
                if version in message.valid_versions and message.header_of(version) == number:
                    yield layout(message, version), reader

    def _unknown(self, data: bytes, start: int) -> MessageReading:
        """The header of a message that the protocol lacks, in its oldest form, and the rest in
        hex."""
        first = self._keyed[0]
        number = first.profile.headers.version_of(first.type, None, 0, False)
        header = header_of(self._protocol, first, number or 0)
        reader = codec(header).read(data, start, whole=False, described=True)
        if reader.error is not None and self.finds:
            words = f"no header names this message: {_UNNAMED}"
            return MessageReading(error=WireError(words, start))
        found = MessageReading(spans=[("header", span) for span in reader.spans])
        if reader.error is not None:
            found.value = {"header": reader.value} if reader.value else None
            found.error = reader.error.below("header")
            return found
        key, version = _numbers(first, reader)
        field = first.profile.header_fields.api_key
        words = f"there is no {first.type} with API key {key}"
        for message in self._keyed:
            if (message.type, message.api_key) == (first.type, key):
                field, valid = message.profile.header_fields.api_version, message.valid_versions
                words = f"{message.name} has no version {version}; its valid versions are {valid}"
        at = next((span.start for span in reader.spans if span.path == field), start)
        found.value = {"header": reader.value, "body": data[reader.at :].hex()}
        found.error = WireError(words, at, f"header.{field}")
        return found


def _numbers(message: Message, header: Reader) -> tuple[Any, Any]:
    """The API key and the version in a header, according to the profile."""
    roles = message.profile.header_fields
    return header.value.get(roles.api_key), header.value.get(roles.api_version)
