"""Parses a line of Kafka's request log, as JSON or as text, to what a fleet needs of a request.

Since 2.8, Kafka writes a request as `Completed request:` and a JSON object (RequestChannel,
RequestConvertToJson; KIP-673); earlier releases write text. The pattern of its log files, `[%d] %p
%m (%c)%n`, is the same in log4j.properties (until 3.9) and log4j2.yaml (since 4.0).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from wirebook.fleet.containers import decoded
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.limits import MAX_INT16, MAX_LINE, MAX_NAME, MAX_PREFIX

NO_DAY = "unknown"
"""The day of a request whose line has no date."""
UNKNOWN = "unknown"
"""The software name and version that Kafka writes for clients that report none
(ClientInformation.UNKNOWN_NAME_OR_VERSION).
"""
_MARK = "Completed request:"
_HEADER, _SOFTWARE = "requestHeader", "clientInformation"
# How files that are compressed with gzip, Zstandard, bzip2 and xz begin, and ZIP archives.
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"PK\x03\x04")
# The last moment in a text.
_MOMENT = re.compile(
    r".*(?P<time>\d{4}-\d\d-\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?: ?(?P<zone>Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?(?!\d)))?",
    re.DOTALL,
)
# The keys that log collectors use for the line and its time (Elastic Common Schema, log4j2's
# layouts, fluentd).
_LINES = ("message", "msg", "log")
_TIMES = ("@timestamp", "timestamp", "time")
# 2.4 to 2.7: RequestHeader.toString, and the text that RequestChannel appends. Client ids are not
# escaped, and "null" is a missing one.
_TEXT = re.compile(
    r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=(?P<version>\d{1,5}), "
    r"clientId=(?P<client>.*?), "
    r"correlationId=-?\d+\) -- .*,securityProtocol:\w*,principal:(?P<principal>.*)"
    r",listener:[^, ]*"
    r"(?:,clientInformation:ClientInformation\(softwareName=(?P<name>[^,)]*), "
    r"softwareVersion=(?P<number>[^,)]*)\))?"
    r"(?:,[a-z]\w*:[-\d.E]+)*(?: \(kafka\.request\.logger\))?\s*",
    re.DOTALL | re.IGNORECASE,
)
# Requests that brokers and controllers send to each other, authorized by CLUSTER_ACTION: they
# change when the brokers are upgraded.
_BROKERS_SEND = frozenset(
    (4, 5, 6, 7, 27, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82, 83, 84, 85, 86, 87)
)
# Client ids that brokers and controllers use among each other: BrokerBlockingSender, RaftManager,
# TransactionMarkerChannelManager, and the clients of NetworkUtils.buildNetworkClient, whose names
# the thread of AddPartitionsToTxnManager does not have.
_SERVERS = re.compile(
    r"broker-\d{1,10}-fetcher-\d{1,10}|raft-client-\d{1,10}|broker-\d{1,10}-txn-marker-sender"
    r"|(?:AddPartitionsManager|Persister|NetworkPartitionMetadataClient)-client-\d{1,10}"
)


class Origin(StrEnum):
    """Who sent a request."""

    CLIENT = "client"
    SERVER = "server"
    """A broker or a controller."""
    FORWARDED = "forwarded"
    """A client, as the controller logs it to which a broker has forwarded it, which has logged it
    as well."""


class Reason(StrEnum):
    """Why a line is not counted as a request."""

    NOT_A_REQUEST = "not a request"
    CUT = "incomplete"
    NO_HEADER = "no usable request header"
    TOO_LONG = "longer than 64 MiB"
    PACKED = "compressed"


class Unreadable(Exception):  # noqa: N818  a result, not a failure
    """Raised for a line that does not hold a request, with the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class LoggedRequest(NamedTuple):
    """A request, as a log has it: `day` is "2026-11-22" or NO_DAY, `at` the time or ""."""

    day: str
    at: str
    software: str
    software_version: str
    client_id: str
    principal: str
    api_key: int
    version: int
    origin: Origin


def parse(line: bytes, read_at: bytes = b"") -> LoggedRequest:
    """Parse a line. Raises Unreadable.

    The time is the broker's own if it writes one, or else that of a collector, or else `read_at`,
    that of the container runtime.
    """
    if len(line) > MAX_LINE:
        raise Unreadable(Reason.TOO_LONG)
    if line.startswith(_PACKED):
        raise Unreadable(Reason.PACKED)
    # A broker writes in the encoding of its system: if that is not UTF-8, bytes are kept by their
    # numbers.
    text = decoded(line).removeprefix("\ufeff")
    if not _may_be_request(text):
        raise Unreadable(Reason.NOT_A_REQUEST)
    return _parsed(text, read_at.decode("utf-8", "replace"))


def _may_be_request(text: str) -> bool:
    return _MARK in text or _HEADER in text


def _parsed(text: str, *times: str) -> LoggedRequest:
    """Parse a text that may be a request, or the object of a collector that may hold one."""
    before, mark, rest = text.partition(_MARK)
    if mark and not text.startswith("{"):
        request = _object(rest, 0) if rest.startswith("{") else _of_text(rest)
        return _request(request, before, *times)
    start = text.find("{")
    if start < 0:
        raise Unreadable(Reason.NOT_A_REQUEST)
    value = _object(text, start)
    times = (*(_string(value, key) for key in _TIMES), *times)
    if _HEADER in value:
        return _request(value, text[:start], *times)
    for key in _LINES:
        inner = _string(value, key)
        if _may_be_request(inner):
            return _parsed(inner, *times)
    raise Unreadable(Reason.NOT_A_REQUEST)


def _of_text(text: str) -> dict[str, Any]:
    """A request that is written as text, as Kafka writes it as JSON since."""
    # After a crash, the next line follows in the same line: its end belongs to another request.
    match = None if _MARK in text else _TEXT.fullmatch(text)
    if match is None:
        raise Unreadable(Reason.CUT if "RequestHeader(" in text else Reason.NOT_A_REQUEST)
    return {
        _HEADER: {
            "requestApiKey": kafka_releases().keys.get(match["api"].replace("_", "").lower()),
            "requestApiVersion": int(match["version"]),
            "clientId": None if match["client"] == "null" else match["client"],
        },
        "principal": match["principal"],
        _SOFTWARE: {"softwareName": match["name"], "softwareVersion": match["number"]},
    }


def _request(value: dict[str, Any], *times: str) -> LoggedRequest:
    """The request of an object, of which nothing is checked yet; the first time that has a date
    counts. Raises Unreadable without an API."""
    header, software = _inner(value, _HEADER), _inner(value, _SOFTWARE)
    key, version = header.get("requestApiKey", -1), header.get("requestApiVersion", -1)
    for number in (key, version):
        if type(number) is not int or not 0 <= number <= MAX_INT16:
            raise Unreadable(Reason.NO_HEADER)
    client_id = _name(header, "clientId")
    if value.get("isForwarded") is True:
        origin = Origin.FORWARDED
    elif key in _BROKERS_SEND or _SERVERS.fullmatch(client_id):
        origin = Origin.SERVER
    else:
        origin = Origin.CLIENT
    at = next(filter(None, map(_moment, times)), "")
    return LoggedRequest(
        at[:10] or NO_DAY,
        at,
        _name(software, "softwareName") or UNKNOWN,
        _name(software, "softwareVersion") or UNKNOWN,
        client_id,
        _name(value, "principal"),
        key,
        version,
        origin,
    )


def _object(text: str, start: int) -> dict[str, Any]:
    """The object at a place, with nothing behind it but the name of the logger."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        raise Unreadable(Reason.CUT) from None
    after = text[end:].strip()
    # After a crash in the name of the logger, the next line follows in the same line.
    if _MARK in after or (after and not after.startswith("(")):
        raise Unreadable(Reason.CUT)
    request: dict[str, Any] = value
    return request


def _moment(text: str) -> str:
    """The last date and time in a text, to the millisecond; "" if there is none.

    The last one is that of a line: what collectors, or another line that a crash cut off, have
    before it comes first. A time without a zone is kept as written, because brokers log local time;
    a time with a zone is converted to UTC.
    """
    match = _MOMENT.match(text[-MAX_PREFIX:])
    if match is None:
        return ""
    try:
        moment = datetime.fromisoformat(match["time"] + (match["zone"] or ""))
        if match["zone"]:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return ""
    return moment.isoformat(timespec="milliseconds")


def _inner(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The object at a key, or an empty one."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _string(value: dict[str, Any], key: str) -> str:
    """The string at a key; "" if there is none."""
    text = value.get(key)
    return text if isinstance(text, str) else ""


def _name(value: dict[str, Any], key: str) -> str:
    """The name at a key as it is kept: valid UTF-8, cut at the maximum length; "" if there is
    none."""
    text = _string(value, key).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"
