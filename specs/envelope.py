"""A message in transit: without its header, with it, or with header and frame length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirebook.specs.codec import encode, read
from wirebook.specs.embedded import with_embedded
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.control_records import decode_records
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Message, MessageValue, Protocol
from wirebook.specs.names import Names, named
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH
from wirebook.specs.records.reading import with_records
from wirebook.specs.records.writing import write_batches
from wirebook.specs.spans import Span, WireError, joined

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
    problems: list[WireError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def batches(self, data: bytes, path: str, *, may_be_cut: bool) -> list[MessageValue]:
        """The batches in some bytes; the damaged ones are problems. Raises InputError."""
        items = decode_records(data)
        for index, item in enumerate(items):
            error = item.get("Error") or (None if may_be_cut else item.get("Partial"))
            if error is not None:
                self.problems.append(WireError(str(error), path=f"{path}[{index}]"))
        return items


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
        self.layout, self.records, self._protocol = body, records, protocol
        self.frame = FRAME_LENGTH if frame else 0
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
            head = value.get("header", {})
            if isinstance(head, dict):
                head = {name: number for name, _, number in self._numbers()} | head
                self._refuse_other(head)
            parts = (self.header, "header", head), (self.layout, "body", value.get("body", {}))
            for of, part, given in parts:
                try:
                    data += encode(of, given, write_batches)
                except WireError as bad:
                    raise bad.below(part) from None
        if self.frame and len(data) >= 1 << (8 * self.frame - 1):
            raise WireError(f"a length of {self.frame} bytes cannot hold {len(data)}")
        return len(data).to_bytes(self.frame, "big") + data if self.frame else data

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
            path = joined("body" if self.header else "", path)
            return found.batches(content, path, may_be_cut=body.type == "response")

        try:
            at = _frame_end(data, self.frame)
            if at:
                form = f"INT{8 * at}"
                found.spans.append(("frame", Span(0, at, "", "length", form, len(data) - at)))
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

    def split(self, data: bytes) -> list[bytes]:
        """The messages in `data`: with frames, there may be several; what is left over is the last
        one."""
        return split_frames(data, self.frame)


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


def _frame_end(data: bytes, size: int) -> int:
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
