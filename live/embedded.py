"""Loads the embedded specs one at a time: a client needs only a few of them."""

from __future__ import annotations

from functools import cache

from wirebook.specs.kafka.registry import embedded_path, read_embedded
from wirebook.specs.model import Message
from wirebook.specs.wire.layout import Layout, layout


@cache
def embedded_message(name: str) -> Message:
    """Return one of the specs that come with wirebook, such as "FetchRequest"."""
    return read_embedded(embedded_path(name))


@cache
def embedded_layout(name: str, version: int) -> Layout:
    """Return the layout of one of the specs that come with wirebook."""
    return layout(embedded_message(name), version)
