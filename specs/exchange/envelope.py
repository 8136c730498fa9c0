"""A message in transit: without its header, with it, or with header and frame length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, ParamSpec, TypeVar

from wirebook.specs.exchange.named import named, numbered
from wirebook.specs.exchange.records import encode_message, explained, opened
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HeaderFields, header_name
from wirebook.specs.selection import select_message
from wirebook.specs.texts.model import TableValues
from wirebook.specs.wire.codec import FORMS, Span, WireError, codec
from wirebook.specs.wire.embedded import EmbeddedMessages
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.records.fields import OpenedRecords

SCHEMA = "wirebook/bytes/1"
_UNNAMED = "name the message and its version: the header does not name them here"
_ANSWER, _UNSUPPORTED = "ApiVersionsResponse", (35).to_bytes(2, "big")

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Envelope:
    """A layout and what surrounds its bytes on a connection: the header and the length of the frame.

    `protocol` is that of the message: the header is described by its specs of type header, or by the embedded
    ones if it is Kafka's or a fork's. With `strict`, fields of the header that hold the API key or the
    version must have those of the message when bytes are decoded. `tabled` are the values in the table of its
    profile, if it has its own. Raises InputError if a requested header does not exist, or if a frame is
    requested in a protocol without frames.
    """

    takes = dict

    def __init__(
        self,
        body: Layout,
        protocol: Protocol,
        *,
        header: bool = False,
        frame: bool = False,
        strict: bool = False,
        tabled: TableValues | None = None,
    ) -> None:
        if header and body.header_version is None:
            others = "".join(f", {word} messages" for word in body.message.profile.headers.others)
            raise InputError(f"{body.name} has no header; only requests and responses{others} do")
        self.layout = body
        self.body = codec(body)
        self.frame = body.message.profile.frame_length if frame else 0
        if frame and not self.frame:
            raise InputError("the protocol has no frames: frame_length is 0 in its profile")
        self.notes: list[str] = []
        self._strict = strict
        self._protocol = protocol
        self._tabled = tabled
        self._embedded = EmbeddedMessages(body.message, protocol)
        self.header_layout = None
        if header and body.header_version is not None:
            self.header_layout = _header(protocol, body, body.header_version)

    def encode(self, value: Json) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        Fields of the header that hold the API key or the version, according to the profile, have those of the
        message, and no other value. Records are hex or lists of batches; raises InputError if their
        compression needs a missing package.
        """
        if self.header_layout is None:
            data = self._encoded_body(value)
        else:
            if not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
                raise WireError('an object with "header" and "body" is expected')
            header = value.get("header", {})
            if isinstance(header, dict):
                header = _within("header", self._addressed, self.header_layout, header)
            data = _within("header", codec(self.header_layout).encode, header)
            data += _within("body", self._encoded_body, value.get("body", {}))
        if not self.frame:
            return data
        if len(data) >= 1 << (8 * self.frame - 1):
            raise WireError(f"a length of {self.frame} bytes cannot hold {len(data)}")
        return len(data).to_bytes(self.frame, "big") + data

    def _encoded_body(self, value: Json) -> bytes:
        return encode_message(self.body, numbered(self.layout, value, self._tabled))  # type: ignore[arg-type]

    def _addressed(self, header: Layout, value: dict[str, Json]) -> dict[str, Json]:
        """The value of a header with the API key and the version of the message. Raises WireError."""
        roles = self.layout.message.profile.header_fields
        fields = {field.name: field for field in header.fields}
        if not any(roles):
            # The API key may be any of them: a default would name another message.
            absent = next(
                (name for name, field in fields.items() if field.tag is None and name not in value), ""
            )
            if absent and self.layout.type != "response":
                raise WireError(
                    "this field needs a value, because the profile names no field that holds the API key: "
                    f'[headers.fields] api_key = "{absent}"',
                    path=absent,
                )
        own: dict[str, Json] = {}
        for name, what, number in self._numbers():
            if name not in fields:
                continue
            if value.get(name, number) != number:
                raise WireError(f"{value[name]} is not the {what} of {self.layout.name}, {number}", path=name)
            own[name] = number
        return own | value

    def decode(self, data: bytes) -> Json:
        """Decode all of `data` to a value. Raises WireError."""
        start = frame_end(data, self.frame)
        if self.header_layout is None:
            return self._rest(data, start)
        header, start = _within("header", codec(self.header_layout).decode_from, data, start)
        if self._strict:
            self._check(header, start)
        return {"header": header, "body": _within("body", self._rest, data, start)}

    def _numbers(self) -> Iterator[tuple[str, str, int]]:
        """The fields of a header that name the message, according to the profile: name, what it is, value."""
        roles = self.layout.message.profile.header_fields
        if self.layout.api_key is not None:
            yield roles.api_key, "API key", self.layout.api_key
        yield roles.api_version, "version", self.layout.version

    def _check(self, header: dict[str, Json], end: int) -> None:
        """Raise WireError if a header that ends at `end` is that of another message."""
        for name, _, own in self._numbers():
            if header.get(name, own) != own:
                here = f"{self.layout.name} {self.layout.version}"
                words = f"this is {header[name]}, but the message to decode is {here}"
                raise WireError(words, end, f"header.{name}")

    def reading(self, data: bytes) -> Envelope:
        """The envelope to decode `data` with: another one for error 35 in the layout of version 0 (KIP-511).

        It adds a note about that to `notes`.
        """
        older = self._older(data)
        if older is None:
            return self
        self.notes.append(
            f"error 35: {self.layout.name} {self.layout.version} is read in the layout of version 0, "
            "as clients read it"
        )
        return older

    def _older(self, data: bytes) -> Envelope | None:
        """The envelope of version 0 if `data` is an error 35 that cannot be read in the requested version."""
        message = self.layout.message
        if message.profile.family != KAFKA or self.layout.name != _ANSWER or not self.layout.version:
            return None
        # The header of every version is the correlation id.
        at = self.frame + (4 if self.header_layout is not None else 0)
        if data[at : at + 2] != _UNSUPPORTED or 0 not in message.valid_versions:
            return None
        header, frame = self.header_layout is not None, bool(self.frame)
        older = Envelope(layout(message, 0), self._protocol, header=header, frame=frame, tabled=self._tabled)
        return older if _reads(older, data) and not _reads(self, data) else None

    def messages(self, data: bytes) -> Iterator[bytes]:
        """The messages in `data`: with frames, there may be several; what is left over is the last one."""
        return split_frames(data, self.frame)

    def read_until(self, data: bytes, error: WireError) -> list[tuple[str, Span]]:
        """The spans of what precedes an error of `decode`."""
        if error.offset is None or error.offset <= self.frame:
            return []
        return self._until(data)[0]

    def value_until(self, data: bytes, error: WireError) -> Json:
        """The value of what precedes an error of `decode`; null if that is nothing."""
        if error.offset is None or error.offset <= self.frame:
            return None
        return self._until(data)[1]

    def _until(self, data: bytes) -> tuple[list[tuple[str, Span]], Json]:
        start = self.frame
        spans: list[tuple[str, Span]] = []
        parts: dict[str, Json] = {}
        if self.header_layout is not None:
            header = codec(self.header_layout).read(data, start, whole=False)
            start = header.end
            spans += [("header", span) for span in named(self.header_layout, header.spans)]
            if header.value:
                parts["header"] = header.value
            if header.error is not None:
                return spans, parts or None
        body = self.body.read(data, start)
        spans += [("body", span) for span in named(self.layout, body.spans, self._tabled)]
        if body.value:
            parts["body"] = body.value
        return spans, parts.get("body") if self.header_layout is None else parts or None

    def opened(self, data: bytes) -> OpenedRecords:
        """Decode all of `data` to a value whose records are batches. Raises WireError, InputError."""
        value = self.decode(data)
        of = self.body
        may_be_cut = self.layout.type == "response"
        if self.header_layout is None:
            return opened(of, value, may_be_cut=may_be_cut)
        assert isinstance(value, dict)
        body = opened(of, value["body"], may_be_cut=may_be_cut)
        body.value = {**value, "body": body.value}
        body.problems = [(f"body.{path}", error) for path, error in body.problems]
        return body

    @property
    def may_be_empty(self) -> bool:
        """Whether zero bytes are a valid message, as for ApiVersions requests of versions 0 to 2."""
        try:
            self.decode(b"")
        except WireError:
            return False
        return True

    def spans(self, data: bytes, *, records: bool = False) -> Iterator[tuple[str, Span]]:
        """Describe each byte, with the part that it belongs to: frame, header or body. Raises WireError.

        The bytes of embedded messages are described as well, and with `records` those inside records.
        """
        self.decode(data)
        start = frame_end(data, self.frame)
        if self.frame:
            yield (
                "frame",
                Span(0, self.frame, "", "", "length", f"INT{8 * self.frame}", len(data) - self.frame),
            )
        if self.header_layout is not None:
            header = codec(self.header_layout)
            _, end = header.decode_from(data, start)
            for span in named(self.header_layout, header.explain(data[start:end])):
                yield "header", span.moved(start)
            start = end
        body = named(self.layout, self.body.explain(data[start:]), self._tabled)
        for span in self._embedded.explained(body):
            for inner in explained(span) if records else (span,):
                yield "body", inner.moved(start)

    def described(self, data: bytes, spans: Iterable[tuple[str, Span]]) -> dict[str, Json]:
        """Some spans as JSON in the form `wirebook/bytes/1`."""
        return {
            "schema": SCHEMA,
            "message": self.layout.name,
            "version": self.layout.version,
            "hex": data.hex(),
            "spans": [{"part": part, **span.to_json()} for part, span in spans],
        }

    def _rest(self, data: bytes, start: int) -> Json:
        reading = self.body.read(data, start)
        if reading.error is not None:
            raise reading.error
        return reading.value


def frame_end(data: bytes, size: int) -> int:
    """Where the header or body begins after a frame length of `size` bytes (0: there is none).

    Raises WireError if the frame has another length.
    """
    if not size:
        return 0
    remaining = len(data) - size
    if remaining < 0:
        raise WireError(f"a frame begins with a length of {size} bytes, but there are {len(data)}", 0)
    length = int.from_bytes(data[:size], "big", signed=True)
    if length != remaining:
        follow = "1 byte follows" if remaining == 1 else f"{remaining} bytes follow"
        raise WireError(f"the frame length is {length}, but {follow} it", 0)
    return size


def split_frames(data: bytes, size: int) -> Iterator[bytes]:
    """The frames in `data` that begin with a length of `size` bytes (0: there is one message, without a
    frame); what does not fit is the last one.
    """
    start = 0
    while size and len(data) - start > size:
        length = int.from_bytes(data[start : start + size], "big", signed=True)
        if not 0 <= length < len(data) - start - size:
            break
        yield data[start : start + size + length]
        start += size + length
    yield data[start:]


def _reads(envelope: Envelope, data: bytes) -> bool:
    try:
        envelope.decode(data)
    except WireError:
        return False
    return True


class _Number(NamedTuple):
    """A field in the header of every request: its name, its offset and its type."""

    name: str
    offset: int
    type: str

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + FORMS[self.type].size

    def read(self, data: bytes, start: int) -> int:
        """The number in a header that begins at `start`."""
        (number,) = FORMS[self.type].unpack_from(data, start + self.offset)
        return int(number)


class _Addressed(NamedTuple):
    """The messages of one type, by API key, and the fields of their headers with the key and the version."""

    messages: Mapping[int, Message]
    key: _Number
    version: _Number

    @property
    def size(self) -> int:
        """How many bytes name the message and its version."""
        return max(self.key.end, self.version.end)

    @property
    def type(self) -> str:
        """The type of the messages."""
        return next(iter(self.messages.values())).type

    def named(self, data: bytes, at: int) -> tuple[Message, int]:
        """The message and the version that the header at an offset names. Raises WireError."""
        if len(data) < at + self.size:
            raise WireError(
                f"{self.type} headers begin with {self.size} bytes that name the message and its version", at
            )
        key, version = (number.read(data, at) for number in (self.key, self.version))
        message = self.messages.get(key)
        if message is None:
            words = f"there is no {self.type} with API key {key}"
            raise WireError(words, at + self.key.offset, f"header.{self.key.name}")
        if version not in message.valid_versions:
            words = (
                f"{message.name} has no version {version}; its valid versions are {message.valid_versions}"
            )
            raise WireError(words, at + self.version.offset, f"header.{self.version.name}")
        return message, version


class MessagesByHeader:
    """Messages that are decoded as their headers say: with header, and frame length if `frame`.

    These are requests, and messages of other types that have an API key; responses have that of their
    request. `tabled` are the values in the table of the profile, if it has its own.
    Raises InputError if the profile does not name the fields with the API key and the version, or if they are
    not at the same place in the headers of all messages of a type.
    """

    takes = dict
    may_be_empty = False

    def __init__(self, protocol: Protocol, *, frame: bool = False, tabled: TableValues | None = None) -> None:
        keyed = [
            message for message in protocol if message.api_key is not None and message.type != "response"
        ]
        # Requests first: an error is about them if the header names no message of any type.
        types = sorted({message.type for message in keyed}, key=lambda word: (word != "request", word))
        self._types: list[_Addressed] = []
        errors: list[InputError] = []
        for word in types:
            try:
                self._types.append(_addressed([each for each in keyed if each.type == word], protocol))
            except InputError as error:
                errors.append(error)
        if not self._types:
            raise errors[0] if errors else InputError(_UNNAMED)
        self.notes: list[str] = []
        self.frame = keyed[0].profile.frame_length if frame else 0
        self._protocol = protocol
        self._tabled = tabled
        self._envelopes: dict[tuple[str, int], Envelope] = {}

    def reading(self, data: bytes) -> Envelope:
        """The envelope to decode `data` with.

        Raises WireError if no message is the one of the header, or if messages of several types are.
        """
        at = frame_end(data, self.frame)
        named: list[tuple[Message, int]] = []
        errors: list[WireError] = []
        for each in self._types:
            try:
                named.append(each.named(data, at))
            except WireError as error:
                errors.append(error)
        if not named:
            raise errors[0]
        if len(named) > 1:
            names = " or ".join(f"{message.name} {version}" for message, version in named)
            raise WireError(f"the header may be that of {names}: name the message and its version", at)
        ((message, version),) = named
        if (message.name, version) not in self._envelopes:
            self._envelopes[message.name, version] = Envelope(
                layout(message, version),
                self._protocol,
                header=True,
                frame=bool(self.frame),
                tabled=self._tabled,
            )
        return self._envelopes[message.name, version]

    def messages(self, data: bytes) -> Iterator[bytes]:
        """The messages in `data`, as `Envelope.messages`."""
        return split_frames(data, self.frame)


def _addressed(messages: Sequence[Message], protocol: Protocol) -> _Addressed:
    """The messages of one type that their headers name. Raises InputError if they do not."""
    examples: dict[int | None, tuple[Message, int]] = {}
    for message in messages:
        for version in message.valid_versions:
            examples.setdefault(message.header_of(version), (message, version))
    places = {
        _fixed_numbers(_header(protocol, layout(message, version), header), message.profile.header_fields)
        for header, (message, version) in examples.items()
        if header is not None
    }
    numbers = places.pop() if len(places) == 1 and None not in examples else None
    if numbers is None:
        raise InputError(_UNNAMED)
    by_key = {message.api_key: message for message in messages if message.api_key is not None}
    return _Addressed(by_key, *numbers)


def _fixed_numbers(header: Layout, roles: HeaderFields) -> tuple[_Number, _Number] | None:
    """The fields with the API key and the version, if all bytes before them have a fixed size."""
    numbers: dict[str, _Number] = {}
    offset = 0
    for field in header.fields:
        if field.tag is not None or field.type not in FORMS:
            break
        if "INT" in field.type:
            numbers[field.name] = _Number(field.name, offset, field.type)
        offset += FORMS[field.type].size
    if roles.api_key in numbers and roles.api_version in numbers:
        return numbers[roles.api_key], numbers[roles.api_version]
    return None


def _header(protocol: Protocol, body: Layout, version: int) -> Layout:
    """The layout of the header before a message."""
    if body.message.profile.family == KAFKA:
        return header_layout(body.type, version)
    name = header_name(body.type)
    spec = protocol.find(name)
    if spec is None or spec.type != "header":
        raise InputError(
            f"the header of {body.name} is unknown: there is no spec of the name {name} and the type header; "
            f"wirebook new header {name} writes one"
        )
    return layout(spec, version)


def _within(part: str, work: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    try:
        return work(*arguments, **named)
    except WireError as error:
        raise error.below(part) from None


def named_layout(protocol: Protocol, where: str, name: str, version: object) -> Layout:
    """The layout of a message at a version, an int or its digits; `where` describes the protocol in errors.

    Raises InputError if there is no such message or version, and for an API, which has several messages.
    """
    message = select_message(protocol, name, where)
    return layout(message, version_of(message, name, version))


def version_of(message: Message, name: str, version: object) -> int:
    """A version of the message called `name`, from an int or its digits. Raises InputError."""
    digits = str(version)
    if isinstance(version, bool) or not digits.isascii() or not digits.isdecimal() or len(digits) > 5:
        raise InputError(f'"{digits[:40]}" is not a version; {name} has {message.valid_versions}')
    return int(digits)
