"""The log of our mock broker: which of its events are requests."""

from __future__ import annotations

from typing import Any

from wirebook.live.fleet.requests import Reason, Unreadable

MOCK = "wirebook/mock/1"


def mock_request(value: dict[str, Any]) -> dict[str, Any] | None:
    """The request in a line of `wirebook mock`, as arguments of `lines.seen`; None for another line.

    Its moments count from the start of the broker, so the day is not known. Raises Unreadable for an event
    that is no request.
    """
    if value.get("schema") != MOCK:
        return None
    if value.get("event") != "request":
        raise Unreadable(Reason.NO_EVENT)
    software = value.get("software")
    named = software if isinstance(software, list) and len(software) == 2 else (None, None)
    user = value.get("user")
    return {
        "key": value.get("key"),
        "version": value.get("version"),
        "client_id": value.get("client_id"),
        "principal": f"User:{user}" if isinstance(user, str) else None,
        "software": named[0],
        "software_version": named[1],
    }
