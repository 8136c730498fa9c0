"""Messages inside fields of type bytes, as the profile of a protocol names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wirebook.specs.model import Json, Message, MessageValue, Protocol
from wirebook.specs.profile import EmbeddedMessage
from wirebook.specs.wire.codec import Codec, Reading, Span, codec
from wirebook.specs.wire.layout import layout

VERSION = 2  # bytes of the version before an embedded message


class EmbeddedMessages:
    """The messages inside the fields of one message, `carrier`: each is a spec of its protocol.

    Bytes that do not fit the spec stay bytes, and so do those of a field whose conditions do not hold or are
    about a field that the version does not have.
    """

    def __init__(self, carrier: Message, protocol: Protocol) -> None:
        self._messages = [each for each in carrier.profile.embedded if each.carrier == carrier.name]
        self._protocol = protocol
        self._codecs: dict[tuple[str, int], Codec] = {}

    def explained(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans of the carrier, with those of the messages in place of the bytes of their fields."""
        every = list(spans)
        values = self._values(every)
        for span in every:
            found = self._found(span, values)
            if found is None:
                yield span
                continue
            version, reading = found
            first = Span(0, VERSION, "Version", "Version", "value", "INT16", version)
            for inner in (first, *(each.moved(VERSION) for each in reading.spans)):
                path, field = (
                    f"{span.path}.{inner.path}".rstrip("."),
                    f"{span.field}.{inner.field}".rstrip("."),
                )
                yield inner.moved(span.start)._replace(path=path, field=field)

    def opened(self, reading: Reading) -> MessageValue:
        """The value of the carrier, with {"Message", "Version", "Value"} in place of hex."""
        values = self._values(reading.spans)
        for span in reading.spans:
            each = self._chosen(span, values)
            found = self._found(span, values)
            if each is not None and found is not None:
                inner: Json = {"Message": each.message, "Version": found[0], "Value": found[1].value}
                put(reading.value, span.path, inner)
        return reading.value

    def _values(self, spans: Iterable[Span]) -> Mapping[str, Json]:
        return {span.path: span.value for span in spans if span.kind == "value"} if self._messages else {}

    def _chosen(self, span: Span, values: Mapping[str, Json]) -> EmbeddedMessage | None:
        """The first message for the field of a span whose conditions hold."""
        if span.kind != "value" or not span.type.endswith("BYTES"):
            return None
        for each in self._messages:
            conditions = each.when.items() if each.path == span.field else None
            if conditions is not None and all(_beside(span, *one, values) for one in conditions):
                return each
        return None

    def _found(self, span: Span, values: Mapping[str, Json]) -> tuple[int, Reading] | None:
        """The version and the message in the bytes of a span; None if there is none."""
        each = self._chosen(span, values)
        message = None if each is None else self._protocol.find(each.message)
        data = bytes.fromhex(span.value) if message is not None and isinstance(span.value, str) else b""
        if message is None or len(data) < VERSION:
            return None
        version = int.from_bytes(data[:VERSION], "big", signed=True)
        if version not in message.valid_versions:
            return None
        key = message.name, version
        if key not in self._codecs:
            self._codecs[key] = codec(layout(message, version))
        reading = self._codecs[key].read(data[VERSION:], described=True)
        return (version, reading) if reading.error is None else None


def put(value: Any, path: str, item: Json) -> None:
    """Replace what is at a path of a value, like Topics[0].Name."""
    *above, last = [
        int(step[1:-1]) if step.startswith("[") else step for step in re.findall(r"[^.\[\]]+|\[\d+\]", path)
    ]
    for step in above:
        value = value[step]
    value[last] = item


def _beside(span: Span, name: str, wanted: str | int, values: Mapping[str, Json]) -> bool:
    """Whether a field in the struct of a span, or else in the nearest struct around it, has a value."""
    above = span.path
    while above:
        above = above.rpartition(".")[0]
        path = f"{above}.{name}" if above else name
        if path in values:
            return values[path] == wanted
    return False
