"""A request of a log, reduced to what a fleet needs: who sent it, and the reasons why a line is not one."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from wirebook.specs.limits import MAX_NAME

NO_DAY = "unknown"
"""The day of a request whose line has no date."""
UNKNOWN = "unknown"
"""The software name and version that Kafka writes for clients that report none
(ClientInformation.UNKNOWN_NAME_OR_VERSION).
"""
METRICS = "(metrics)"
"""The client id of requests counted from metrics, which do not name clients."""
# Requests that brokers and controllers send to each other, authorized by CLUSTER_ACTION: they change when the
# brokers are upgraded.
BROKERS_SEND = frozenset((4, 5, 6, 7, 27, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82, 83, 84, 85, 86, 87))
# Client ids that brokers and controllers use among each other, with the APIs that they send beside those:
# BrokerBlockingSender, RaftManager, TransactionMarkerChannelManager, and the clients of
# NetworkUtils.buildNetworkClient, whose names the thread of AddPartitionsToTxnManager does not have.
_CLIENTS_OF_SERVERS = (
    (r"broker-\d{1,10}-fetcher-\d{1,10}", frozenset((1, 2, 3, 18, 23))),
    (r"raft-client-\d{1,10}", frozenset((1, 18))),
    (r"broker-\d{1,10}-txn-marker-sender", frozenset((3, 18))),
    (r"AddPartitionsManager-client-\d{1,10}", frozenset((18, 24))),
    (r"Persister-client-\d{1,10}", frozenset((10, 18))),
    (r"NetworkPartitionMetadataClient-client-\d{1,10}", frozenset((2, 18))),
)
_SERVERS = re.compile("|".join(f"({pattern})" for pattern, _ in _CLIENTS_OF_SERVERS))
_NOT_OF_SERVERS: frozenset[int] = frozenset()


class Origin(StrEnum):
    """What shows a request, and who sent it."""

    CLIENT = "client"
    """A request log, about a client."""
    SERVER = "server"
    """A request log, about a broker or a controller."""
    FORWARDED = "forwarded"
    """The log of a controller, about a request that a broker forwarded for a client and has logged itself."""
    METRICS = "metrics"
    """A counter of a broker, which names no client."""
    INSTANCE = "instance"
    """Client telemetry (KIP-714), which shows that there is a client, but no request of it."""

    @property
    def is_logged(self) -> bool:
        """Whether a request log shows the request: who has sent it, and when."""
        return self in (Origin.CLIENT, Origin.SERVER, Origin.FORWARDED)


class LoggedRequest(NamedTuple):
    """A request without its time, as a log has it; `day` is "2026-11-22" or NO_DAY.

    `deprecated` is the mark that brokers write since 3.7.
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
    origin: Origin = Origin.CLIENT


class Row(NamedTuple):
    """What equal requests of a day have in common: they are counted together."""

    day: str
    origin: Origin
    software: str
    software_version: str
    application: str
    principal: str
    owner: str
    listener: str
    api_key: int
    version: int
    deprecated: bool


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
    is_forwarded: bool = False


class LineForm(StrEnum):
    """The form of a line that was read."""

    JSON = "kafka-json"
    TEXT = "kafka-text"
    WRAPPED = "kafka-json-wrapped"
    MOCK = "wirebook-mock"
    PROBE = "wirebook-probe"
    PROMETHEUS = "prometheus"
    JMX = "jmx"
    TELEMETRY = "client-telemetry"


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


def apis_of_server(client_id: str) -> frozenset[int]:
    """What a broker or controller with this client id sends beside BROKERS_SEND; nothing if none has it."""
    match = _SERVERS.fullmatch(client_id)
    return _NOT_OF_SERVERS if match is None else _CLIENTS_OF_SERVERS[(match.lastindex or 0) - 1][1]


def origin_of(api_key: int, server_apis: Collection[int], is_forwarded: bool) -> Origin:
    """Who sent a request that a request log shows; `server_apis` are those of its client id."""
    if is_forwarded:
        return Origin.FORWARDED
    return Origin.SERVER if api_key in BROKERS_SEND or api_key in server_apis else Origin.CLIENT


def shortened(text: str) -> str:
    """A text of a log as valid UTF-8, cut at the maximum length of a name."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"
