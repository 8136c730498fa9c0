"""A request of a log, reduced to what a fleet needs: who sent it, and the reasons why a line is not one."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple, TypeGuard

from wirebook.specs.limits import MAX_INT16, MAX_NAME

NO_DAY = "unknown"
"""The day of a request whose line has no date."""
UNKNOWN = "unknown"
"""The software name and version that Kafka writes for clients that report none
(ClientInformation.UNKNOWN_NAME_OR_VERSION).
"""
# Requests that brokers and controllers send to each other, authorized by CLUSTER_ACTION: they change when the
# brokers are upgraded.
_BROKERS_SEND = frozenset(
    (4, 5, 6, 7, 27, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82, 83, 84, 85, 86, 87)
)
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


class Origin(StrEnum):
    """Who sent a request."""

    CLIENT = "client"
    SERVER = "server"
    """A broker or a controller."""
    FORWARDED = "forwarded"
    """A client, as the controller logs it to which a broker has forwarded it, which has logged it as well."""


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


class LineForm(StrEnum):
    """The form of a line that was read."""

    JSON = "kafka-json"
    TEXT = "kafka-text"
    WRAPPED = "kafka-json-wrapped"


class Reason(StrEnum):
    """Why a line is not counted as a request."""

    NOT_A_REQUEST = "not a request"
    CUT = "incomplete"
    NO_JSON = "invalid JSON"
    NO_HEADER = "no usable request header"
    ENCODING = "another encoding than UTF-8"
    TOO_LONG = "longer than 64 MiB"
    PACKED = "compressed"


class Unreadable(Exception):  # noqa: N818  a result, not a failure
    """Raised for a line that does not hold a request, with the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def request_of(
    api_key: object,
    version: object,
    *,
    day: str,
    client_id: object,
    principal: object,
    listener: object,
    software: tuple[object, object],
    is_forwarded: bool = False,
) -> LoggedRequest:
    """The request that a log shows by these values, of which nothing is checked yet; None is what it lacks.
    It is not marked as deprecated.

    Raises Unreadable if the API or its version is invalid.
    """
    if not (_is_int16(api_key) and _is_int16(version)):
        raise Unreadable(Reason.NO_HEADER)
    name = _name(client_id)
    return LoggedRequest(
        day=day or NO_DAY,
        software=_name(software[0] or UNKNOWN),
        software_version=_name(software[1] or UNKNOWN),
        client_id=name,
        principal=_name(principal),
        listener=_name(listener),
        api_key=api_key,
        version=version,
        deprecated=False,
        origin=_origin(api_key, name, is_forwarded),
    )


def _is_int16(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT16


def _name(value: object) -> str:
    """A name as it is kept: valid UTF-8, cut at the maximum length; "" if the log has none."""
    if not isinstance(value, str):
        return ""
    text = value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def _origin(api_key: int, client_id: str, is_forwarded: bool) -> Origin:
    if is_forwarded:
        return Origin.FORWARDED
    if api_key in _BROKERS_SEND:
        return Origin.SERVER
    match = _SERVERS.fullmatch(client_id)
    if match is not None and api_key in _CLIENTS_OF_SERVERS[(match.lastindex or 0) - 1][1]:
        return Origin.SERVER
    return Origin.CLIENT
