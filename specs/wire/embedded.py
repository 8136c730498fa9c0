"""Messages inside fields of type bytes, as the profile of a protocol names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.profile import EmbeddedMessage
from wirebook.specs.wire.codec import Codec, Span, WireError, codec
from wirebook.specs.wire.layout import layout

VERSION = 2  # bytes of the version before an embedded message


class EmbeddedMessages:
    """The messages inside the fields of one message, `carrier`: each is a spec of its protocol.

    Bytes that do not fit the spec stay bytes, and so do those of a field whose conditions do not hold or are
    about a field that the version does not have.
    """

    def __init__(self, carrier: Message, protocol: Protocol) -> None:
        self._fields: dict[str, list[EmbeddedMessage]] = {}
        for each in carrier.profile.embedded:
            if each.carrier == carrier.name:
                self._fields.setdefault(each.path, []).append(each)
        self._protocol = protocol
        self._codecs: dict[tuple[str, int], Codec | None] = {}

    def explained(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans of the carrier, with those of the messages in place of the bytes of their fields."""
        if not self._fields:
            yield from spans
            return
        every = list(spans)
        values = {span.path: span.value for span in every if span.kind == "value"}
        for span in every:
            yield from self._inner(span, values) or (span,)

    def opened(self, value: Json) -> Json:
        """A decoded value of the carrier, with {"Message", "Version", "Value"} in place of hex."""
        for path, messages in self._fields.items():
            value = self._opened(messages, path.split("."), value, ())
        return value

    def _inner(self, span: Span, values: Mapping[str, Json]) -> list[Span]:
        """The spans of the message in the bytes of a span; empty if there is none."""
        messages = self._fields.get(span.field, ()) if span.kind == "value" else ()
        each = _chosen(messages, lambda name: _beside(span, name, values))
        if each is None or not span.type.endswith("BYTES"):
            return []
        data = _bytes(span.value)
        content = self._codec(each, data)
        if content is None:
            return []
        try:
            content.decode(data[VERSION:])
            inner = content.explain(data[VERSION:])
        except WireError:
            return []
        number = int.from_bytes(data[:VERSION], "big")
        version = Span(0, VERSION, "Version", "Version", "value", "INT16", number)
        return [
            moved._replace(
                path=f"{span.path}.{moved.path}".rstrip("."),
                field=f"{span.field}.{moved.field}".rstrip("."),
            )
            for moved in (
                version.moved(span.start),
                *(one.moved(span.start + VERSION) for one in inner),
            )
        ]

    def _opened(
        self,
        messages: Sequence[EmbeddedMessage],
        steps: Sequence[str],
        value: Json,
        above: tuple[Mapping[str, Json], ...],
    ) -> Json:
        """A part of a value; `steps` lead from it to the field, `above` are the structs around it."""
        if isinstance(value, list):
            return [self._opened(messages, steps, item, above) for item in value]
        if not steps:
            return self._read(messages, value, above)
        if not isinstance(value, dict) or steps[0] not in value:
            return value
        inner = self._opened(messages, steps[1:], value[steps[0]], (value, *above))
        return {**value, steps[0]: inner}

    def _read(
        self, messages: Sequence[EmbeddedMessage], value: Json, above: tuple[Mapping[str, Json], ...]
    ) -> Json:
        each = _chosen(
            messages, lambda name: next((struct[name] for struct in above if name in struct), None)
        )
        data = _bytes(value)
        content = None if each is None else self._codec(each, data)
        if each is None or content is None:
            return value
        try:
            inner = content.decode(data[VERSION:])
        except WireError:
            return value
        return {"Message": each.message, "Version": int.from_bytes(data[:VERSION], "big"), "Value": inner}

    def _codec(self, each: EmbeddedMessage, data: bytes) -> Codec | None:
        """The codec of the message that begins with the version in `data`; None if there is no such one."""
        if len(data) < VERSION:
            return None
        key = each.message, int.from_bytes(data[:VERSION], "big", signed=True)
        if key not in self._codecs:
            message = self._protocol.find(each.message)
            fits = message is not None and key[1] in message.valid_versions
            self._codecs[key] = codec(layout(message, key[1])) if message is not None and fits else None
        return self._codecs[key]


def _chosen(messages: Iterable[EmbeddedMessage], beside: Callable[[str], Json]) -> EmbeddedMessage | None:
    """The first message whose conditions hold; `beside` returns the value of a field by its name."""
    return next(
        (each for each in messages if all(beside(name) == wanted for name, wanted in each.when.items())), None
    )


def _beside(span: Span, name: str, values: Mapping[str, Json]) -> Json:
    """The value of the field `name` in the struct of a span, or in the nearest struct around it."""
    above = span.path
    while above:
        above = above.rpartition(".")[0]
        path = f"{above}.{name}" if above else name
        if path in values:
            return values[path]
    return None


def _bytes(value: Json) -> bytes:
    """The bytes of a value in hex; none for another value."""
    try:
        return bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        return b""
