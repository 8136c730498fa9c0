"""A request of a log, reduced to what a fleet needs, and the reasons why a line is not one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from wirebook.specs.limits import MAX_NAME

NO_DAY = "unknown"
"""The day of a request whose line has no date."""
UNKNOWN = "unknown"
"""The software name and version that Kafka writes for clients that report none
(ClientInformation.UNKNOWN_NAME_OR_VERSION).
"""
OTHER = "(other clients)"
"""The client id under which clients beyond the limit are counted."""
METRICS = "(metrics)"
"""The client id of requests counted from metrics, which do not name clients."""


class LoggedRequest(NamedTuple):
    """A request without its time: equal requests of a day are counted together.

    `day` is "2026-11-22" or NO_DAY. `deprecated` is the mark that brokers write since 3.7. `owner` is set
    only if names are replaced by pseudonyms, because owners cannot be looked up by those.
    """

    day: str
    software: str
    software_version: str
    client_id: str
    principal: str
    listener: str
    api_key: int
    version: int
    deprecated: bool
    owner: str = ""


class RawRequest(NamedTuple):
    """The values of a request as a log has them: nothing is checked, and None is what it lacks."""

    api_key: object
    version: object
    client_id: object = None
    principal: object = None
    listener: object = None
    software: object = None
    software_version: object = None
    deprecated: bool = False


class Seen(NamedTuple):
    """A request and its time: "2026-11-22T10:00:00.123", or "" if the line has none."""

    request: LoggedRequest
    at: str


class LineForm(StrEnum):
    """The form of a line that was read."""

    JSON = "kafka-json"
    TEXT = "kafka-text"
    WRAPPED = "kafka-json-wrapped"
    MOCK = "wirebook-mock"
    PROBE = "wirebook-probe"
    PROMETHEUS = "prometheus"
    JMX = "jmx"


class Reason(StrEnum):
    """Why a line is not counted as a request."""

    NOT_A_REQUEST = "not a request"
    CUT = "incomplete"
    NO_JSON = "invalid JSON"
    NO_HEADER = "no usable request header"
    ENCODING = "another encoding than UTF-8"
    TOO_LONG = "longer than 64 MiB"
    NO_EVENT = "another event"
    OTHER_METRIC = "another metric"
    NO_COUNTER = "unusable counter"


class Unreadable(Exception):  # noqa: N818  a result, not a failure
    """Raised for a line that does not hold a request, with the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def shortened(text: str) -> str:
    """A text of a log as valid UTF-8, cut at the maximum length of a name."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"
