"""Encodes the requests of the probe and decodes the responses, using the embedded specs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from wirebook._version import __version__
from wirebook.live.embedded import embedded_layout, embedded_message
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.model import Json
from wirebook.specs.wire.codec import WireError, codec

CLIENT = "wirebook"
KEYS = {"Metadata": 3, "SaslHandshake": 17, "ApiVersions": 18, "SaslAuthenticate": 36}
# Where the body begins, after the correlation ID, if the header has no tagged fields.
BODY = 4


def newest_version(api: str) -> int:
    """The newest stable version of an API in the embedded specs."""
    message = embedded_message(f"{api}Request")
    return message.valid_versions.highest - (1 if message.latest_version_unstable else 0)


def request(api: str, version: int, value: Mapping[str, Json], correlation: int) -> bytes:
    """Encode a request, header and body, as the content of a frame."""
    of = embedded_layout(f"{api}Request", version)
    assert of.header_version is not None
    header = {
        "RequestApiKey": KEYS[api],
        "RequestApiVersion": version,
        "CorrelationId": correlation,
        "ClientId": CLIENT,
    }
    return codec(header_layout("request", of.header_version)).encode(header) + codec(of).encode(value)


def decoded(api: str, version: int, data: bytes, *, strict: bool = True) -> Mapping[str, Any] | WireError:
    """Decode the body of an answer, or return why it does not parse.

    Trailing bytes are an error only if `strict`.
    """
    of = embedded_layout(f"{api}Response", version)
    start = BODY
    try:
        if of.header_version:
            _, start = codec(header_layout("response", of.header_version)).decode_from(data)
        return codec(of).decode(data[start:]) if strict else codec(of).decode_from(data, start)[0]
    except WireError as error:
        return error


def api_versions_request(version: int) -> dict[str, Json]:
    """The fields of an ApiVersions request: since version 3, they name the client."""
    if version < 3:
        return {}
    release = "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in __version__)
    return {"ClientSoftwareName": CLIENT, "ClientSoftwareVersion": release.strip(".") or "0"}


@cache
def _errors() -> dict[int, str]:
    document = json.loads((FOLDER / "errors.json").read_text(encoding="utf-8"))
    return {item["code"]: item["name"] for item in document["errors"]}


def named_error(code: int) -> str:
    """ "error 35, UNSUPPORTED_VERSION"."""
    name = _errors().get(code)
    return f"error {code}, {name}" if name else f"error {code}"
