"""Lines of request logs as brokers write them."""

from __future__ import annotations

import json
from typing import Any


def kafka_line(
    key: int = 1,
    version: int = 11,
    client_id: str | None = "app",
    *,
    at: str = "2026-10-01 10:00:00,123",
    principal: str = "User:app",
    listener: str = "SASL_SSL",
    software: tuple[str, str] = ("apache-kafka-java", "3.9.0"),
    deprecated: bool = False,
    request: Any = None,
    more: dict[str, Any] | None = None,
) -> bytes:
    """A line as 2.8 to 4.x write it, in Jackson's form."""
    header = {
        "requestApiKey": key,
        "requestApiVersion": version,
        "correlationId": 7,
        "clientId": client_id,
    }
    header["requestApiKeyName"] = "FETCH"
    if deprecated:
        header["requestApiVersionDeprecated"] = True
    value = {
        "isForwarded": False,
        "requestHeader": header,
        "request": {"topics": []} if request is None else request,
        "response": {"throttleTimeMs": 0},
        "connection": "10.0.0.1:9093-10.0.7.12:51234-11",
        "totalTimeMs": 1.5,
        "securityProtocol": "SASL_SSL",
        "principal": principal,
        "listener": listener,
        "clientInformation": {"softwareName": software[0], "softwareVersion": software[1]},
        **(more or {}),
    }
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    line = f"[{at}] DEBUG Completed request:{text} (kafka.request.logger)"
    return line.encode("utf-8", "surrogatepass")


TIME = b"2026-11-22T10:00:00.1Z"


def container_log() -> list[bytes]:
    """Lines of two streams, each request in three parts, with a line of the other stream in
    between."""
    lines = []
    for number in range(6):
        line = kafka_line(version=number, client_id=f"app-{'abc'[number % 3]}")
        stream, other = (b"stdout", b"stderr") if number % 2 else (b"stderr", b"stdout")
        lines += [TIME + b" %b P " % stream + line[:200], TIME + b" %b F junk" % other]
        lines += [TIME + b" %b P " % stream + line[200:300], TIME + b" %b F " % stream + line[300:]]
    return [*lines, b"", TIME + b" stdout P never ends"]
