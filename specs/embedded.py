"""Messages inside fields of type bytes, as the profile of a protocol names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wirebook.specs.codec import Codec, Reading, Span, codec
from wirebook.specs.layout import layout
from wirebook.specs.model import Json, Message, MessageValue, Protocol
from wirebook.specs.profile import EmbeddedMessage

VERSION = 2  # bytes of the version before an embedded message


class _Found(NamedTuple):
    """A message inside a field."""

    name: str
    version: int
    reading: Reading


class EmbeddedMessages:
    """The messages inside the fields of one message, `carrier`: each is a spec of its protocol.

    Bytes that do not fit the spec stay bytes, and so do those of a field whose conditions do not
    hold or are about a field that the version does not have.
    """

    def __init__(self, carrier: Message, protocol: Protocol) -> None:
        self._messages = [each for each in carrier.profile.embedded if each.carrier == carrier.name]
        self._protocol = protocol
        self._codecs: dict[tuple[str, int], Codec] = {}

    def explained(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans of the carrier, with those of the messages in place of the bytes of their
        fields."""
        for span, found in self._each(spans):
            if found is None:
                yield span
                continue
            first = Span(0, VERSION, "Version", "Version", "value", "INT16", found.version)
            for inner in (first, *(each.moved(VERSION) for each in found.reading.spans)):
                path, field = f"{span.path}.{inner.path}", f"{span.field}.{inner.field}"
                yield inner.moved(span.start)._replace(
                    path=path.rstrip("."), field=field.rstrip(".")
                )

    def opened(self, reading: Reading) -> MessageValue:
        """The value of the carrier, with {"Message", "Version", "Value"} in place of hex."""
        for span, found in self._each(reading.spans):
            if found is not None:
                inner = {
                    "Message": found.name,
                    "Version": found.version,
                    "Value": found.reading.value,
                }
                put(reading.value, span.path, inner)
        return reading.value

    def _each(self, spans: Iterable[Span]) -> Iterator[tuple[Span, _Found | None]]:
        """The spans, each with the message in its bytes."""
        every = list(spans) if self._messages else spans
        values = (
            {span.path: span.value for span in every if span.kind == "value"}
            if self._messages
            else {}
        )
        for span in every:
            may_be = values and span.kind == "value" and span.type.endswith("BYTES")
            yield span, self._found(span, values) if may_be else None

    def _found(self, span: Span, values: Mapping[str, Json]) -> _Found | None:
        """The first message that the bytes of a span fit, of those whose conditions hold."""
        each = next((each for each in self._messages if _holds(each, span, values)), None)
        message = None if each is None else self._protocol.find(each.message)
        data = bytes.fromhex(str(span.value))
        version = int.from_bytes(data[:VERSION], "big", signed=True)
        if message is None or len(data) < VERSION or version not in message.valid_versions:
            return None
        key = message.name, version
        if key not in self._codecs:
            self._codecs[key] = codec(layout(message, version))
        reading = self._codecs[key].read(data[VERSION:], described=True)
        return _Found(message.name, version, reading) if reading.error is None else None


def put(value: Any, path: str, item: Json) -> None:
    """Replace what is at a path of a value, like Topics[0].Name."""
    steps = re.findall(r"[^.\[\]]+|\[\d+\]", path)
    *above, last = [int(step[1:-1]) if step.startswith("[") else step for step in steps]
    for step in above:
        value = value[step]
    value[last] = item


def _holds(each: EmbeddedMessage, span: Span, values: Mapping[str, Json]) -> bool:
    """Whether a message is for the field of a span, and its conditions hold there."""
    return each.path == span.field and all(
        _beside(span, name, values) == wanted for name, wanted in each.when.items()
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
