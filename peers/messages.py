"""The few messages that peers exchange to connect, in the layouts of the embedded specs."""

from __future__ import annotations

from functools import cache
from typing import Any

from wirebook._version import __version__
from wirebook.specs.codec import encode, read
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.registry import embedded_message, header_layout
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import MessageValue

KEYS = {
    "Metadata": 3,
    "SaslHandshake": 17,
    "ApiVersions": 18,
    "SaslAuthenticate": 36,
    "DescribeCluster": 60,
}
CLIENT = "wirebook"
UNSUPPORTED_VERSION = 35
# A correlation ID comes first in every response.
CORRELATION = 4


@cache
def _layouts(name: str, version: int) -> tuple[Layout, Layout]:
    """The layouts of the header and the body of a message such as "MetadataRequest"."""
    message = embedded_message(name)
    body = layout(message, version)
    return header_layout(message.type, body.header_version or 0), body


def newest_version(api: str) -> int:
    """The newest stable version of an API in the embedded specs."""
    message = embedded_message(f"{api}Request")
    return message.valid_versions.highest - int(message.latest_version_unstable)


def request(api: str, version: int, value: MessageValue, correlation: int) -> bytes:
    """A request with its header."""
    header, body = _layouts(f"{api}Request", version)
    head = {
        "RequestApiKey": KEYS[api],
        "RequestApiVersion": version,
        "CorrelationId": correlation,
        "ClientId": CLIENT,
    }
    return encode(header, head) + encode(body, value)


def response(api: str, version: int, value: MessageValue, correlation: int) -> bytes:
    """A response with its header."""
    header, body = _layouts(f"{api}Response", version)
    return encode(header, {"CorrelationId": correlation}) + encode(body, value)


def decoded(name: str, version: int, data: bytes) -> dict[str, Any]:
    """The body of a message such as "MetadataRequest", which follows its header; bytes after it are
    ignored.

    Raises WireError.
    """
    header, body = _layouts(name, version)
    head = read(header, data, whole=False).right()
    return read(body, data, head.at, whole=False).right().value


def api_versions_request(version: int) -> MessageValue:
    """The fields of an ApiVersions request: since version 3, they name the client (KIP-511)."""
    if version < 3:
        return {}
    return {"ClientSoftwareName": CLIENT, "ClientSoftwareVersion": __version__}


@cache
def _errors() -> dict[int, str]:
    return {item["code"]: item["name"] for item in facts("errors.json")["errors"]}


def named_error(code: int) -> str:
    """ "error 35, UNSUPPORTED_VERSION"."""
    name = _errors().get(code)
    return f"error {code}, {name}" if name else f"error {code}"
