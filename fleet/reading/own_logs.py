"""Parses the output of our own commands: the requests that the mock broker logs, and those of a probe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from wirebook.fleet.requests import LoggedRequest, Reason, Unreadable, request_of
from wirebook.live.probe.messages import CLIENT
from wirebook.specs.kafka.brokers import api_keys

MOCK = "wirebook/mock/1"
PROBE = "wirebook/probe/1"
_PROBE = re.compile(rb'\s*\{\s*"schema":\s*"' + PROBE.encode() + rb'"')


def mock_request(value: dict[str, Any]) -> LoggedRequest | None:
    """The request in a line of `wirebook mock`; None for any other line.

    The times in the log count from the start of the broker, so the day is unknown. Raises Unreadable for an
    event that is not a request, and for one without an API and a version.
    """
    if value.get("schema") != MOCK:
        return None
    if value.get("event") != "request":
        raise Unreadable(Reason.NO_EVENT)
    software = value.get("software")
    named = software if isinstance(software, list) and len(software) == 2 else (None, None)
    user = value.get("user")
    return request_of(
        value.get("key"),
        value.get("version"),
        client_id=value.get("client_id"),
        principal=f"User:{user}" if isinstance(user, str) else None,
        software=(named[0], named[1]),
    )


def is_probe(start: bytes) -> bool:
    """Whether a text that begins like this is the JSON output of `wirebook probe`."""
    return _PROBE.match(start) is not None


def probe_requests(text: bytes) -> Iterator[LoggedRequest]:
    """The requests that a probe has sent, from its JSON output, which has no times. Raises Unreadable."""
    try:
        document = json.loads(text)
        software = (CLIENT, str(document["tool"]["version"]))
        steps = [step for broker in document["brokers"] for step in broker["conversation"]]
        for step in steps:
            key = api_keys().get(str(step["api"]).lower())
            yield request_of(key, step["version"], client_id=CLIENT, software=software)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable(Reason.NO_JSON) from None
