"""Parses the output of our own commands: the requests that the mock broker logs, and those of a probe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from wirebook.fleet.requests import NO_DAY, LoggedRequest, RawRequest, Reason, Unreadable, shortened
from wirebook.live.probe.messages import CLIENT
from wirebook.specs.kafka.brokers import api_keys
from wirebook.specs.limits import MAX_INT16

MOCK = "wirebook/mock/1"
PROBE = "wirebook/probe/1"
_PROBE = re.compile(rb'\s*\{\s*"schema":\s*"' + PROBE.encode() + rb'"')


def mock_request(value: dict[str, Any]) -> RawRequest | None:
    """The request in a line of `wirebook mock`; None for any other line.

    The times in the log count from the start of the broker, so the day is unknown. Raises Unreadable for an
    event that is not a request.
    """
    if value.get("schema") != MOCK:
        return None
    if value.get("event") != "request":
        raise Unreadable(Reason.NO_EVENT)
    software = value.get("software")
    named = software if isinstance(software, list) and len(software) == 2 else (None, None)
    user = value.get("user")
    return RawRequest(
        value.get("key"),
        value.get("version"),
        client_id=value.get("client_id"),
        principal=f"User:{user}" if isinstance(user, str) else None,
        software=named[0],
        software_version=named[1],
    )


def is_probe(start: bytes) -> bool:
    """Whether a text that begins like this is the JSON output of `wirebook probe`."""
    return _PROBE.match(start) is not None


def probe_requests(text: bytes) -> Iterator[LoggedRequest]:
    """The requests that a probe has sent, from its JSON output, which has no times. Raises Unreadable."""
    try:
        document = json.loads(text)
        version = shortened(str(document["tool"]["version"]))
        steps = [step for broker in document["brokers"] for step in broker["conversation"]]
        for step in steps:
            key, number = api_keys().get(str(step["api"]).lower()), step["version"]
            if key is None or not isinstance(number, int) or not 0 <= number <= MAX_INT16:
                raise Unreadable(Reason.NO_HEADER)
            yield LoggedRequest(NO_DAY, CLIENT, version, CLIENT, "", "", key, number, False)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable(Reason.NO_JSON) from None
