"""What identifies an API or a message in every release and every repository."""

from __future__ import annotations

from wirebook.specs.model import Message
from wirebook.specs.profile import HALVES

OTHER = "message"


def subject_of(message: Message) -> str:
    """What identifies an API in every snapshot: its key; for other messages, the name, or their type and key.

    Their type is not part of it: the records of Kafka's coordinators were of type data before 4.1.
    """
    part = part_of(message)
    kind, identity = message.identity
    if part != OTHER:
        return f"api:{identity}"
    return f"message:{message.name}" if identity == message.name else f"keyed:{kind}:{identity}"


def part_of(message: Message) -> str:
    """Which part of its subject a message is: the request or the response of an API, or the only part."""
    return message.type if message.type in HALVES else OTHER
