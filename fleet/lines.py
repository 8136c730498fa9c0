"""Parses a line of Kafka's request log, as JSON or as text.

Since 2.8, Kafka writes a request as `Completed request:` and a JSON object (RequestChannel,
RequestConvertToJson; KIP-673); earlier releases write text. The pattern of its log files, `[%d] %p %m
(%c)%n`, is the same in log4j.properties (until 3.9) and log4j2.yaml (since 4.0).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from wirebook.fleet.containers import decoded
from wirebook.fleet.requests import LineForm, LoggedRequest, Reason, Unreadable, request_of
from wirebook.specs.kafka.brokers import api_keys
from wirebook.specs.limits import MAX_LINE, MAX_PREFIX

_MARK = "Completed request:"
_LOGGER = "(kafka.request.logger)"
# How files that are compressed with gzip and Zstandard begin.
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
# The last moment in a text.
_MOMENT = re.compile(
    r".*(?P<day>\d{4}-\d\d-\d\d)[ T_](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r"(?: ?(?P<zone>Z|[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d)))?",
    re.DOTALL,
)

# The keys that log collectors use for the line and its time (Elastic Common Schema, log4j2's layouts,
# fluentd).
_LINES = ("message", "msg", "log")
_TIMES = ("@timestamp", "timestamp", "time")

# 2.4 to 2.7: RequestHeader.toString, and the text that RequestChannel appends. Client ids are not escaped,
# and "null" is a missing one.
_TEXT = re.compile(
    r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=(?P<version>\d{1,5}), clientId=(?P<client>.*?), "
    r"correlationId=-?\d+\) -- .*,securityProtocol:\w*,principal:(?P<principal>.*)"
    r",listener:(?P<listener>[^, ]*)"
    r"(?:,clientInformation:ClientInformation\(softwareName=(?P<name>[^,)]*), "
    r"softwareVersion=(?P<number>[^,)]*)\))?"
    r"(?:,[a-z]\w*:[-\d.E]+)*(?: \(kafka\.request\.logger\))?\s*",
    re.DOTALL | re.IGNORECASE,
)


def parse(line: bytes, read_at: bytes = b"") -> tuple[LoggedRequest, str, LineForm]:
    """Parse a line into its request, its time ("" without one), and its form. Raises Unreadable.

    The time is the broker's own if it writes one, or else that of a collector, or else `read_at`, that of the
    container runtime.
    """
    if len(line) > MAX_LINE:
        raise Unreadable(Reason.TOO_LONG)
    if line.startswith(_PACKED):
        raise Unreadable(Reason.PACKED)
    if b"\0" in line[:64]:
        raise Unreadable(Reason.ENCODING)
    # A broker writes in the encoding of its system: if that is not UTF-8, bytes are kept by their numbers.
    text = decoded(line).removeprefix("\ufeff")
    outer = read_at.decode("utf-8", "replace")
    at = text.find(_MARK)
    if at >= 0 and not text.startswith("{"):
        return _completed(text[at + len(_MARK) :], _first_moment(text[:at], outer), LineForm.JSON)
    start = text.find("{")
    if start < 0:
        raise Unreadable(Reason.NOT_A_REQUEST)
    value = _object(text, start)
    if "requestHeader" in value:
        moment = _first_moment(text[:start], outer)
        return _of_json(value, moment), moment[1], LineForm.JSON
    for name in _LINES:
        inner = value.get(name)
        if isinstance(inner, str) and _MARK in inner:
            before, _, rest = inner.partition(_MARK)
            times = [time for key in _TIMES if isinstance(time := value.get(key), str)]
            return _completed(rest, _first_moment(before, *times, outer), LineForm.WRAPPED)
    raise Unreadable(Reason.NOT_A_REQUEST)


def _first_moment(*texts: str) -> tuple[str, str]:
    """The moment of the first text that has one; ("", "") if none has."""
    moments = (_moment(text[-MAX_PREFIX:]) for text in texts)
    return next((moment for moment in moments if moment[0]), ("", ""))


def _moment(text: str) -> tuple[str, str]:
    """The day, and the time to the millisecond, of the last date and time in a text; "" if there is none.

    The last one is that of a line: what collectors, or another line that a crash cut off, have before it
    comes first. A time without a zone is kept as written, because brokers log local time; a time with a zone
    is converted to UTC.
    """
    match = _MOMENT.match(text)
    if match is None:
        return "", ""
    milliseconds = (match["part"] or "")[:3].ljust(3, "0")
    try:
        moment = datetime.fromisoformat(f"{match['day']}T{match['time']}.{milliseconds}{match['zone'] or ''}")
        if match["zone"]:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return "", ""
    return moment.date().isoformat(), moment.isoformat(timespec="milliseconds")


def _completed(rest: str, moment: tuple[str, str], form: LineForm) -> tuple[LoggedRequest, str, LineForm]:
    """Parse what follows the mark; `form` is that of a line with JSON."""
    if rest.startswith("{"):
        return _of_json(_object(rest, 0), moment), moment[1], form
    return _of_text(rest, moment), moment[1], LineForm.TEXT


def _object(text: str, start: int) -> dict[str, Any]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        raise Unreadable(Reason.CUT if _is_cut(text) else Reason.NO_JSON) from None
    rest = text[end:].strip()
    if _MARK in rest:
        # After a crash in the name of the logger, too, the next line follows in the same line.
        raise Unreadable(Reason.CUT)
    if not isinstance(value, dict) or (rest and not rest.startswith("(")):
        raise Unreadable(Reason.NO_JSON)
    return value


def _is_cut(text: str) -> bool:
    """Whether a line that is not JSON lacks its end, as after a crash or on a full disk."""
    return not text.rstrip().endswith(("}", _LOGGER))


def _of_json(value: dict[str, Any], moment: tuple[str, str]) -> LoggedRequest:
    header = value.get("requestHeader")
    if not isinstance(header, dict):
        raise Unreadable(Reason.NO_HEADER)
    software = value.get("clientInformation")
    software = software if isinstance(software, dict) else {}
    request = request_of(
        header.get("requestApiKey"),
        header.get("requestApiVersion"),
        day=moment[0],
        client_id=header.get("clientId"),
        principal=value.get("principal"),
        listener=value.get("listener"),
        software=(software.get("softwareName"), software.get("softwareVersion")),
        is_forwarded=value.get("isForwarded") is True,
    )
    return request._replace(deprecated=header.get("requestApiVersionDeprecated") is True)


def _of_text(text: str, moment: tuple[str, str]) -> LoggedRequest:
    # After a crash, the next line follows in the same line: its end belongs to another request.
    match = None if _MARK in text else _TEXT.fullmatch(text)
    if match is None:
        raise Unreadable(Reason.CUT if "RequestHeader(" in text else Reason.NOT_A_REQUEST)
    return request_of(
        api_keys().get(match["api"].replace("_", "").lower()),
        int(match["version"]),
        day=moment[0],
        client_id=None if match["client"] == "null" else match["client"],
        principal=match["principal"],
        listener=match["listener"],
        software=(match["name"], match["number"]),
    )
