"""The headers of Kafka's requests and responses, according to the embedded specs."""

from __future__ import annotations

from functools import cache

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import embedded_message
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import Layout, layout, layouts
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError


@cache
def header_layout(message_type: str, header_version: int) -> Layout:
    """The layout of the header ("request" or "response") at a version that `Layout.header_version`
    names."""
    return layout(_header(message_type), header_version)


def header_layouts(message_type: str) -> list[Layout]:
    """The layouts of the header ("request" or "response") in all versions, lowest first, with its
    texts."""
    return layouts(with_texts(_header(message_type)))


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


def _header(message_type: str) -> Message:
    return embedded_message(f"{message_type.capitalize()}Header")
