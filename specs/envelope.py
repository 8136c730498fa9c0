"""A message in transit: without its header, with it, or with header and frame length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirebook.specs.codec import encode, read
from wirebook.specs.embedded import with_embedded, with_records
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.control_records import decode_records, problems_of
from wirebook.specs.kafka.headers import header_of
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, MessageValue, Protocol
from wirebook.specs.names import Names, named
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH
from wirebook.specs.records.writing import write_batches
from wirebook.specs.spans import MessageReading, Span, WireError, joined

_ANSWER = "ApiVersionsResponse"


class Envelope:
    """A layout and what surrounds its bytes on a connection: the header and the length of the
    frame.

    `protocol` is that of the message: the header is described by its specs of type header, or by
    the embedded ones if it is Kafka's or a fork's. With `records`, the records in values are lists
    of batches. Raises InputError if a requested header does not exist.
    """

    def __init__(
        self,
        body: Layout,
        protocol: Protocol,
        *,
        header: bool = False,
        frame: bool = False,
        records: bool = False,
        names: Names | None = None,
    ) -> None:
        if header and body.header_version is None:
            raise InputError(f"{body.name} has no header; only requests and responses do")
        self.layout, self.frame, self.records, self._protocol = body, frame, records, protocol
        self.names = names or Names.of(body.message)
        self.header = None
        if header and body.header_version is not None:
            self.header = header_of(protocol, body.message, body.header_version)

    def encode(self, value: Any) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        Fields of the header that hold the API key or the version, according to the profile, have
        those of the message, and no other value. Records are hex or lists of batches; raises
        InputError if their compression needs a missing package.
        """
        data = b""
        if self.header is None:
            data = encode(self.layout, value, write_batches)
        elif not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
            raise WireError('an object with "header" and "body" is expected')
        else:
            for part, of in (("header", self.header), ("body", self.layout)):
                given = value.get(part, {})
                if of is self.header and isinstance(given, dict):
                    given = {name: number for name, _, number in self._numbers()} | given
                    self._refuse_other(given)
                try:
                    data += encode(of, given, write_batches)
                except WireError as bad:
                    raise bad.below(part) from None
        return len(data).to_bytes(FRAME_LENGTH, "big") + data if self.frame else data

    def _numbers(self) -> Iterator[tuple[str, str, int]]:
        """The fields of the header that name the message, according to the profile: name, what it
        is, value."""
        roles = self.layout.message.profile.headers.fields
        for each in self.header.fields if self.header else ():
            if each.name == roles.api_key and self.layout.api_key is not None:
                yield each.name, "API key", self.layout.api_key
            elif each.name == roles.api_version:
                yield each.name, "version", self.layout.version

    def _refuse_other(self, head: Mapping[str, Json], at: int | None = None) -> None:
        """Raise WireError for a header that is that of another message."""
        for name, what, own in self._numbers():
            if head.get(name, own) != own:
                words = f"{head[name]} is not the {what} of {self.layout.name}, {own}"
                raise WireError(words, at, f"header.{name}")

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`, as far as possible; if `described`, with its spans.

        Raises InputError if a package for records is missing. Error 35 is read in the layout of
        version 0, as clients read it, if it is no answer of this version (KIP-511).
        """
        found, message = self._read(self.layout, data, described), self.layout.message
        is_answer = message.profile.family == KAFKA and message.name == _ANSWER
        if found.error is not None and is_answer and found.version:
            first = self._read(layout(message, 0), data, described)
            value: Any = first.value
            if first.error is None and (value["body"] if self.header else value)["ErrorCode"] == 35:
                words = f"{message.name} {found.version} is read in the layout of version 0"
                first.notes.append(f"error 35: {words}, as clients read it")
                return first
        return found

    def _read(self, body: Layout, data: bytes, described: bool) -> MessageReading:
        found, parts = MessageReading(body.name, body.version), dict[str, Json]()

        def opened(content: bytes, path: str) -> list[MessageValue]:
            # Only the records of a response may end within a batch.
            path, may_be_cut = joined("body" if self.header else "", path), body.type == "response"
            items = decode_records(content)
            found.problems += problems_of(items, path, may_be_cut=may_be_cut)
            return items

        try:
            at = 0
            if self.frame:
                at = FRAME_LENGTH
                found.spans.append(("frame", _frame(data)))
            for part, of in (("header", self.header), ("body", body)):
                if of is None:
                    continue
                batches = opened if self.records else None
                reader = read(of, data, at, whole=of is body, batches=batches)
                at = reader.at
                if described:
                    spans = list(named(reader.spans, self.names.at(of)))
                    for span in with_embedded(of.message, self._protocol, spans):
                        inner = with_records(span) if self.records else [span]
                        found.spans += ((part, each) for each in inner)
                if reader.value or reader.error is None:
                    parts[part] = reader.value
                if reader.error is not None:
                    raise reader.error.below(part if self.header else "")
                if of is not body:
                    self._refuse_other(reader.value, at)
        except WireError as bad:
            found.error = bad
        found.value = parts.get("body") if self.header is None else parts or None
        return found


def _frame(data: bytes) -> Span:
    """The length before a message. Raises WireError if the message has another."""
    size, left = FRAME_LENGTH, len(data) - FRAME_LENGTH
    if left < 0:
        words = f"a frame begins with a length of {size} bytes, but there are {len(data)}"
        raise WireError(words, 0)
    length = int.from_bytes(data[:size], "big", signed=True)
    if length != left:
        follow = "1 byte follows" if left == 1 else f"{left} bytes follow"
        raise WireError(f"the frame length is {length}, but {follow} it", 0)
    return Span(0, size, "", "length", "INT32", length)
