"""The headers of Kafka's requests and responses, by the embedded specs."""

from __future__ import annotations

from functools import cache

from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import Layout, layout


@cache
def header_layout(message_type: str, header_version: int) -> Layout:
    """The layout of the header ("request" or "response") in a version that `Layout.header_version` names."""
    path = embedded_source() / f"{message_type.capitalize()}Header.json"
    return layout(read_message(path.read_bytes(), path.name), header_version)
