"""A request of a log, reduced to what a fleet needs: who sent it, and the reasons why a line is not one."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple, TypeGuard

from wirebook.specs.limits import MAX_INT16, MAX_NAME

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


def request_of(
    api_key: object,
    version: object,
    *,
    day: str = "",
    client_id: object = None,
    principal: object = None,
    listener: object = None,
    software: tuple[object, object] = (None, None),
    is_forwarded: bool = False,
) -> LoggedRequest:
    """The request that a log shows by these values, of which nothing is checked yet; None is what it lacks.
    It is not marked as deprecated.

    Raises Unreadable if the API or its version is invalid.
    """
    if not (_is_int16(api_key) and _is_int16(version)):
        raise Unreadable(Reason.NO_HEADER)
    name = name_of(client_id)
    return LoggedRequest(
        day=day or NO_DAY,
        software=name_of(software[0] or UNKNOWN),
        software_version=name_of(software[1] or UNKNOWN),
        client_id=name,
        principal=name_of(principal),
        listener=name_of(listener),
        api_key=api_key,
        version=version,
        deprecated=False,
        origin=origin_of(api_key, apis_of_server(name), is_forwarded),
    )


def _is_int16(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT16


def name_of(value: object) -> str:
    """A name as it is kept: "" if the log has none."""
    return shortened(value) if isinstance(value, str) else ""


def shortened(text: str) -> str:
    """A text of a log as valid UTF-8, cut at the maximum length of a name."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"
