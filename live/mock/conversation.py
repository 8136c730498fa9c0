"""The protocol of a mock broker on one connection, without the connection: a request in, an answer out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wirebook.live.embedded import embedded_layout
from wirebook.live.mock.faults import (
    API_VERSIONS,
    INVALID_REQUEST,
    METADATA,
    UNSUPPORTED_VERSION,
    BrokerProfile,
    Mode,
    ReceivedRequest,
    Reply,
    framed,
)
from wirebook.live.mock.topics import Topics
from wirebook.specs.kafka.brokers import api_names
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.model import Json
from wirebook.specs.versions import Versions
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.scalars import WireError

CLUSTER = "wirebook-mock-cluster"
_HEADER = 8  # API key, version, correlation ID
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")  # KIP-511
_SHOWN = 200  # characters of a client's text that the log shows

LogEvent = Callable[..., None]


@dataclass(frozen=True)
class Setup:
    """The configuration of the mock broker.

    `topics` are names with their numbers of partitions; `advertise` is the host in Metadata responses, by
    default the one that it listens on.
    """

    profile: BrokerProfile
    mode: str = "normal"
    topics: Mapping[str, int] = field(default_factory=dict)
    advertise: str = ""


class EndError(Exception):
    """Raised to end the connection, with the reason."""


@dataclass(frozen=True)
class MockCluster:
    """What all connections share: the configuration, the mode, the addresses of the brokers, and the log.

    `log_event` receives the name of an event and its data.
    """

    setup: Setup
    mode: Mode
    nodes: Sequence[tuple[str, int]]
    log_event: LogEvent

    @cached_property
    def topics(self) -> Topics:
        """The topics of the configuration."""
        return Topics(self.setup.topics)


class Conversation:
    """The answers on one connection."""

    def __init__(self, cluster: MockCluster, number: int, profile: BrokerProfile) -> None:
        self.cluster = cluster
        self.setup = cluster.setup
        self.number = number
        self.profile = profile

    def reply_to(self, data: bytes) -> Reply:
        """Answer a frame, and log it.

        Raises EndError, also for a request that does not parse.
        """
        try:
            return self.answer(data)
        except WireError as error:
            raise EndError(f"the request does not parse: {shortened(str(error))}") from None

    def answer(self, data: bytes) -> Reply:
        """Answer a request, and log it. Raises EndError, WireError."""
        if len(data) < _HEADER:
            raise EndError(f"a request of {len(data)} bytes: its header has at least {_HEADER}")
        key, version = (int.from_bytes(data[at : at + 2], "big", signed=True) for at in (0, 2))
        correlation = int.from_bytes(data[4:8], "big", signed=True)
        entry: dict[str, Json] = {
            "connection": self.number,
            "key": key,
            "api": api_names().get(key),
            "version": version,
            "correlation_id": correlation,
            "client_id": _client_id(data, key, version),
        }
        try:
            reply = self.reply(key, version, correlation, data, entry)
        except WireError:
            self.cluster.log_event("request", **entry, answer="closed: it does not parse")
            raise
        summary = f"closed{': ' if reply.summary else ''}{reply.summary}" if reply.close else reply.summary
        self.cluster.log_event("request", **entry, answer=summary)
        return reply

    def reply(self, key: int, version: int, correlation: int, data: bytes, entry: dict[str, Json]) -> Reply:
        served = self.profile.served.get(key, Versions.NONE)
        if key == API_VERSIONS and served:
            return self.api_versions(version, correlation, data, entry)
        if version not in served:
            unsupported = self.cluster.mode.unsupported
            if unsupported is not None:
                return unsupported(ReceivedRequest(self.profile, version, correlation, UNSUPPORTED_VERSION))
            if key not in self.profile.listed and self.profile.silent:
                return Reply((), "nothing: the release does not have this API")
            return Reply((), f"the release serves {served or 'none'}", close=True)
        if key != METADATA:
            return Reply((), "the release serves it, but this mock broker does not", close=True)
        return self.metadata(version, correlation, _body("MetadataRequest", version, data, entry), entry)

    def api_versions(self, version: int, correlation: int, data: bytes, entry: dict[str, Json]) -> Reply:
        """Answer ApiVersions; an unsupported version gets an answer too, without being parsed (KIP-511)."""
        error = 0
        if version not in self.profile.served[API_VERSIONS]:
            # Only the header must parse; for a future version, with the layout of the newest.
            codec(header_layout("request", 2 if version >= 3 else 1)).decode_from(data)
            error = UNSUPPORTED_VERSION
        else:
            value = _body("ApiVersionsRequest", version, data, entry)
            if version >= 3:
                software = [str(value[f"ClientSoftware{part}"]) for part in ("Name", "Version")]
                entry["software"] = [shortened(text) for text in software]
                if not all(map(_SOFTWARE.fullmatch, software)):
                    error = INVALID_REQUEST
        return self.cluster.mode.answer(ReceivedRequest(self.profile, version, correlation, error))

    def metadata(
        self, version: int, correlation: int, value: Mapping[str, Any], entry: dict[str, Json]
    ) -> Reply:
        """Answer Metadata."""
        nodes: list[Json] = [
            {"NodeId": number, "Host": self.setup.advertise or host, "Port": port}
            for number, (host, port) in enumerate(self.cluster.nodes, 1)
        ]
        described = self.cluster.topics.described(value["Topics"], version, len(nodes))
        if value["Topics"] is not None and (version or value["Topics"]):
            entry["topics"] = [
                shortened(str(topic["TopicId"] if topic["Name"] is None else topic["Name"]))
                for topic in value["Topics"][:10]
            ]
        answer = {"Brokers": nodes, "ClusterId": CLUSTER, "ControllerId": 1, "Topics": [*described]}
        of = embedded_layout("MetadataResponse", version)
        tags = b"\0" if of.header_version else b""
        return Reply((framed(correlation, tags + codec(of).encode(answer)),), "answered")


def _body(name: str, version: int, data: bytes, entry: dict[str, Json]) -> dict[str, Any]:
    """Decode the body of a request. Raises WireError, but not for trailing bytes, which brokers ignore."""
    of = embedded_layout(name, version)
    assert of.header_version is not None
    _, start = codec(header_layout("request", of.header_version)).decode_from(data)
    value, end = codec(of).decode_from(data, start)
    if end < len(data):
        entry["left_over"] = data[end : end + _SHOWN].hex()
    return value


def _client_id(data: bytes, key: int, version: int) -> str | None:
    """The client id in a request; request headers 1 and 2 have it at the same place and in the same form."""
    if key == 7 and version == 0:
        return None  # ControlledShutdown 0 has header 0, which ends before it
    size = int.from_bytes(data[8:10], "big", signed=True) if len(data) >= 10 else -1
    return shortened(data[10 : 10 + size].decode("utf-8", "replace")) if size >= 0 else None


def shortened(text: str) -> str:
    """A text of the peer, cut to the length that the log shows."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
