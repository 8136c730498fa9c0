"""A mock broker of any release: what clients need to connect, and one fault on demand."""

from __future__ import annotations

import asyncio
import contextlib
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wirebook.peers.messages import KEYS, UNSUPPORTED_VERSION, decoded, newest_version, response
from wirebook.specs.codec import number_at
from wirebook.specs.kafka.brokers import Broker, kafka_releases
from wirebook.specs.kafka.releases import numbers_of
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.problems import InputError
from wirebook.specs.spans import WireError
from wirebook.specs.versions import Versions

FAULTS = {
    "close": "the connection is closed",
    "delay": "the answer arrives a second late",
    "cut": "the connection is closed after half of the answer",
    "wrong-version": "versions above 0 get error 35 in their own layout instead of that of 0 "
    "(KIP-511)",
    "unknown-error": "the answer has an error code that no client knows, and names no API",
    "silence": "there is no answer",
}
"""What the broker does with ApiVersions."""

MAX_REQUEST = 65_536
CLUSTER = "wirebook-mock-cluster"
NODE = 1
NO_ID = str(uuid.UUID(int=0))
UNKNOWN_TOPIC, UNSUPPORTED_MECHANISM, INVALID_REQUEST, UNKNOWN_TOPIC_ID = 3, 33, 42, 100
UNKNOWN_ERROR = 9999
_API_VERSIONS = KEYS["ApiVersions"]
_NAMES = {key: name for name, key in KEYS.items()}
# Since KIP-511, error 35 names the supported versions of ApiVersions (KAFKA-8843).
_NAMES_VERSIONS_SINCE = (2, 4)
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")  # KIP-511
_SHOWN = 200  # characters of a text of the client that the log shows

Log = Callable[[MessageValue], None]


@dataclass(frozen=True)
class Answer:
    """A response with its header, or None if there is none, and a description for the log.

    `late` are the seconds to wait before it. If it is followed by a `close`, only half of it is
    sent.
    """

    data: bytes | None
    words: str
    close: bool = False
    late: float = 0


@dataclass
class MockBroker:
    """A broker of a release.

    `host` and `port` are those that Metadata names, `topics` the numbers of partitions by name.
    `log` receives every event. Raises InputError if the release has no such listener.
    """

    broker: Broker
    listener: str = ""
    fault: str = ""
    topics: Mapping[str, int] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 0
    log: Log = lambda _: None
    connections: int = 0

    def __post_init__(self) -> None:
        if self.fault and not self.broker.negotiates:
            raise InputError(
                f"release {self.broker.release} does not have ApiVersions, so it has no faults"
            )
        self.listed = self.broker.listed(self.listener)
        for api, key in KEYS.items():
            if key in self.listed:
                self.listed[key] &= Versions(0, newest_version(api))
        if self.fault == "wrong-version":
            self.listed[_API_VERSIONS] = Versions(0, 0)

    async def start(self, host: str, port: int) -> asyncio.Server:
        """Listen on an address, a free port if `port` is 0. Raises InputError."""
        try:
            server = await asyncio.start_server(self._serve, host, port)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot listen on {host}:{port}: {why}") from None
        self.port = server.sockets[0].getsockname()[1]
        self._event(
            "listening", host=host, port=self.port, release=self.broker.release, fault=self.fault
        )
        return server

    def _event(self, event: str, **more: Json) -> None:
        self.log({"schema": "wirebook/mock/1", "event": event, **more})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests on one connection, one after the other."""
        self.connections += 1
        number, why = self.connections, "the mock broker stops"
        try:
            while True:
                size = number_at(await reader.readexactly(4))
                if not 8 <= size <= MAX_REQUEST:
                    why = f"a request of {size:,} bytes: it must have from 8 to {MAX_REQUEST:,}"
                    break
                answer = self._logged(number, await reader.readexactly(size))
                if answer.data is not None:
                    frame = len(answer.data).to_bytes(4, "big") + answer.data
                    await asyncio.sleep(answer.late)
                    writer.write(frame[: len(frame) // 2] if answer.close else frame)
                    await writer.drain()
                if answer.close:
                    why = "the broker closes it"
                    break
        except (asyncio.IncompleteReadError, OSError):
            why = "the client closed it"
        except asyncio.CancelledError:
            # Only the end of the loop cancels it, and Python 3.11 reports a task that is cancelled.
            pass
        finally:
            self._event("closed", connection=number, why=why)
            with contextlib.suppress(OSError):
                writer.close()

    def _logged(self, connection: int, data: bytes) -> Answer:
        key, version = number_at(data, 0, 2), number_at(data, 2, 2)
        correlation = number_at(data, 4)
        try:
            answer = self.answer(key, version, correlation, data)
        except WireError as error:
            answer = Answer(None, f"closed: it does not parse: {_short(str(error))}", close=True)
        self._event(
            "request",
            connection=connection,
            key=key,
            api=kafka_releases().names.get(key),
            version=version,
            correlation_id=correlation,
            client_id=_client_id(data),
            answer=answer.words,
        )
        return answer

    def answer(self, key: int, version: int, correlation: int, data: bytes) -> Answer:
        """The answer to a request, whose header `data` begins with. Raises WireError."""
        if key == _API_VERSIONS and self.broker.negotiates:
            return self._with_fault(self._api_versions(version, correlation, data))
        served = self.broker.versions.get(key, Versions.NONE)
        if version not in self.listed.get(key, Versions.NONE) & served:
            if self.broker.release == "0.9.0" and key not in self.listed:
                # It threw an exception that nothing caught.
                return Answer(None, "nothing: the release does not have this API")
            return Answer(None, "closed: the release does not serve it", close=True)
        api = _NAMES.get(key)
        if api is None:
            return Answer(
                None, "closed: the release serves it, but this mock broker does not", close=True
            )
        value = self._value(api, version, decoded(f"{api}Request", version, data))
        return Answer(response(api, version, value, correlation), "answered")

    def _with_fault(self, answer: Answer) -> Answer:
        match self.fault:
            case "close":
                return Answer(None, "closed", close=True)
            case "silence":
                return Answer(None, "nothing")
            case "cut":
                return replace(answer, words=f"{answer.words}, cut", close=True)
            case "delay":
                return replace(answer, late=1)
        return answer

    def _api_versions(self, version: int, correlation: int, data: bytes) -> Answer:
        """Answer ApiVersions, even an unsupported version, which is not parsed (KIP-511)."""
        own, error = self.listed[_API_VERSIONS], 0
        listed: Mapping[int, Versions] = {}
        layout_version = version
        if version not in own:
            error = UNSUPPORTED_VERSION
            if numbers_of(self.broker.release) >= _NAMES_VERSIONS_SINCE:
                listed = {_API_VERSIONS: own}
            if self.fault != "wrong-version" or version > newest_version("ApiVersions"):
                layout_version = 0
        elif self.fault == "unknown-error":
            error = UNKNOWN_ERROR
        elif not _names_software(decoded("ApiVersionsRequest", version, data)):
            error = INVALID_REQUEST
        else:
            listed = self.listed
        apis: list[Json] = [
            {"ApiKey": key, "MinVersion": versions.lowest, "MaxVersion": versions.highest}
            for key, versions in listed.items()
        ]
        value = {"ErrorCode": error, "ApiKeys": apis}
        words = f"{len(apis)} APIs, layout {layout_version}"
        if error:
            words = f"error {error}, {words}"
        return Answer(response("ApiVersions", layout_version, value, correlation), words)

    def _value(self, api: str, version: int, asked: Mapping[str, Any]) -> MessageValue:
        """The fields of a response other than that of ApiVersions."""
        if api == "SaslHandshake":
            error = 0 if asked["Mechanism"] == "PLAIN" else UNSUPPORTED_MECHANISM
            return {"ErrorCode": error, "Mechanisms": ["PLAIN"]}
        if api == "SaslAuthenticate":
            return {}
        if api == "DescribeCluster":
            node = {"BrokerId": NODE, "Host": self.host, "Port": self.port}
            return {"ClusterId": CLUSTER, "ControllerId": NODE, "Brokers": [node]}
        return {
            "Brokers": [{"NodeId": NODE, "Host": self.host, "Port": self.port}],
            "ClusterId": CLUSTER,
            "ControllerId": NODE,
            "Topics": self._described(asked["Topics"], version),
        }

    def _described(self, asked: Sequence[Mapping[str, Any]] | None, version: int) -> list[Json]:
        """The topics that Metadata asks for, by name or id; in version 0 an empty list is all."""
        ids = {name: str(uuid.uuid5(uuid.NAMESPACE_URL, f"kafka:{name}")) for name in self.topics}
        names = {topic_id: name for name, topic_id in ids.items()}
        if asked is None or (version == 0 and not asked):
            asked = [{"Name": name} for name in ids]
        # A topic that is asked for repeatedly is described once: it may have thousands of
        # partitions.
        wanted = dict.fromkeys((each["Name"], each.get("TopicId", NO_ID)) for each in asked)
        here = {"LeaderId": NODE, "ReplicaNodes": [NODE], "IsrNodes": [NODE]}
        described: list[Json] = []
        for asked_name, asked_id in wanted:
            name = names.get(asked_id) if asked_name is None else asked_name
            if name in ids:
                count = self.topics[name]
                partitions = [{"PartitionIndex": at, **here} for at in range(count)]
                described.append({"Name": name, "TopicId": ids[name], "Partitions": partitions})
            else:
                error = UNKNOWN_TOPIC_ID if asked_name is None else UNKNOWN_TOPIC
                described.append({"ErrorCode": error, "Name": asked_name, "TopicId": asked_id})
        return described


def _names_software(asked: Mapping[str, Any]) -> bool:
    """Whether an ApiVersions request names the client as KIP-511 has it, since version 3."""
    names = [str(value) for key, value in asked.items() if key.startswith("ClientSoftware")]
    return all(_SOFTWARE.fullmatch(name) for name in names)


def _client_id(data: bytes) -> str | None:
    """The client id in a request: all headers that clients send have it at the same place."""
    size = number_at(data, 8, 2) if len(data) >= 10 else -1
    return _short(data[10 : 10 + size].decode("utf-8", "replace")) if size >= 0 else None


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
