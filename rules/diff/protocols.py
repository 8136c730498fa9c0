"""Every change between two protocols, breaking or not: message by message, then the registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirebook.rules.diff.kinds import ProtocolChange, differing
from wirebook.rules.diff.messages import message_changes
from wirebook.rules.match import match_messages
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HALVES


def protocol_changes(
    old: Protocol,
    new: Protocol,
    old_registry: Registry | None = None,
    new_registry: Registry | None = None,
) -> list[ProtocolChange]:
    """What differs between two protocols: by API key, then messages without one, then the registry.

    There is one change for each thing that changed, with all affected versions; [] if both are
    equivalent. A message whose file only moved, the order of keys, and that of fields which no
    version has together are no changes.
    """
    pairs = sorted(match_messages(old, new), key=lambda pair: _order(pair[1] or pair[0]))
    changes = [change for pair in pairs for change in message_changes(*pair)]
    return changes + list(_registry_changes(old_registry, new_registry))


def _order(message: Message | None) -> tuple[Any, ...]:
    """What messages are sorted by: APIs by key, the request first, then the others by name."""
    assert message is not None
    if message.api_key is None or message.type not in HALVES:
        return (True, message.name)
    return (False, message.api_key, message.type, message.name)


def _registry_changes(old: Registry | None, new: Registry | None) -> Iterator[ProtocolChange]:
    """The changes of protocol levels, matched by name.

    If only one side has a registry, all its levels are added or removed.
    """
    before = {level.version: level for level in old.api_versions} if old else {}
    after = {level.version: level for level in new.api_versions} if new else {}
    for name, what, one, other in differing(before, after):
        yield ProtocolChange(
            f"api-version-{what}",
            old=one and _level(one),
            new=other and _level(other),
            subject=name,
            location=other and other.place,
            previous=one and one.place,
        )


def _level(level: ApiVersion) -> str:
    """A protocol level in words: its id, its release, and what is known of it."""
    day = f", {level.date}" if level.date else ""
    about = f" ({level.about})" if level.about else ""
    return f"id {level.id}, release {level.release}{day}{about}"
