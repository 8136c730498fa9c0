"""A message in transit: without its header, with it, or with header and frame length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from wirebook.specs.exchange.records import encode_message, explained, opened
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.selection import select_message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.records.fields import OpenedRecords
from wirebook.specs.wire.scalars import WireError, left_over
from wirebook.specs.wire.spans import Span

SCHEMA = "wirebook/bytes/1"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Envelope:
    """A layout and what surrounds its bytes on a connection: the header and the length of the frame.

    `protocol` is that of the message: the header is described by its specs of type header, or by the embedded
    ones if it is Kafka's or a fork's. Raises InputError if a requested header does not exist, or if a frame
    is requested in a protocol without frames.
    """

    takes = dict

    def __init__(
        self, body: Layout, protocol: Protocol, *, header: bool = False, frame: bool = False
    ) -> None:
        if header and body.header_version is None:
            raise InputError(f"{body.name} has no header; only requests and responses do")
        self.layout = body
        self.body = codec(body)
        self.frame = body.message.profile.frame_length if frame else 0
        if frame and not self.frame:
            raise InputError("the protocol has no frames: frame_length is 0 in its profile")
        self.header_layout = None
        if header and body.header_version is not None:
            self.header_layout = _header(protocol, body, body.header_version)

    def encode(self, value: Json) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        In the header of a request, the API key and the version default to those of the message. Records are
        hex or lists of batches; raises InputError if their compression needs a missing package.
        """
        if self.header_layout is None:
            data = encode_message(self.body, value)  # type: ignore[arg-type]
        else:
            if not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
                raise WireError('an object with "header" and "body" is expected')
            header = value.get("header", {})
            if isinstance(header, dict) and self.layout.type == "request":
                defaults: dict[str, Json] = {
                    "RequestApiKey": self.layout.api_key,
                    "RequestApiVersion": self.layout.version,
                }
                known = {field.name for field in self.header_layout.fields}
                header = {name: value for name, value in defaults.items() if name in known} | header
            data = _within("header", codec(self.header_layout).encode, header)
            data += _within("body", encode_message, self.body, value.get("body", {}))
        if not self.frame:
            return data
        if len(data) >= 1 << (8 * self.frame - 1):
            raise WireError(f"a length of {self.frame} bytes cannot hold {len(data)}")
        return len(data).to_bytes(self.frame, "big") + data

    def decode(self, data: bytes) -> Json:
        """Decode all of `data` to a value. Raises WireError."""
        start = self._start(data)
        if self.header_layout is None:
            return self._rest(data, start)
        header, start = _within("header", codec(self.header_layout).decode_from, data, start)
        return {"header": header, "body": _within("body", self._rest, data, start)}

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

        With `records`, the bytes inside records are described as well.
        """
        self.decode(data)
        start = self._start(data)
        if self.frame:
            yield (
                "frame",
                Span(0, self.frame, "", "", "length", f"INT{8 * self.frame}", len(data) - self.frame),
            )
        if self.header_layout is not None:
            header = codec(self.header_layout)
            _, end = header.decode_from(data, start)
            for span in header.explain(data[start:end]):
                yield "header", span.moved(start)
            start = end
        for span in self.body.explain(data[start:]):
            for inner in explained(span) if records else (span,):
                yield "body", inner.moved(start)

    def spans_json(self, data: bytes, *, records: bool = False) -> dict[str, Json]:
        """The spans as JSON in the form `wirebook/bytes/1`. Raises WireError."""
        return {
            "schema": SCHEMA,
            "message": self.layout.name,
            "version": self.layout.version,
            "hex": data.hex(),
            "spans": [{"part": part, **span.to_json()} for part, span in self.spans(data, records=records)],
        }

    def _start(self, data: bytes) -> int:
        """Where the header or body begins. Raises WireError if the frame has another length."""
        if not self.frame:
            return 0
        left = len(data) - self.frame
        if left < 0:
            raise WireError(
                f"a frame begins with a length of {self.frame} bytes, but there are {len(data)}", 0
            )
        length = int.from_bytes(data[: self.frame], "big", signed=True)
        if length != left:
            follow = "1 byte follows" if left == 1 else f"{left} bytes follow"
            raise WireError(f"the frame length is {length}, but {follow} it", 0)
        return self.frame

    def _rest(self, data: bytes, start: int) -> Json:
        value, end = self.body.decode_from(data, start)
        if end != len(data):
            raise left_over(data, end)
        return value


def _header(protocol: Protocol, body: Layout, version: int) -> Layout:
    """The layout of the header before a message."""
    if body.message.profile.family == KAFKA:
        return header_layout(body.type, version)
    name = f"{body.type.capitalize()}Header"
    spec = protocol.find(name)
    if spec is None or spec.type != "header":
        raise InputError(
            f"the header of {body.name} is unknown: there is no spec of the name {name} and the type header"
        )
    return layout(spec, version)


def _within(part: str, work: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    try:
        return work(*given, **named)
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
