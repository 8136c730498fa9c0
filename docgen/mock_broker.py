"""A broker as far as KIP-35 goes: ApiVersions, Metadata and SASL, of any release, with faults on demand."""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docgen.own import own_layout, own_message
from docgen.scram import HASHES, Credentials, ScramError, ScramServer
from specs.brokers import Broker, api_names, order_of
from specs.model import Json
from specs.problems import InputError
from specs.versions import Versions
from specs.wire import WireError, codec, header_layout

METADATA, HANDSHAKE, API_VERSIONS, AUTHENTICATE = 3, 17, 18, 36
UNKNOWN_TOPIC, UNSUPPORTED_MECHANISM, ILLEGAL_STATE, UNSUPPORTED_VERSION, INVALID_REQUEST, FAILED = (
    3,
    33,
    34,
    35,
    42,
    58,
)
CLUSTER = "wirebook-mock-cluster"
NODE = 1
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")  # KIP-511
_LISTS_ITSELF = (2, 4)  # from here on error 35 comes with the range of ApiVersions (KIP-511)
_HEAD = struct.Struct(">hhi")
_SHOWN = 200  # characters of a client's text in the log

Log = Callable[[dict[str, Json]], None]


@dataclass(frozen=True)
class Limits:
    """What one mock broker bears: connections at once, bytes of a request, seconds of silence."""

    connections: int = 1_000
    frame: int = 65_536
    idle: float = 60.0


@dataclass(frozen=True)
class Setup:
    """What the mock broker is: its ranges by API key, its fault, its users by name with their passwords."""

    ranges: Mapping[int, Versions]
    release: str
    mode: str = "normal"
    mechanisms: Sequence[str] = ()
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    advertised: tuple[str, int] | None = None
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, broker: Broker, mode: str = "normal", **more: Any) -> Setup:
        """The setup of a release. Of ApiVersions and Metadata it lists no version that the book has not."""
        ranges = dict(broker.listed() or broker.versions)
        for key, name in ((API_VERSIONS, "ApiVersions"), (METADATA, "Metadata")):
            if key in ranges:
                ranges[key] = ranges[key] & own_message(f"{name}Request").valid_versions
        match mode:
            case "max-0" | "max-0-empty-list" | "error-same-version":
                ranges[API_VERSIONS] = Versions(0, 0)
            case "max-2":
                ranges[API_VERSIONS] = Versions(0, 2)
            case "metadata-too-new":
                ranges[METADATA] = Versions(50, 60)
            case "metadata-missing":
                ranges.pop(METADATA, None)
            case "metadata-0-only":
                ranges[METADATA] = Versions(0, 0)
        return cls(ranges, broker.release, mode, **more)


class MockBroker:
    """Listens until it is closed; what is asked, and what becomes of it, goes to `log`."""

    def __init__(self, setup: Setup, log: Log, tls: ssl.SSLContext | None = None) -> None:
        self.setup = setup
        self.log = log
        self.tls = tls
        self.address = ("", 0)
        self.connections = 0
        self._opened = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._credentials = {
            mechanism: {name: Credentials.of(mechanism, word) for name, word in setup.users.items()}
            for mechanism in setup.mechanisms
            if mechanism in HASHES
        }

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> tuple[str, int]:
        """Begin to listen; returns where. Raises InputError where that cannot be."""
        try:
            self._server = await asyncio.start_server(
                self._accept, host, port, ssl=self.tls, limit=self.setup.limits.frame, backlog=512
            )
        except OSError as error:
            raise InputError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self.address = self._server.sockets[0].getsockname()[:2]
        return self.address

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def credentials(self, mechanism: str) -> Mapping[str, Credentials]:
        """What it keeps of the passwords of its users."""
        return self._credentials.get(mechanism, {})

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._opened += 1
        number = self._opened
        if self.connections >= self.setup.limits.connections:
            self.log({"event": "closed", "connection": number, "why": "too many connections"})
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        connection = _Connection(self, number, reader, writer)
        why = "the broker stops"
        try:
            why = await connection.serve()
        except (OSError, asyncio.IncompleteReadError):
            why = "the client closed"
        except TimeoutError:
            why = "idle for too long"
        except asyncio.CancelledError:
            pass
        finally:
            self.connections -= 1
            self._tasks.discard(task)
            self.log({"event": "closed", "connection": number, "why": why})
            writer.transport.abort() if connection.stuck else writer.close()


class _Connection:
    """One connection: requests in, answers out, each after the one before."""

    def __init__(
        self, broker: MockBroker, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.broker = broker
        self.setup = broker.setup
        self.number = number
        self.reader = reader
        self.writer = writer
        self.known = not self.setup.mechanisms
        self.mechanism = ""
        self.raw = False  # after SaslHandshake 0 tokens come without any header
        self.scram: ScramServer | None = None
        self.stuck = False

    async def serve(self) -> str:
        """Answer until something ends it; returns why. Raises OSError, TimeoutError, IncompleteReadError."""
        idle = self.setup.limits.idle
        while True:
            async with asyncio.timeout(idle):
                (size,) = struct.unpack(">i", await self.reader.readexactly(4))
                lowest = 0 if self.raw else _HEAD.size
                if not lowest <= size <= self.setup.limits.frame:
                    return f"a frame of {size} bytes; {lowest} to {self.setup.limits.frame} are taken"
                data = await self.reader.readexactly(size)
            try:
                answer, why = self.token(data) if self.raw else self.answer(data)
            except WireError as error:
                answer, why = None, f"the request cannot be read ({str(error)[:_SHOWN]})"
            if answer is not None:
                self.writer.write(answer)
                self.stuck = True
                async with asyncio.timeout(idle):
                    await self.writer.drain()
                self.stuck = False
            if why:
                return why

    def note(self, key: int, version: int, correlation: int, told: str, **more: Json) -> None:
        name = api_names().get(key)
        self.broker.log(
            {
                "event": "request",
                "connection": self.number,
                "api": name,
                "api_key": key,
                "version": version,
                "correlation_id": correlation,
                **more,
                "answer": told,
            }
        )

    def answer(self, data: bytes) -> tuple[bytes | None, str]:
        """The answer to a request, framed, and why the connection ends then ("" where it goes on)."""
        key, version, correlation = _HEAD.unpack_from(data)
        if key == API_VERSIONS and key in self.setup.ranges:
            return self.api_versions(data, version, correlation)
        supported = self.setup.ranges.get(key)
        if supported is None or version not in supported:
            if key == API_VERSIONS and API_VERSIONS not in self.setup.ranges:
                # 0.9.0 neither answers nor closes: the error is thrown outside of what handles it.
                self.note(key, version, correlation, "nothing: this release does not know it")
                return None, ""
            self.note(key, version, correlation, "closed: not supported")
            return None, f"API key {key} version {version} is not supported"
        if not self.known and key not in (HANDSHAKE, AUTHENTICATE):
            self.note(key, version, correlation, "closed: not authenticated")
            return None, "not authenticated"
        if key == METADATA:
            return self.metadata(data, version, correlation)
        if key == HANDSHAKE:
            return self.handshake(data, version, correlation)
        if key == AUTHENTICATE:
            return self.authenticate(data, version, correlation)
        self.note(key, version, correlation, "closed: this mock answers ApiVersions, Metadata and SASL alone")
        return None, f"API key {key} is beyond this mock"

    def api_versions(self, data: bytes, version: int, correlation: int) -> tuple[bytes | None, str]:
        mode = self.setup.mode
        supported = self.setup.ranges[API_VERSIONS]
        told: dict[str, Json] = {}
        error = 0 if version in supported else UNSUPPORTED_VERSION
        if not error:
            header, value = _read("ApiVersionsRequest", version, data)
            told = {"client_id": _short(header.get("ClientId"))}
            if version >= 3:
                software = [str(value["ClientSoftwareName"]), str(value["ClientSoftwareVersion"])]
                told["software"] = [_short(text) for text in software]
                if not all(_SOFTWARE.fullmatch(text) for text in software):
                    error = INVALID_REQUEST
        answered = version
        listed = self.setup.ranges
        if error == UNSUPPORTED_VERSION:
            answered = version if mode == "error-same-version" else 0
            itself = order_of(self.setup.release) >= _LISTS_ITSELF and mode != "max-0-empty-list"
            listed = {API_VERSIONS: supported} if itself else {}
            answered = min(answered, own_message("ApiVersionsResponse").valid_versions.highest)
        elif error:
            listed = {}
        keys: list[Json] = [
            {"ApiKey": key, "MinVersion": item.lowest, "MaxVersion": item.highest}
            for key, item in sorted(listed.items())
        ]
        body = encoded("ApiVersionsResponse", answered, {"ErrorCode": error, "ApiKeys": keys})
        if mode == "normal":
            self.note(API_VERSIONS, version, correlation, f"error {error} in version {answered}", **told)
            return _framed(struct.pack(">i", correlation) + body), ""
        wrong, words, why = _faulty(mode, version, correlation, body)
        self.note(API_VERSIONS, version, correlation, words or f"error {error} in version {answered}", **told)
        return wrong, why

    def metadata(self, data: bytes, version: int, correlation: int) -> tuple[bytes | None, str]:
        header, value = _read("MetadataRequest", version, data)
        host, port = self.setup.advertised or self.broker.address
        wanted = value.get("Topics")
        topics: list[Json] = []
        for topic in wanted if isinstance(wanted, list) else ():
            assert isinstance(topic, dict)
            unknown = {key: topic[key] for key in ("Name", "TopicId") if key in topic}
            topics.append({"ErrorCode": UNKNOWN_TOPIC, **unknown})
        made = encoded(
            "MetadataResponse",
            version,
            {
                "Brokers": [{"NodeId": NODE, "Host": host, "Port": port}],
                "ClusterId": CLUSTER,
                "ControllerId": NODE,
                "Topics": topics,
            },
        )
        self.note(METADATA, version, correlation, "answered", client_id=_short(header.get("ClientId")))
        return _response("MetadataResponse", version, correlation, made), ""

    def handshake(self, data: bytes, version: int, correlation: int) -> tuple[bytes | None, str]:
        _, value = _read("SaslHandshakeRequest", version, data)
        mechanism = str(value["Mechanism"])
        error = 0 if mechanism in self.setup.mechanisms else UNSUPPORTED_MECHANISM
        if not self.setup.mechanisms:
            error = ILLEGAL_STATE
        value = {"ErrorCode": error, "Mechanisms": list(self.setup.mechanisms)}
        made = encoded("SaslHandshakeResponse", version, value)
        self.note(HANDSHAKE, version, correlation, f"error {error}", mechanism=_short(mechanism))
        if not error:
            self.mechanism = mechanism
            self.raw = version == 0
            self.scram = None
            if mechanism in HASHES:
                self.scram = ScramServer(mechanism, self.broker.credentials(mechanism).get)
        why = "the SASL handshake failed" if error else ""
        return _response("SaslHandshakeResponse", version, correlation, made), why

    def authenticate(self, data: bytes, version: int, correlation: int) -> tuple[bytes | None, str]:
        _, value = _read("SaslAuthenticateRequest", version, data)
        if not self.mechanism:
            self.note(AUTHENTICATE, version, correlation, f"error {ILLEGAL_STATE}")
            made = encoded("SaslAuthenticateResponse", version, {"ErrorCode": ILLEGAL_STATE})
            return _response("SaslAuthenticateResponse", version, correlation, made), "SASL out of order"
        why = ""
        try:
            back = self.check(bytes.fromhex(str(value["AuthBytes"])))
            told: dict[str, Json] = {"AuthBytes": back.hex()}
        except ScramError as error:
            told = {"ErrorCode": FAILED, "ErrorMessage": f"Authentication failed: {error}"}
            why = "authentication failed"
        state = why or ("authenticated" if self.known else "a challenge")
        self.note(AUTHENTICATE, version, correlation, state, mechanism=self.mechanism)
        made = encoded("SaslAuthenticateResponse", version, told)
        return _response("SaslAuthenticateResponse", version, correlation, made), why

    def token(self, data: bytes) -> tuple[bytes | None, str]:
        """A bare token, as SaslHandshake 0 has them. Who does not know the password is just cut off."""
        try:
            back = self.check(data)
        except ScramError:
            return None, "authentication failed"
        self.raw = not self.known
        return _framed(back), ""

    def check(self, token: bytes) -> bytes:
        """The answer to a token; `known` says whether that was the last. Raises ScramError."""
        if self.scram is None:
            parts = token.split(b"\0")
            texts = [part.decode("utf-8", "replace") for part in parts]
            if len(texts) != 3 or not _same(self.setup.users.get(texts[1]), texts[2]):
                raise ScramError("the name or the password is wrong")
            self.known = True
            return b""
        if token.startswith((b"n,", b"y,", b"p=")):
            return self.scram.first(token)
        back = self.scram.final(token)
        self.known = True
        return back


def _same(known: str | None, given: str) -> bool:
    import hmac

    return hmac.compare_digest((known or "\0").encode(), given.encode("utf-8", "replace"))


def _faulty(mode: str, version: int, correlation: int, body: bytes) -> tuple[bytes | None, str, str]:
    """The answer of a fault to ApiVersions, how the log tells of it, and why the connection ends."""
    head = struct.pack(">i", correlation)
    match mode:
        case "response-header-1" if version >= 3:
            return _framed(head + b"\0" + body), "with response header 1", ""
        case "correlation-only":
            return _framed(head), "the correlation id alone", ""
        case "empty-frame":
            return _framed(b""), "an empty frame", ""
        case "close":
            return None, "closed", "closed on purpose"
        case "silent":
            return None, "nothing", ""
        case "garbage":
            return _framed(head + b"\x7f" * 32), "garbage", ""
        case "half-frame":
            whole = _framed(head + body)
            return whole[: len(whole) // 2], "half an answer", ""
        case "wrong-correlation":
            return _framed(struct.pack(">i", correlation ^ 0x5A5A) + body), "another correlation id", ""
    return _framed(head + body), "", ""


def encoded(name: str, version: int, value: Mapping[str, Json]) -> bytes:
    """The bytes of a message of the book."""
    return codec(own_layout(name, version)).encode(value)


def _read(name: str, version: int, data: bytes) -> tuple[dict[str, Json], dict[str, Json]]:
    """The header and the body of a request. Raises WireError."""
    shape = own_layout(name, version)
    assert shape.header_version is not None
    header, start = codec(header_layout("request", shape.header_version)).decode_from(data)
    value, end = codec(shape).decode_from(data, start)
    if end != len(data):
        raise WireError(f"{len(data) - end} bytes are left over", end)
    return header, value


def _response(name: str, version: int, correlation: int, body: bytes) -> bytes:
    number = own_layout(name, version).header_version
    assert number is not None
    return _framed(codec(header_layout("response", number)).encode({"CorrelationId": correlation}) + body)


def _framed(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def _short(value: Json) -> Json:
    return value[:_SHOWN] if isinstance(value, str) else value


@contextlib.asynccontextmanager
async def running(setup: Setup, log: Log, tls: ssl.SSLContext | None = None, **where: Any) -> Any:
    """A mock broker for the time of a block."""
    broker = MockBroker(setup, log, tls)
    await broker.start(**where)
    try:
        yield broker
    finally:
        await broker.close()
