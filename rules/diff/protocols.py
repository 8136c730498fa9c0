"""Every change between two protocols, breaking or not: message by message, then the registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.diff.messages import message_changes
from wirebook.rules.match import match_messages
from wirebook.rules.severity import Place
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Protocol
from wirebook.specs.versions import VersionSet


def protocol_changes(
    old: Protocol,
    new: Protocol,
    old_registry: Registry | None = None,
    new_registry: Registry | None = None,
) -> list[ProtocolChange]:
    """What differs between two protocols: by API key, then messages without one, then the registry.

    There is one change for each thing that changed, with all affected versions; [] if both are
    equivalent. A message whose file only moved, and the order of keys, do not count as changes.
    """
    ordered: list[tuple[tuple[Any, ...], list[ProtocolChange]]] = []
    for before, after in match_messages(old, new):
        message = after or before
        if message is None:
            continue
        rpc = message.api_key is not None and message.type in ("request", "response")
        order = (
            not rpc,
            (message.api_key or 0) if rpc else 0,
            message.type if rpc else "",
            message.name,
        )
        ordered.append((order, list(message_changes(before, after))))
    ordered.sort(key=lambda pair: pair[0])
    changes = [change for _, part in ordered for change in part]
    return changes + list(registry_changes(old_registry, new_registry))


def registry_changes(old: Registry | None, new: Registry | None) -> Iterator[ProtocolChange]:
    """The changes of protocol levels, matched by name.

    If only one side has a registry, all its levels are added or removed.
    """
    before = {level.version: level for level in old.api_versions} if old else {}
    after = {level.version: level for level in new.api_versions} if new else {}
    for name in (*after, *(name for name in before if name not in after)):
        former, current = before.get(name), after.get(name)
        if former == current:
            continue
        kind = (
            "api-version-added"
            if former is None
            else "api-version-removed"
            if current is None
            else "api-version-changed"
        )
        values = (former and _level(former), current and _level(current))
        place, former_place = (
            Place(side.path, *level.position, *(level.end or ()))
            if side is not None and level is not None and side.path and level.position is not None
            else None
            for side, level in ((new, current), (old, former))
        )
        yield ProtocolChange(kind, None, "", VersionSet.NONE, *values, name, place, former_place)


def _level(level: ApiVersion) -> str:
    day = f", {level.date}" if level.date else ""
    return f"id {level.id}, release {level.release}{day}" + (
        f" ({level.about})" if level.about else ""
    )
