"""A message in transit: without its header, with it, or with header and frame length; or records
only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wirebook.specs.codec import Reader, Span, WireError, codec, within
from wirebook.specs.embedded import with_embedded
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.stored_records import with_stored
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names, named
from wirebook.specs.opened_records import (
    Problem,
    decode_records,
    encode_message,
    explained,
    open_records,
    problems_of,
)
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH
from wirebook.specs.records.reading import explain_records
from wirebook.specs.records.writing import write_records
from wirebook.specs.selection import select_message

SCHEMA = "wirebook/bytes/1"
_ANSWER = "ApiVersionsResponse"


@dataclass
class MessageReading:
    """A message that was read: its value, and its spans with the part that each belongs to.

    With an error, they are those of what precedes it; the value is None if that is nothing.
    `problems` are its damaged batches, `notes` what else readers should know. A part is frame,
    header or body.
    """

    name: str = ""
    version: int = 0
    value: Json = None
    spans: list[tuple[str, Span]] = field(default_factory=list)
    error: WireError | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def described(self, data: bytes) -> dict[str, Json]:
        """The spans as JSON in the form `wirebook/bytes/1`."""
        return {
            "schema": SCHEMA,
            "message": self.name,
            "version": self.version,
            "hex": data.hex(),
            "spans": [{"part": part, **span.to_json()} for part, span in self.spans],
        }


class Envelope:
    """A layout and what surrounds its bytes on a connection: the header and the length of the
    frame.

    `protocol` is that of the message: the header is described by its specs of type header, or by
    the embedded ones if it is Kafka's or a fork's. With `records`, the records in values are lists
    of batches. Raises InputError if a requested header does not exist, or if a frame is requested
    in a protocol without frames.
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
        self.frame = FRAME_LENGTH if frame else 0
        self.layout = body
        self.header = None
        if header and body.header_version is not None:
            self.header = header_of(protocol, body.message, body.header_version)
        self.records = records
        self.names = names or Names.of(body.message)
        self.values = self.names.at(body)
        self._protocol = protocol
        self._body = codec(body)

    def encode(self, value: Json) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        Fields of the header that hold the API key or the version, according to the profile, have
        those of the message, and no other value. Records are hex or lists of batches; raises
        InputError if their compression needs a missing package.
        """
        data = self._encoded(value)
        if not self.frame:
            return data
        if len(data) >= 1 << (8 * self.frame - 1):
            raise WireError(f"a length of {self.frame} bytes cannot hold {len(data)}")
        return len(data).to_bytes(self.frame, "big") + data

    def _encoded(self, value: Json) -> bytes:
        if self.header is None:
            return encode_message(self._body, value)
        if not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
            raise WireError('an object with "header" and "body" is expected')
        given = value.get("header", {})
        own: dict[str, Json] = {}
        with within("header"):
            for name, what, number in self._numbers() if isinstance(given, dict) else ():
                if given.get(name, number) != number:
                    words = f"{given[name]} is not the {what} of {self.layout.name}, {number}"
                    raise WireError(words, path=name)
                own[name] = number
            data = codec(self.header).encode(own | given if isinstance(given, dict) else given)
        with within("body"):
            return data + encode_message(self._body, value.get("body", {}))

    def _numbers(self) -> Iterator[tuple[str, str, int]]:
        """The fields of the header that name the message, according to the profile: name, what it
        is, value."""
        roles = self.layout.message.profile.headers.fields
        fields = [] if self.header is None else [each.name for each in self.header.fields]
        if self.layout.api_key is not None and roles.api_key in fields:
            yield roles.api_key, "API key", self.layout.api_key
        if roles.api_version in fields:
            yield roles.api_version, "version", self.layout.version

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`, as far as possible; if `described`, with its spans.

        Raises InputError if a package for records is missing. Error 35 is read in the layout of
        version 0, as clients read it, if it is no answer of this version (KIP-511).
        """
        reading = self._read(data, described)
        message, version = self.layout.message, self.layout.version
        is_answer = message.profile.family == KAFKA and message.name == _ANSWER
        if reading.error is None or not is_answer or not version:
            return reading
        header, frame = self.header is not None, self.frame > 0
        first = Envelope(
            layout(message, 0), self._protocol, header=header, frame=frame, names=self.names
        )
        found = first._read(data, described)
        value: Any = found.value
        if found.error is not None or (value["body"] if header else value)["ErrorCode"] != 35:
            return reading
        words = f"{message.name} {version} is read in the layout of version 0, as clients read it"
        found.notes.append(f"error 35: {words}")
        return found

    def _read(self, data: bytes, described: bool) -> MessageReading:
        found = MessageReading(self.layout.name, self.layout.version)
        try:
            at = frame_end(data, self.frame)
        except WireError as bad:
            found.error = bad
            return found
        if self.frame:
            length = Span(0, at, "", "length", f"INT{8 * self.frame}", len(data) - at)
            found.spans.append(("frame", length))
        parts: dict[str, Json] = {}
        if self.header is not None:
            header = codec(self.header).read(data, at, whole=False, described=described)
            at = header.at
            spans = named(header.spans, self.names.at(self.header)) if described else ()
            found.spans += (("header", span) for span in spans)
            if header.value:
                parts["header"] = header.value
            found.error = header.error.below("header") if header.error else self._other(header)
        if found.error is None:
            body = self._body.read(data, at, described=described)
            if described:
                found.spans += (("body", span) for span in self._body_spans(body))
            if body.value or body.error is None:
                parts["body"] = body.value
            found.error = body.error
            if self.records and body.error is None:
                may_be_cut = self.layout.type == "response"
                parts["body"], found.problems = open_records(
                    self._body, body.value, may_be_cut=may_be_cut
                )
            if self.header is not None:
                found.problems = [Problem(f"body.{path}", words) for path, words in found.problems]
                if body.error is not None:
                    body.error.below("body")
        found.value = parts.get("body") if self.header is None else parts or None
        return found

    def _body_spans(self, body: Reader) -> Iterator[Span]:
        """The spans of a body, with those of embedded messages and, on request, of records."""
        spans = list(named(body.spans, self.values))
        for span in with_embedded(self.layout.message, self._protocol, spans):
            if self.records:
                yield from explained(span)
            else:
                yield span

    def _other(self, header: Reader) -> WireError | None:
        """The error for a header that is that of another message."""
        for name, _, own in self._numbers():
            if header.value.get(name, own) != own:
                here = f"{self.layout.name} {self.layout.version}"
                words = f"this is {header.value[name]}, but the message to decode is {here}"
                return WireError(words, header.at, f"header.{name}")
        return None

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`: with frames, there may be several; what is left over is the last
        one."""
        return split_frames(data, self.frame)


class BareRecords:
    """Records without an enclosing message, such as those of a log segment; used like an
    `Envelope`.

    `topic` is the topic of brokers that they are of, whose keys and values have specs; "" for any
    other.
    """

    def __init__(self, topic: str = "") -> None:
        self.topic = topic

    def encode(self, value: Json) -> bytes:
        """Encode a list of batches. Raises WireError, InputError."""
        if not isinstance(value, list):
            raise WireError("a list of batches is expected")
        return write_records(value)

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read a list of batches; if `described`, with its spans. Raises InputError."""
        items = decode_records(data)
        problems = problems_of(items, "")
        if self.topic:
            with_stored(items, self.topic)
        spans = [("body", span) for span in explain_records(data)] if described else []
        return MessageReading("records", 0, items, spans, problems=problems)

    def split(self, data: bytes) -> list[bytes]:
        """All of `data`: records have no frames."""
        return [data]


def header_of(protocol: Protocol, message: Message, version: int) -> Layout:
    """The layout of the header before a message. Raises InputError if there is no spec for it."""
    if message.profile.family == KAFKA:
        return header_layout(message.type, version)
    name = f"{message.type.capitalize()}Header"
    spec = protocol.find(name)
    if spec is None or spec.type != "header":
        words = f"there is no spec of the name {name} and the type header"
        raise InputError(f"the header of {message.name} is unknown: {words}")
    return layout(spec, version)


def frame_end(data: bytes, size: int) -> int:
    """Where the header or body begins after a frame length of `size` bytes (0: there is none).

    Raises WireError if the frame has another length.
    """
    remaining = len(data) - size
    if remaining < 0:
        words = f"a frame begins with a length of {size} bytes, but there are {len(data)}"
        raise WireError(words, 0)
    length = int.from_bytes(data[:size], "big", signed=True)
    if size and length != remaining:
        follow = "1 byte follows" if remaining == 1 else f"{remaining} bytes follow"
        raise WireError(f"the frame length is {length}, but {follow} it", 0)
    return size


def split_frames(data: bytes, size: int) -> list[bytes]:
    """The frames in `data` that begin with a length of `size` bytes (0: there is one message,
    without a frame); what does not fit is the last one.
    """
    start = 0
    frames = []
    while size and len(data) - start > size:
        length = int.from_bytes(data[start : start + size], "big", signed=True)
        if not 0 <= length < len(data) - start - size:
            break
        frames.append(data[start : start + size + length])
        start += size + length
    return [*frames, data[start:]]


def named_layout(protocol: Protocol, where: str, name: str, version: object) -> Layout:
    """The layout of a message at a version, an int or its digits; `where` describes the protocol in
    errors.

    Raises InputError if there is no such message or version, and for an API, which has several
    messages.
    """
    message = select_message(protocol, name, where)
    digits = str(version)
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 5:
        raise InputError(f'"{digits[:40]}" is not a version; {name} has {message.valid_versions}')
    return layout(message, int(digits))
