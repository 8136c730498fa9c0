"""The specs that come with wirebook, by identity."""

from __future__ import annotations

from functools import cache

from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.model import Message

Identity = tuple[str, int | str]


@cache
def own_messages() -> dict[Identity, Message]:
    """The specs that come with wirebook."""
    read = [read_embedded(path) for path in embedded_paths()]
    return {message.identity: message for message in read}
