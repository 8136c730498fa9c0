"""The specs that come with wirebook, one at a time: a program that speaks to others needs a few alone."""

from __future__ import annotations

from functools import cache

from specs.layout import Layout, layout
from specs.model import Message
from specs.reader import read_message
from specs.registry import embedded_source


@cache
def own_message(name: str) -> Message:
    """One of the specs that come with wirebook, such as "FetchRequest"."""
    path = embedded_source() / f"{name}.json"
    return read_message(path.read_bytes(), f"specs/messages/{path.name}")


@cache
def own_layout(name: str, version: int) -> Layout:
    """The layout of one of the specs that come with wirebook."""
    return layout(own_message(name), version)
