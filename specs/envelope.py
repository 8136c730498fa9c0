"""A message in transit: without its header, with it, or with header and frame length."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from wirebook.specs.codec import encode, number_at, read
from wirebook.specs.embedded import with_embedded, with_records
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.log_records import decode_records, problems_of
from wirebook.specs.kafka.registry import header_layout
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Message, MessageValue, Protocol
from wirebook.specs.names import Names, named
from wirebook.specs.problems import InputError
from wirebook.specs.profile import FRAME_LENGTH
from wirebook.specs.records.writing import write_records
from wirebook.specs.spans import MessageReading, Span, WireError, joined, within


@dataclass
class Envelope:
    """A layout with what surrounds its bytes: the header and the length of the frame.

    `protocol` is that of the message: the header is described by its specs of type header, or by
    the embedded ones if it is Kafka's or a fork's. With `records`, the records in values are lists
    of batches. Raises InputError if a requested header does not exist.
    """

    layout: Layout
    protocol: Protocol
    _: KW_ONLY
    header: bool = False
    frame: bool = False
    records: bool = False
    names: Names | None = None
    head: Layout | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not self.header:
            return
        version = self.layout.header_version
        if version is None:
            raise InputError(f"{self.layout.name} has no header; only requests and responses do")
        self.head = header_of(self.protocol, self.layout.message, version)

    def encode(self, value: Any) -> bytes:
        """Encode a value, which with a header is {"header": …, "body": …}. Raises WireError.

        Fields of the header that hold the API key or the version, according to the profile, have
        those of the message, and no other value. Records are hex or lists of batches; raises
        InputError if their compression needs a missing package.
        """
        if self.head is None:
            data = encode(self.layout, value, write_records)
        elif not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
            raise WireError('an object with "header" and "body" is expected')
        else:
            head = value.get("header", {})
            if isinstance(head, dict):
                head = self._own() | head
                self._refuse_other(head)
            with within("header"):
                data = encode(self.head, head)
            with within("body"):
                data += encode(self.layout, value.get("body", {}), write_records)
        return len(data).to_bytes(FRAME_LENGTH, "big") + data if self.frame else data

    def _own(self) -> MessageValue:
        """The fields of the header that name the message, according to the profile."""
        roles, of = self.layout.message.profile.headers.fields, self.layout
        names = [each.name for each in self.head.fields] if self.head else []
        own = {roles.api_key: of.api_key, roles.api_version: of.version}
        return {name: key for name, key in own.items() if key is not None and name in names}

    def _refuse_other(self, head: MessageValue, at: int | None = None) -> None:
        """Raise WireError for a header that is that of another message."""
        for name, own in self._own().items():
            if head.get(name, own) != own:
                raise WireError(
                    f"{head[name]} is not {own}, as before {self.layout.name} "
                    f"{self.layout.version}",
                    at,
                    f"header.{name}",
                )

    def read(self, data: bytes, *, described: bool = False) -> MessageReading:
        """Read all of `data`, as far as possible; if `described`, with its spans.

        Raises InputError if a package for records is missing. Error 35 is read in the layout of
        version 0, as clients read it, if it is no answer of this version (KIP-511).
        """
        found, message = self._read(self.layout, data, described), self.layout.message
        is_answer = message.profile.family == KAFKA and message.name == "ApiVersionsResponse"
        if found.error is None or not is_answer or not found.version:
            return found
        first = self._read(layout(message, 0), data, described)
        value: Any = first.value
        if first.error is not None or (value["body"] if self.header else value)["ErrorCode"] != 35:
            return found
        first.notes.append(
            f"error 35: {message.name} {found.version} is read in the layout of version 0, "
            "as clients read it"
        )
        return first

    def _read(self, body: Layout, data: bytes, described: bool) -> MessageReading:
        found, parts = MessageReading(body.name, body.version), MessageValue()

        def opened(content: bytes, path: str) -> list[MessageValue]:
            # Only the records of a response may end within a batch.
            path, may_be_cut = joined("body" if self.header else "", path), body.type == "response"
            items = decode_records(content)
            found.problems += problems_of(items, path, may_be_cut=may_be_cut)
            return items

        try:
            if self.frame:
                span, found.error = _frame(data)
                found.spans.append(("frame", span))
            at = FRAME_LENGTH if self.frame else 0
            for part, of in (("header", self.head), ("body", body)):
                if of is None:
                    continue
                batches = opened if self.records else None
                reader = read(of, data, at, whole=of is body, batches=batches)
                at = reader.at
                if described:
                    spans = list(named(reader.spans, (self.names or Names.of(body.message)).at(of)))
                    for span in with_embedded(of.message, self.protocol, spans):
                        inner = with_records(span) if self.records else [span]
                        found.spans += ((part, each) for each in inner)
                if reader.value or reader.error is None:
                    parts[part] = reader.value
                if reader.error is not None:
                    raise reader.error.below(part if self.header else "")
                if of is not body:
                    self._refuse_other(reader.value, at)
        except WireError as bad:
            found.error = found.error or bad
        found.value = parts or None if self.header else parts.get("body")
        return found


def header_of(protocol: Protocol, message: Message, version: int) -> Layout:
    """The layout of the header before a message. Raises InputError if there is no spec for it."""
    if message.profile.family == KAFKA:
        return header_layout(message.type, version)
    name = f"{message.type.capitalize()}Header"
    spec = protocol.find(name)
    if spec is None or spec.type != "header":
        raise InputError(
            f"the header of {message.name} is unknown: "
            f"there is no spec of the name {name} and the type header"
        )
    return layout(spec, version)


def _frame(data: bytes) -> tuple[Span, WireError | None]:
    """The length before a message, and an error if the message is cut. Raises WireError if it is
    longer than its length says."""
    left = len(data) - FRAME_LENGTH
    if left < 0:
        words = f"a frame begins with a length of {FRAME_LENGTH} bytes, but there are {len(data)}"
        raise WireError(words, 0)
    length = number_at(data)
    follow = "1 byte follows" if left == 1 else f"{left} bytes follow"
    if length < left:
        raise WireError(f"the frame length is {length}, but {follow} it", 0)
    words = f"the frame is cut: its length is {length}, but {follow} it"
    span = Span(0, FRAME_LENGTH, "", "length", "INT32", length)
    return span, WireError(words, 0) if length > left else None
