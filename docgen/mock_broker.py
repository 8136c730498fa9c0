"""A broker as far as KIP-35 goes: ApiVersions, Metadata and SASL, of any release, with faults on demand."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docgen.mock_modes import (
    API_VERSIONS,
    INVALID_REQUEST,
    METADATA,
    MODES,
    UNSUPPORTED_VERSION,
    Asked,
    Mode,
    Plan,
    Reply,
    framed,
)
from docgen.mock_sasl import Login, Users
from docgen.own import own_layout
from docgen.probe_messages import KEYS
from docgen.scram import ScramError
from specs.brokers import api_names
from specs.model import Json
from specs.problems import InputError
from specs.versions import Versions
from specs.wire import WireError, codec, header_layout

HANDSHAKE, AUTHENTICATE = KEYS["SaslHandshake"], KEYS["SaslAuthenticate"]
BEFORE_LOGIN = (API_VERSIONS, HANDSHAKE, AUTHENTICATE)
UNKNOWN_TOPIC, UNSUPPORTED_MECHANISM, ILLEGAL_SASL_STATE, AUTHENTICATION_FAILED = 3, 33, 34, 58
CLUSTER = "wirebook-mock-cluster"
MAX_NODES = 32
_HEADER = 8  # API key, version, correlation id
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")  # KIP-511
_SHOWN = 200  # characters of a client's text in the log
_BETWEEN_PIECES = 0.1
_SEND_BUFFER = 32_768
_NAMES = {key: name for name, key in KEYS.items()}

Log = Callable[[dict[str, Json]], None]


@dataclass(frozen=True)
class Limits:
    """What a mock broker bears.

    Connections at once, the bytes of a request, those of all answers that nobody has read yet, and the
    seconds within which a request comes as a whole and an answer is read.
    """

    connections: int = 1000
    frame: int = 65_536
    output: int = 16 << 20
    idle: float = 60.0


@dataclass(frozen=True)
class Setup:
    """What the mock broker is.

    `topics` are names with their number of partitions; `advertise` is the host that Metadata tells, by
    default where it listens.
    """

    plan: Plan
    mode: str = "normal"
    mechanisms: Sequence[str] = ()
    users: Users = field(default_factory=lambda: Users({}))
    topics: Mapping[str, int] = field(default_factory=dict)
    advertise: str = ""
    tls: ssl.SSLContext | None = None
    limits: Limits = field(default_factory=Limits)


class MockBroker:
    """A cluster of one or more brokers that listen until they are closed; what happens is told to `log`."""

    def __init__(self, setup: Setup, log: Log) -> None:
        self.setup = setup
        self.mode: Mode = MODES[setup.mode]
        self.plan = self.mode.plan(setup.plan)
        self.nodes: list[tuple[str, int]] = []
        self.unread = 0  # bytes of answers on their way, of all connections
        self._log = log
        self._begun = time.monotonic()
        self._count = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._servers: list[asyncio.Server] = []

    @property
    def connections(self) -> int:
        """How many there are now."""
        return len(self._open)

    def tell(self, event: str, **more: Json) -> None:
        """Give the log an event with its time."""
        at = round(time.monotonic() - self._begun, 3)
        self._log({"schema": "wirebook/mock/1", "event": event, "at": at, **more})

    async def start(self, host: str = "127.0.0.1", port: int = 0, nodes: int = 1) -> None:
        """Listen on one port for each broker, on following ones if `port` is given; `nodes` tells where.

        Raises InputError, with nothing left open, where that cannot be.
        """
        for number in range(nodes):
            wanted = port + number if port else 0
            try:
                server = await asyncio.start_server(
                    self._accept,
                    host,
                    wanted,
                    ssl=self.setup.tls,
                    limit=16_384,
                    backlog=512,
                    **({} if self.setup.tls is None else {"ssl_handshake_timeout": 10.0}),
                )
            except (OSError, OverflowError, UnicodeError) as error:
                await self.close()
                why = getattr(error, "strerror", None) or str(error)
                raise InputError(f"cannot listen on {host}, port {wanted}: {why}") from None
            self._servers.append(server)
            self.nodes.append(server.sockets[0].getsockname()[:2])
        listed: list[Json] = [
            {"id": number, "host": where[0], "port": where[1]} for number, where in enumerate(self.nodes, 1)
        ]
        self.tell(
            "listening",
            host=self.nodes[0][0],
            port=self.nodes[0][1],
            brokers=listed,
            release=self.plan.name,
            mode=self.setup.mode,
            tls=self.setup.tls is not None,
            sasl=list(self.setup.mechanisms),
        )

    async def close(self) -> None:
        """Stop listening and end every connection at once."""
        for server in self._servers:
            server.close()
        open_ = dict(self._open)
        for task, writer in open_.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        number = self._count
        if self.connections >= self.setup.limits.connections:
            self.tell("closed", connection=number, why=f"there are {self.connections} connections already")
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        why = "the mock broker stops"
        try:
            writer.transport.set_write_buffer_limits(high=0)
            # Else the system takes megabytes of answers for somebody who does not read.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            plan = self.plan.later if number > 1 and self.plan.later is not None else self.plan
            why = await _Connection(self, number, plan, reader, writer).serve()
            with contextlib.suppress(OSError, TimeoutError):
                writer.close()
                async with asyncio.timeout(1):
                    await writer.wait_closed()
        except asyncio.CancelledError:
            # It is only this broker that cancels, and it waits for the end.
            pass
        finally:
            writer.transport.abort()
            del self._open[task]
            self.tell("closed", connection=number, why=why)


class _EndError(Exception):
    """The connection ends here; says why."""


class _Connection:
    """One connection: a request, its answer, the next request."""

    def __init__(
        self,
        broker: MockBroker,
        number: int,
        plan: Plan,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.broker = broker
        self.setup = broker.setup
        self.number = number
        self.plan = plan
        self.reader = reader
        self.writer = writer
        self.login: Login | None = None
        self.bare = False  # after SaslHandshake 0, tokens come without any header
        self.welcome = not self.setup.mechanisms

    async def serve(self) -> str:
        """Answer until something ends it; returns why."""
        try:
            while True:
                data = await self.read()
                try:
                    reply = self.token(data) if self.bare else self.answer(data)
                except WireError as error:
                    raise _EndError(f"the request does not parse: {_short(str(error))}") from None
                await self.write(reply)
                if reply.close:
                    raise _EndError("the broker closes it")
                # Nothing above waits where requests stand in line and their answers are read.
                await asyncio.sleep(0)
        except _EndError as end:
            return str(end)
        except OSError as error:
            return f"the connection broke: {error.strerror or error}"

    async def read(self) -> bytes:
        """The next frame without its length. Raises _EndError, OSError."""
        limit = self.setup.limits
        size = -1
        try:
            async with asyncio.timeout(limit.idle):
                head = await self.reader.readexactly(4)
                size = int.from_bytes(head, "big", signed=True)
                if not 0 <= size <= limit.frame:
                    raise _EndError(_wrong_size(head, size, limit.frame))
                return await self.reader.readexactly(size)
        except asyncio.IncompleteReadError as cut:
            between = size < 0 and not cut.partial
            raise _EndError(
                f"the client closed it{'' if between else ' in the middle of a request'}"
            ) from None
        except TimeoutError:
            raise _EndError(f"no whole request within {limit.idle:g} s") from None

    async def write(self, reply: Reply) -> None:
        """Send an answer and wait until it is read. Raises _EndError, OSError."""
        limit = self.setup.limits
        size = sum(map(len, reply.pieces))
        if self.broker.unread + size > limit.output:
            raise _EndError(f"{self.broker.unread:,} bytes of answers wait for readers that do not read")
        self.broker.unread += size
        try:
            async with asyncio.timeout(limit.idle):
                for place, piece in enumerate(reply.pieces):
                    if place:
                        await asyncio.sleep(_BETWEEN_PIECES)
                    self.writer.write(piece)
                    await self.writer.drain()
        except TimeoutError:
            raise _EndError(f"the client did not read the answer within {limit.idle:g} s") from None
        finally:
            self.broker.unread -= size

    def answer(self, data: bytes) -> Reply:
        """The answer to a request, which is told to the log. Raises _EndError, WireError."""
        if len(data) < _HEADER:
            raise _EndError(f"a request of {len(data)} bytes: its header alone has {_HEADER} or more")
        key, version = (int.from_bytes(data[at : at + 2], "big", signed=True) for at in (0, 2))
        correlation = int.from_bytes(data[4:8], "big", signed=True)
        told: dict[str, Json] = {
            "connection": self.number,
            "key": key,
            "api": api_names().get(key),
            "version": version,
            "correlation_id": correlation,
            "client_id": _client_id(data, key, version),
        }
        try:
            reply = self.reply(key, version, correlation, data, told)
        except WireError:
            self.broker.tell("request", **told, answer="closed: it does not parse")
            raise
        said = f"closed{': ' if reply.said else ''}{reply.said}" if reply.close else reply.said
        self.broker.tell("request", **told, answer=said)
        return reply

    def reply(self, key: int, version: int, correlation: int, data: bytes, told: dict[str, Json]) -> Reply:
        served = self.plan.served.get(key, Versions.NONE)
        if not self.welcome and key not in BEFORE_LOGIN:
            return Reply((), "SASL comes first", close=True)
        if self.bare or (self.login is not None and not self.welcome and key != AUTHENTICATE):
            return Reply((), "in the middle of SASL", close=True)
        if key == API_VERSIONS and served:
            return self.api_versions(version, correlation, data, told)
        if version not in served:
            if key not in self.plan.listed and self.plan.silent:
                return Reply((), "nothing: the release does not know this API")
            return Reply((), f"the release serves {served or 'none'}", close=True)
        if key == METADATA and self.broker.mode.metadata:
            return (
                Reply((), "on purpose", close=True)
                if self.broker.mode.metadata == "close"
                else Reply((), "nothing")
            )
        answers = {METADATA: self.metadata, HANDSHAKE: self.handshake, AUTHENTICATE: self.authenticate}
        if key not in answers:
            return Reply((), "the release serves it, this mock broker does not", close=True)
        name = f"{_NAMES[key]}Request"
        value, close = answers[key](_body(name, version, data, told), version, told)
        return _response(_NAMES[key], version, correlation, value, _error(value), close)

    def api_versions(self, version: int, correlation: int, data: bytes, told: dict[str, Json]) -> Reply:
        """Never fails for a version that is not served, whose request is not even parsed (KIP-511)."""
        error = 0
        if version not in self.plan.served[API_VERSIONS]:
            # The header alone must be sound; that of a version to come is as that of the newest.
            codec(header_layout("request", 2 if version >= 3 else 1)).decode_from(data)
            error = UNSUPPORTED_VERSION
        else:
            value = _body("ApiVersionsRequest", version, data, told)
            if version >= 3:
                software = [str(value[f"ClientSoftware{part}"]) for part in ("Name", "Version")]
                told["software"] = [_short(text) for text in software]
                if not all(map(_SOFTWARE.fullmatch, software)):
                    error = INVALID_REQUEST
        return self.broker.mode.answer(Asked(self.plan, version, correlation, error))

    def metadata(self, value: Mapping[str, Any], version: int, told: dict[str, Json]) -> tuple[Json, bool]:
        topics = self.setup.topics
        wanted = value["Topics"]
        # Version 0 has no null: there an empty list asks for all.
        if wanted is None or (version == 0 and not wanted):
            found = [self.topic(name, partitions) for name, partitions in topics.items()]
        else:
            # One that is asked for a thousand times is told once: it may have thousands of partitions.
            each = {(topic["Name"], topic.get("TopicId")): topic for topic in wanted}.values()
            found = [
                self.topic(topic["Name"], topics[topic["Name"]])
                if topic["Name"] in topics
                else {"ErrorCode": UNKNOWN_TOPIC, **topic}
                for topic in each
            ]
            told["topics"] = [_short(str(topic["Name"])) for topic in wanted[:10]]
        nodes = [
            {"NodeId": number, "Host": self.setup.advertise or host, "Port": port}
            for number, (host, port) in enumerate(self.broker.nodes, 1)
        ]
        answer: dict[str, Any] = {"Brokers": nodes, "ClusterId": CLUSTER, "ControllerId": 1, "Topics": found}
        return answer, False

    def topic(self, name: str, partitions: int) -> dict[str, Json]:
        nodes = len(self.broker.nodes)
        made: list[Json] = []
        for number in range(partitions):
            leader = number % nodes + 1
            made.append(
                {"PartitionIndex": number, "LeaderId": leader, "ReplicaNodes": [leader], "IsrNodes": [leader]}
            )
        return {"Name": name, "Partitions": made}

    def handshake(self, value: Mapping[str, Any], version: int, told: dict[str, Json]) -> tuple[Json, bool]:
        mechanism = value["Mechanism"]
        told["mechanism"] = _short(mechanism)
        error = 0 if mechanism in self.setup.mechanisms else UNSUPPORTED_MECHANISM
        if self.welcome:
            error = ILLEGAL_SASL_STATE
        if not error:
            self.login = Login(mechanism, self.setup.users)
            self.bare = version == 0
        return {"ErrorCode": error, "Mechanisms": list(self.setup.mechanisms)}, bool(
            error
        ) and not self.welcome

    def authenticate(
        self, value: Mapping[str, Any], version: int, told: dict[str, Json]
    ) -> tuple[Json, bool]:
        if self.welcome or self.login is None:
            words = "SaslAuthenticate comes after SaslHandshake, and once"
            return {"ErrorCode": ILLEGAL_SASL_STATE, "ErrorMessage": words}, not self.welcome
        told["mechanism"] = self.login.mechanism
        try:
            answer = self.login.token(bytes.fromhex(value["AuthBytes"]))
        except ScramError as error:
            words = f"Authentication failed: {error}"
            return {"ErrorCode": AUTHENTICATION_FAILED, "ErrorMessage": words}, True
        self.admit(told)
        return {"AuthBytes": answer.hex()}, False

    def token(self, data: bytes) -> Reply:
        """The answer to a token without a header, as after SaslHandshake 0. Raises _EndError."""
        assert self.login is not None
        told: dict[str, Json] = {"connection": self.number, "mechanism": self.login.mechanism}
        try:
            answer = self.login.token(data)
        except ScramError as error:
            self.broker.tell("token", **told, answer=f"closed: {_short(str(error))}")
            raise _EndError("authentication failed") from None
        self.admit(told)
        self.bare = not self.welcome
        self.broker.tell("token", **told, answer="a token")
        return Reply((len(answer).to_bytes(4, "big") + answer,), "a token")

    def admit(self, told: dict[str, Json]) -> None:
        """Let the client in if its last token has proved who it is."""
        assert self.login is not None
        if self.login.user:
            self.welcome = True
            told["user"] = _short(self.login.user)


def _response(api: str, version: int, correlation: int, value: Json, said: str, close: bool) -> Reply:
    """The answer by its layout; the mock broker's own values always fit."""
    assert isinstance(value, dict)
    made = own_layout(f"{api}Response", version)
    tags = b"\0" if made.header_version else b""
    return Reply((framed(correlation, tags + codec(made).encode(value)),), said, close)


def _body(name: str, version: int, data: bytes, told: dict[str, Json]) -> dict[str, Any]:
    """The body of a request. Raises WireError, but not for bytes after its end, which no broker minds."""
    made = own_layout(name, version)
    assert made.header_version is not None
    _, start = codec(header_layout("request", made.header_version)).decode_from(data)
    value, end = codec(made).decode_from(data, start)
    if end < len(data):
        told["left_over"] = data[end : end + _SHOWN].hex()
    return value


def _client_id(data: bytes, key: int, version: int) -> str | None:
    """The name that a client gives itself; headers 1 and 2 have it at the same place and in the same form."""
    if key == 7 and version == 0:
        return None  # ControlledShutdown 0 has header 0, which ends before it
    size = int.from_bytes(data[8:10], "big", signed=True) if len(data) >= 10 else -1
    return _short(data[10 : 10 + size].decode("utf-8", "replace")) if size >= 0 else None


def _error(value: Json) -> str:
    assert isinstance(value, dict)
    return f"error {value['ErrorCode']}" if value.get("ErrorCode") else "answered"


def _wrong_size(head: bytes, size: int, limit: int) -> str:
    """Why a frame is not read, with a guess at who sends such."""
    if head[0] == 0x16 and head[1] == 3:
        return "the client speaks TLS, and this port does not"
    if head in (b"GET ", b"POST", b"HEAD", b"PUT "):
        return "the client speaks HTTP"
    return f"a frame of {size:,} bytes is announced; up to {limit:,} are read"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


@contextlib.asynccontextmanager
async def running(setup: Setup, log: Log, **where: Any) -> AsyncIterator[MockBroker]:
    """A mock broker for the time of a block."""
    broker = MockBroker(setup, log)
    await broker.start(**where)
    try:
        yield broker
    finally:
        await broker.close()
