"""Messages inside fields of type bytes, as the profile of a protocol names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wirebook.specs.codec import Reader, Span, codec, joined
from wirebook.specs.layout import layout
from wirebook.specs.model import Json, Message, MessageValue, Protocol

VERSION = 2  # bytes of the version before an embedded message


class _Found(NamedTuple):
    """A message inside a field."""

    name: str
    version: int
    reader: Reader


class EmbeddedMessages:
    """The messages inside the fields of one message, `carrier`: each is a spec of its protocol.

    Bytes that do not fit the spec stay bytes, and so do those of a field whose conditions do not
    hold or are about a field that the version does not have.
    """

    def __init__(self, carrier: Message, protocol: Protocol) -> None:
        self._messages = [each for each in carrier.profile.embedded if each.carrier == carrier.name]
        self._protocol = protocol

    def explained(self, spans: Iterable[Span]) -> Iterator[Span]:
        """The spans of the carrier, with those of the messages in place of the bytes of their
        fields."""
        every = list(spans)
        found = self._found(every)
        for span in every:
            if span.kind != "value" or span.path not in found:
                yield span
                continue
            _, version, reader = found[span.path]
            yield Span(0, VERSION, "Version", "value", "INT16", version).inside(
                span.start, span.path
            )
            for inner in reader.spans:
                yield inner.inside(span.start + VERSION, span.path)

    def opened(self, reader: Reader) -> MessageValue:
        """The value of the carrier, with {"Message", "Version", "Value"} in place of hex."""
        for path, (name, version, inner) in self._found(reader.spans).items():
            put(reader.value, path, {"Message": name, "Version": version, "Value": inner.value})
        return reader.value

    def _found(self, spans: Sequence[Span]) -> dict[str, _Found]:
        """The messages in the values of a carrier, by path."""
        if not self._messages:
            return {}
        values = {span.path: span.value for span in spans if span.kind == "value"}
        found = {}
        for span in spans:
            if span.kind == "value" and span.type.endswith("BYTES"):
                message = self._message(span, values)
                if message is not None:
                    found[span.path] = message
        return found

    def _message(self, span: Span, values: Mapping[str, Json]) -> _Found | None:
        """The message in the bytes of a span, if conditions hold for one and the bytes fit it."""
        for each in self._messages:
            wanted = each.when.items()
            if each.path == span.field and all(
                _nearest(span.path, name, values) == value for name, value in wanted
            ):
                break
        else:
            return None
        message = self._protocol.find(each.message)
        data = bytes.fromhex(str(span.value))
        version = int.from_bytes(data[:VERSION], "big", signed=True)
        if message is None or len(data) < VERSION or version not in message.valid_versions:
            return None
        reader = codec(layout(message, version)).read(data[VERSION:], described=True)
        return _Found(message.name, version, reader) if reader.error is None else None


def put(value: Any, path: str, item: Json) -> None:
    """Replace what is at a path of a value, like Topics[0].Name."""
    steps = re.findall(r"[^.\[\]]+|\[\d+\]", path)
    *above, last = [int(step[1:-1]) if step.startswith("[") else step for step in steps]
    for step in above:
        value = value[step]
    value[last] = item


def _nearest(path: str, name: str, values: Mapping[str, Json]) -> Json:
    """The value of the field `name` in the struct of a path, or in the nearest struct around it."""
    while path:
        path = path.rpartition(".")[0]
        if joined(path, name) in values:
            return values[joined(path, name)]
    return None
