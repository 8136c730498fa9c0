"""A message in transit: without its header, with it, or with header and frame length; or records
only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wirebook.specs.codec import Reading, Span, WireError, codec
from wirebook.specs.embedded import EmbeddedMessages
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.stored_records import with_stored
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.names import Names, named, numbered
from wirebook.specs.opened_records import (
    Problem,
    decode_records,
    encode_message,
    encode_records,
    explained,
    opened,
    problems_of,
)
from wirebook.specs.problems import InputError
from wirebook.specs.profile import header_name
from wirebook.specs.records.reading import explain_records
from wirebook.specs.selection import select_message

SCHEMA = "wirebook/bytes/1"
_ANSWER, _UNSUPPORTED = "ApiVersionsResponse", (35).to_bytes(2, "big")


class MessageReading(NamedTuple):
    """A message that was read: its value, and its spans with the part that each belongs to.

    With an error, they are those of what precedes it; the value is None if that is nothing.
    `problems` are its damaged batches, `notes` what else readers should know. A part is frame,
    header or body.
    """

    name: str
    version: int
    value: Json
    spans: list[tuple[str, Span]]
    error: WireError | None = None
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def described(self, data: bytes) -> dict[str, Json]:
        """The spans as JSON in the form `wirebook/bytes/1`."""
        rows = [{"part": part, **span.to_json()} for part, span in self.spans]
        return {
            "schema": SCHEMA,
            "message": self.name,
            "version": self.version,
            "hex": data.hex(),
            "spans": rows,
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
            others = "".join(f", {word} messages" for word in body.message.profile.headers.others)
            raise InputError(f"{body.name} has no header; only requests and responses{others} do")
        self.frame = body.message.profile.frame_length if frame else 0
        if frame and not self.frame:
            raise InputError("the protocol has no frames: frame_length is 0 in its profile")
        self.layout = body
        self.header = None
        if header and body.header_version is not None:
            self.header = header_of(protocol, body.message, body.header_version)
        self.records = records
        self.names = names or Names.of(body.message)
        self.values = self.names.at(body)
        self.may_be_empty = (
            not self.frame and self.header is None and codec(body).read(b"").error is None
        )
        self._body = codec(body)
        self._protocol = protocol
        self._embedded = EmbeddedMessages(body.message, protocol)

    def encode(self, value: Json) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        Fields of the header that hold the API key or the version, according to the profile, have
        those of the message, and no other value. Records are hex or lists of batches; raises
        InputError if their compression needs a missing package.
        """
        head, body = b"", value
        if self.header is not None:
            if not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
                raise WireError('an object with "header" and "body" is expected')
            body = value.get("body", {})
            try:
                header = value.get("header", {})
                head = codec(self.header).encode(self._addressed(self.header, header))
            except WireError as bad:
                raise bad.below("header") from None
        try:
            data = head + encode_message(self._body, numbered(body, self.values))  # type: ignore[arg-type]
        except RecursionError:
            raise WireError("this is nested too deeply") from None
        except WireError as bad:
            raise (bad if self.header is None else bad.below("body")) from None
        if not self.frame:
            return data
        if len(data) >= 1 << (8 * self.frame - 1):
            raise WireError(f"a length of {self.frame} bytes cannot hold {len(data)}")
        return len(data).to_bytes(self.frame, "big") + data

    def _addressed(self, header: Layout, value: Json) -> Mapping[str, Json]:
        """The value of a header with the API key and the version of the message. Raises
        WireError."""
        if not isinstance(value, dict):
            return value  # type: ignore[return-value]
        roles = self.layout.message.profile.header_fields
        fields = [field for field in header.fields if field.tag is None]
        if not any(roles) and self.layout.type != "response":
            # The API key may be any of them: a default would name another message.
            for field in fields:
                if field.name not in value:
                    why = "because the profile names no field that holds the API key"
                    words = (
                        f"this field needs a value, {why}: [headers.fields] api_key = "
                        f'"{field.name}"'
                    )
                    raise WireError(words, path=field.name)
        own: dict[str, Json] = {}
        for name, what, number in self._numbers():
            if all(field.name != name for field in fields):
                continue
            if value.get(name, number) != number:
                raise WireError(
                    f"{value[name]} is not the {what} of {self.layout.name}, {number}", path=name
                )
            own[name] = number
        return own | value

    def _numbers(self) -> Iterator[tuple[str, str, int]]:
        """The fields of a header that name the message, according to the profile: name, what it is,
        value."""
        roles = self.layout.message.profile.header_fields
        if self.layout.api_key is not None:
            yield roles.api_key, "API key", self.layout.api_key
        yield roles.api_version, "version", self.layout.version

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`, as far as possible; if `described`, with its spans.

        Raises InputError if a package for records is missing. Error 35 is read in the layout of
        version 0, as clients read it, if it is no answer of this version (KIP-511).
        """
        reading = self._read(data, described)
        older = self._older(data) if reading.error is not None else None
        found = None if older is None else older._read(data, described)
        if found is None or found.error is not None:
            return reading
        name = f"{self.layout.name} {self.layout.version}"
        note = f"error 35: {name} is read in the layout of version 0, as clients read it"
        return found._replace(notes=(note,))

    def _read(self, data: bytes, described: bool) -> MessageReading:
        of = self.layout
        found = MessageReading(of.name, of.version, None, [])
        try:
            start = frame_end(data, self.frame)
        except WireError as bad:
            return found._replace(error=bad)
        if self.frame and described:
            length = Span(0, start, "", "", "length", f"INT{8 * self.frame}", len(data) - start)
            found.spans.append(("frame", length))
        parts: dict[str, Json] = {}
        if self.header is not None:
            header = codec(self.header).read(data, start, whole=False, described=described)
            start = header.end
            found.spans.extend(
                ("header", span) for span in named(header.spans, self.names.at(self.header))
            )
            if header.value:
                parts["header"] = header.value
            error = self._other(header) if header.error is None else header.error.below("header")
            if error is not None:
                return found._replace(value=parts or None, error=error)
        body = self._body.read(data, start, described=described)
        spans = self._embedded.explained(named(body.spans, self.values)) if described else ()
        for span in spans:
            found.spans.extend(
                ("body", inner) for inner in (explained(span) if self.records else (span,))
            )
        inner, problems = body.value, list[Problem]()
        if self.records and body.error is None:
            inner, problems = opened(self._body, inner, may_be_cut=of.type == "response")
        if self.header is None:
            value: Json = inner if inner or body.error is None else None
            return found._replace(value=value, error=body.error, problems=tuple(problems))
        if inner or body.error is None:
            parts["body"] = inner
        problems = [Problem(f"body.{path}", words) for path, words in problems]
        error = None if body.error is None else body.error.below("body")
        return found._replace(value=parts, error=error, problems=tuple(problems))

    def _other(self, header: Reading) -> WireError | None:
        """The error for a header that is that of another message."""
        for name, _, own in self._numbers():
            if header.value.get(name, own) != own:
                here = f"{self.layout.name} {self.layout.version}"
                words = f"this is {header.value[name]}, but the message to decode is {here}"
                return WireError(words, header.end, f"header.{name}")
        return None

    def _older(self, data: bytes) -> Envelope | None:
        """The envelope of version 0 if `data` may be an answer with error 35."""
        message = self.layout.message
        if message.profile.family != KAFKA or message.name != _ANSWER or not self.layout.version:
            return None
        # The header of every version is the correlation id.
        at = self.frame + (0 if self.header is None else 4)
        if data[at : at + 2] != _UNSUPPORTED or 0 not in message.valid_versions:
            return None
        header, frame = self.header is not None, bool(self.frame)
        return Envelope(
            layout(message, 0), self._protocol, header=header, frame=frame, names=self.names
        )

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

    may_be_empty = False

    def __init__(self, topic: str = "") -> None:
        self.topic = topic

    def encode(self, value: Json) -> bytes:
        """Encode a list of batches. Raises WireError, InputError."""
        if not isinstance(value, list):
            raise WireError("a list of batches is expected")
        return encode_records(value)

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read a list of batches; if `described`, with its spans. Raises InputError."""
        items = decode_records(data)
        problems = problems_of(items, "")
        if self.topic:
            with_stored(items, self.topic)
        spans = [("body", span) for span in explain_records(data)] if described else []
        return MessageReading("records", 0, items, spans, problems=tuple(problems))

    def split(self, data: bytes) -> list[bytes]:
        """All of `data`: records have no frames."""
        return [data]


def header_of(protocol: Protocol, message: Message, version: int) -> Layout:
    """The layout of the header before a message. Raises InputError if there is no spec for it."""
    if message.profile.family == KAFKA:
        return header_layout(message.type, version)
    name = header_name(message.type)
    spec = protocol.find(name)
    if spec is None or spec.type != "header":
        raise InputError(
            f"the header of {message.name} is unknown: there is no spec of the name {name} and "
            "the type "
            "header"
        )
    return layout(spec, version)


def frame_end(data: bytes, size: int) -> int:
    """Where the header or body begins after a frame length of `size` bytes (0: there is none).

    Raises WireError if the frame has another length.
    """
    if not size:
        return 0
    remaining = len(data) - size
    if remaining < 0:
        raise WireError(
            f"a frame begins with a length of {size} bytes, but there are {len(data)}", 0
        )
    length = int.from_bytes(data[:size], "big", signed=True)
    if length != remaining:
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
