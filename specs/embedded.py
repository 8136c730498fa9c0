"""Messages inside fields of type bytes, as the profile of a protocol names them, and batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wirebook.specs.codec import Reader, number_at, read
from wirebook.specs.layout import layout
from wirebook.specs.model import Json, Message, Protocol
from wirebook.specs.records.reading import explain_records
from wirebook.specs.spans import Span, joined

VERSION = 2  # bytes of the version before an embedded message


def with_embedded(carrier: Message, protocol: Protocol, spans: Sequence[Span]) -> Iterator[Span]:
    """The spans of a message, with those of messages in place of the bytes that contain them.

    Bytes that do not fit the spec stay bytes, and so do those of a field whose conditions do not
    hold or are about a field that the version does not have.
    """
    values = {span.path: span.value for span in spans if span.kind == "value"}
    for span in spans:
        reader = _embedded(carrier, protocol, span, values)
        if reader is None:
            yield span
            continue
        version = number_at(reader.data, 0, VERSION)
        for inner in (Span(0, VERSION, "Version", "value", "INT16", version), *reader.spans):
            yield inner.inside(span.start, span.path)


def message_in(message: Message | None, version: int, data: bytes, at: int = 0) -> Reader | None:
    """What reads a message in bytes from a place on; None if they are not such a message."""
    if message is None or version not in message.valid_versions:
        return None
    reader = read(layout(message, version), data, at)
    return reader if reader.error is None else None


def _embedded(
    carrier: Message, protocol: Protocol, span: Span, values: Mapping[str, Json]
) -> Reader | None:
    """What reads the message in the bytes of a span, if conditions hold for one."""
    if span.kind != "value" or not span.type.endswith("BYTES"):
        return None
    for each in carrier.profile.embedded:
        if (each.carrier, each.path) == (carrier.name, span.field) and all(
            _nearest(span.path, name, values) == value for name, value in each.when.items()
        ):
            data = bytes.fromhex(str(span.value))
            version = number_at(data, 0, VERSION)
            return message_in(protocol.find(each.message), version, data, VERSION)
    return None


def _nearest(path: str, name: str, values: Mapping[str, Json]) -> Json:
    """The value of the field `name` in the struct of a path, or in the nearest struct around it."""
    while path:
        path = path.rpartition(".")[0]
        if joined(path, name) in values:
            return values[joined(path, name)]
    return None


def with_records(span: Span) -> list[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS") or not isinstance(span.value, str):
        return [span]
    inner = explain_records(bytes.fromhex(span.value))
    return [each.inside(span.start, span.path) for each in inner]
