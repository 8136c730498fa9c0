"""Which message of one protocol is which of another: by type and key, by name, then by all else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import layout

PEERS = ("request", "response", "header")


def matched(old: Protocol, new: Protocol) -> Iterator[tuple[Message | None, Message | None]]:
    """Each message of the new side with its older self, None where it has none; then what has gone."""
    before: dict[tuple[str, int | str], Message] = {}
    for message in old:
        # Two files with one API key are a finding; each still has its older self, by name.
        twice = message.identity in before
        before[(message.type, message.name) if twice else message.identity] = message
    names = {(message.identity, message.name) for message in new}
    taken = {identity for identity, _ in names}
    for message in new:
        key, name = message.identity, (message.type, message.name)
        first = before.get(key)
        if first is None or (first.name != message.name and (name in before or (key, first.name) in names)):
            # Of two with one API key, each goes on under its name.
            key = name
        partner = before.pop(key, None) or _renamed(message, before, taken)
        if partner is not None and before.get(partner.identity) is partner:
            del before[partner.identity]
        yield partner, message
    for message in before.values():
        yield message, None


def _renamed(
    message: Message, before: Mapping[tuple[str, int | str], Message], taken: Set[tuple[str, int | str]]
) -> Message | None:
    """The old message of the same type and name whose API key has gone: a changed key, not a new message."""
    for other in before.values():
        if other.name == message.name and other.type == message.type and other.identity not in taken:
            return other
    for other in before.values():
        # What was plain data becomes a record of a kind of its own, with a key: the bytes stay.
        stored = other.type not in PEERS and message.type not in PEERS
        if other.name == message.name and stored and other.identity not in taken:
            return other
    for other in before.values():
        same_key = other.api_key is not None and other.api_key == message.api_key
        if same_key and other.name == message.name and other.identity not in taken:
            return other
    for other in before.values():
        # A record of the metadata log is known by its key; those of coordinators share theirs.
        record = message.type == other.type == "metadata" and message.api_key is not None
        if record and other.api_key == message.api_key and other.identity not in taken:
            return other
    for other in before.values():
        if other.identity not in taken and _alike(other, message):
            return other
    return None


def _alike(old: Message, new: Message) -> bool:
    """Whether two messages without a key are one under a longer or shorter name."""
    if old.api_key is not None or new.api_key is not None or old.type != new.type:
        return False
    if not (old.name.startswith(new.name) or new.name.startswith(old.name)):
        return False
    both = old.valid_versions & new.valid_versions
    try:
        return bool(both) and all(
            layout(old, version).grammar == layout(new, version).grammar for version in both
        )
    except InputError:
        return False
