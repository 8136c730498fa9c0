"""Queries live brokers for their versions (KIP-35, KIP-511), with TLS and SASL."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from wirebook.peers.messages import (
    CORRELATION,
    KEYS,
    UNSUPPORTED_VERSION,
    api_versions_request,
    decoded,
    named_error,
    newest_version,
    request,
)
from wirebook.peers.scram import ScramError, authenticate
from wirebook.peers.tls import described
from wirebook.specs.codec import number_at
from wirebook.specs.limits import MAX_FRAME, PROBE_SECONDS
from wirebook.specs.model import MessageValue
from wirebook.specs.problems import InputError
from wirebook.specs.spans import WireError
from wirebook.specs.versions import MAX_VERSION, Versions

_ADDRESS = re.compile(
    r"(?:\[(?P<ip>[^\s/@,\[\]]+)\]|(?P<name>[^\s/@,\[\]:]+)):(?P<port>[0-9]{1,5})"
)
_UNSUPPORTED_MECHANISM = 33


class ProbeError(Exception):
    """Why a probe failed, in a sentence that may quote the broker: escape it before printing."""


class ClosedError(ProbeError):
    """The broker closes the connection instead of answering."""


@dataclass(frozen=True, slots=True)
class Address:
    """The host and port of a broker."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse HOST:PORT, with an IPv6 address in brackets. Raises InputError."""
        match = _ADDRESS.fullmatch(text.strip())
        if match is None or not 0 < int(match["port"]) < 65_536:
            raise InputError(
                f'"{text[:100]}" is not HOST:PORT (an IPv6 address needs brackets: [::1]:9092)'
            )
        return cls(match["ip"] or match["name"], int(match["port"]))


@dataclass(frozen=True)
class Login:
    """A user, password and SASL mechanism."""

    mechanism: str
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Access:
    """How to reach brokers: seconds for each connection and answer; TLS and SASL, if any."""

    seconds: float = PROBE_SECONDS
    tls: ssl.SSLContext | None = None
    login: Login | None = None


@dataclass
class Answer:
    """The result for one broker; its strings come from the broker: escape them before printing.

    `name` is its address, `failure` why the probe failed, `api_versions_version` the version of
    ApiVersions that it answered, and `tls` that of TLS. The features of the cluster (KIP-584) have
    ranges.
    """

    name: str
    failure: str | None = None
    api_versions_version: int | None = None
    versions: dict[int, Versions] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tls: str | None = None
    supported_features: dict[str, str] = field(default_factory=dict)
    finalized_features: dict[str, str] = field(default_factory=dict)


def addresses(words: Iterable[str]) -> list[Address]:
    """Parse addresses like HOST:PORT,HOST:PORT, without duplicates. Raises InputError."""
    return list(dict.fromkeys(Address.parse(text) for word in words for text in word.split(",")))


def probe(brokers: Sequence[Address], access: Access) -> list[Answer]:
    """Query brokers concurrently; returns their answers in the order of the addresses."""

    async def one(address: Address) -> Answer:
        answer = Answer(str(address))
        try:
            await _probe(address, answer, access)
        except ProbeError as failure:
            answer.failure = str(failure)
        return answer

    async def every() -> list[Answer]:
        return await asyncio.gather(*map(one, brokers))

    return asyncio.run(every())


async def _probe(address: Address, answer: Answer, access: Access) -> None:
    """Query one broker, again in version 0 if it closes the connection. Raises ProbeError."""
    for version in (newest_version("ApiVersions"), 0):
        async with _connected(address, access) as connection:
            answer.tls = connection.tls
            try:
                await _read_versions(connection, answer, version)
            except ClosedError:
                continue
            if not version:
                answer.notes.append(
                    "it closes the connection where a broker answers error 35 (KIP-511)"
                )
            if access.login is not None:
                await _log_in(connection, answer, access.login)
            return
    raise ProbeError(
        "it closes the connection without an answer to ApiVersions: a broker before 0.10.0, a "
        "listener that requires TLS, SASL or a client certificate, or not a broker"
    )


@dataclass
class _Connection:
    """A connection to a supposed broker: each wait ends in time, each failure is a ProbeError."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    seconds: float
    tls: str | None
    correlation: int = 0

    async def ask(self, api: str, version: int, value: MessageValue) -> bytes:
        """Send a request and return its answer, whose correlation ID is checked."""
        self.correlation += 1
        data = request(api, version, value, self.correlation)
        try:
            async with asyncio.timeout(self.seconds):
                self.writer.write(len(data).to_bytes(4, "big") + data)
                await self.writer.drain()
                head = await self.reader.readexactly(4)
                size = number_at(head)
                if not CORRELATION < size <= MAX_FRAME:
                    raise ProbeError(_no_frame(head, size, self.tls))
                answer = await self.reader.readexactly(size)
        except TimeoutError:
            raise ProbeError(
                f"it accepts the connection and does not answer {api} {version} within "
                f"{self.seconds:g} s; brokers before 0.10.0 do not answer ApiVersions"
            ) from None
        except asyncio.IncompleteReadError as cut:
            if cut.expected == 4 and not cut.partial:
                raise ClosedError("it closes the connection without an answer") from None
            raise ProbeError(f"its answer to {api} {version} is cut off") from None
        except ssl.SSLError as error:
            raise ProbeError(described(error)) from None
        except OSError:
            raise ClosedError("it closes the connection without an answer") from None
        if answer[:CORRELATION] != self.correlation.to_bytes(CORRELATION, "big"):
            raise ProbeError(
                f"its answer to {api} {version} has another correlation ID than the request"
            )
        return answer

    async def call(self, api: str, version: int, value: MessageValue) -> Mapping[str, Any]:
        """Send a request and read the body of its answer."""
        return _body(api, version, await self.ask(api, version, value))


def _body(api: str, version: int, data: bytes) -> Mapping[str, Any]:
    try:
        return decoded(f"{api}Response", version, data)
    except WireError as error:
        raise ProbeError(f"its answer to {api} {version} does not parse: {error}") from None


def _no_frame(head: bytes, size: int, tls: str | None) -> str:
    """What a peer is that answers with something other than a frame."""
    if head == b"HTTP":
        return "an HTTP server answers here, not a broker"
    if tls is None and head[:2] == b"\x15\x03":
        return "this port uses TLS: add --tls"
    return f"it does not answer in Kafka's protocol: it announces a frame of {size:,} bytes"


@asynccontextmanager
async def _connected(address: Address, access: Access) -> AsyncIterator[_Connection]:
    try:
        async with asyncio.timeout(access.seconds):
            reader, writer = await asyncio.open_connection(
                address.host, address.port, ssl=access.tls, limit=MAX_FRAME
            )
    except ssl.SSLError as error:
        raise ProbeError(described(error)) from None
    except (OSError, UnicodeError, ValueError) as error:
        # asyncio has a timeout without words.
        why = str(error) or f"no answer within {access.seconds:g} s"
        hint = "" if access.tls is None else "; it may be a port without TLS (remove --tls)"
        raise ProbeError(f"no connection: {why}{hint}") from None
    secured = writer.get_extra_info("ssl_object")
    try:
        yield _Connection(reader, writer, access.seconds, secured and secured.version())
    finally:
        writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(1):
                await writer.wait_closed()


async def _read_versions(connection: _Connection, answer: Answer, version: int) -> None:
    """Find a version of ApiVersions that both sides support, and read the answer in it."""
    tried: set[int] = set()
    while version not in tried:
        tried.add(version)
        data = await connection.ask("ApiVersions", version, api_versions_request(version))
        if number_at(data, CORRELATION, 2) == UNSUPPORTED_VERSION:
            offered = _offered(answer, version, data)
            version = 0 if offered in tried else offered
            continue
        body = _body("ApiVersions", version, data)
        if not body["ErrorCode"]:
            _record(answer, version, body)
            return
        answer.notes.append(
            f"it answers ApiVersions {version} with {named_error(body['ErrorCode'])}"
        )
        version = 0
    raise ProbeError("it refuses every version of ApiVersions, even 0")


def _offered(answer: Answer, version: int, data: bytes) -> int:
    """The version to try after error 35, whose answer has the layout of version 0 (KIP-511)."""
    try:
        apis = decoded("ApiVersionsResponse", 0, data)["ApiKeys"]
    except WireError:
        answer.notes.append(
            f"its error 35 to ApiVersions {version} does not have the layout of version 0, "
            f"which KIP-511 requires: {data[:40].hex()}"
        )
        return 0
    newest = newest_version("ApiVersions")
    for api in apis:
        lowest, highest = int(api["MinVersion"]), int(api["MaxVersion"])
        if api["ApiKey"] == KEYS["ApiVersions"] and 0 <= lowest <= highest:
            if lowest > newest:
                raise ProbeError(
                    f"it supports only ApiVersions {lowest}-{highest}, "
                    f"and the newest known one is {newest}"
                )
            return min(highest, newest)
    return 0


def _record(answer: Answer, version: int, body: Mapping[str, Any]) -> None:
    """Record the answer, without impossible entries."""
    answer.api_versions_version = version
    for api in body["ApiKeys"]:
        key, lowest, highest = api["ApiKey"], api["MinVersion"], api["MaxVersion"]
        if key >= 0 and 0 <= lowest <= highest <= MAX_VERSION:
            answer.versions.setdefault(key, Versions(lowest, highest))
    if not answer.versions:
        raise ProbeError("it answers ApiVersions without naming any API")
    ignored = len(body["ApiKeys"]) - len(answer.versions)
    if ignored:
        answer.notes.append(
            f"{ignored} ranges that it lists are impossible, or of an API that it repeats"
        )
    for each in body.get("SupportedFeatures") or ():
        answer.supported_features[each["Name"]] = f"{each['MinVersion']}-{each['MaxVersion']}"
    for each in body.get("FinalizedFeatures") or ():
        levels = f"{each['MinVersionLevel']}-{each['MaxVersionLevel']}"
        answer.finalized_features[each["Name"]] = levels


async def _log_in(connection: _Connection, answer: Answer, login: Login) -> None:
    """Authenticate on the connection."""
    served = answer.versions.get(KEYS["SaslHandshake"], Versions.NONE)
    tokens = answer.versions.get(KEYS["SaslAuthenticate"], Versions.NONE)
    tokens &= Versions(0, newest_version("SaslAuthenticate"))
    if 1 not in served or not tokens:
        raise ProbeError(
            "this listener has no SASL, or only that of brokers before 1.0: "
            f"it lists SaslHandshake {served} and SaslAuthenticate {tokens}"
        )
    try:
        body = await connection.call("SaslHandshake", 1, {"Mechanism": login.mechanism})
        if body["ErrorCode"] == _UNSUPPORTED_MECHANISM:
            others = ", ".join(body["Mechanisms"]) or "names no other mechanism"
            raise ProbeError(f"it does not support {login.mechanism}, but {others}")
        if body["ErrorCode"]:
            raise ProbeError(f"it answers SaslHandshake with {named_error(body['ErrorCode'])}")
        await _exchange(connection, login, tokens.highest)
    except ScramError as error:
        raise ProbeError(f"SCRAM fails: {error}") from None
    except ClosedError:
        raise ProbeError(
            "it closes the connection during authentication: it does not support "
            f"{login.mechanism}, or the user or the password is wrong"
        ) from None


async def _exchange(connection: _Connection, login: Login, version: int) -> None:
    """Exchange the tokens of the mechanism. Raises ProbeError, ScramError."""

    async def answer_to(token: bytes) -> bytes:
        body = await connection.call("SaslAuthenticate", version, {"AuthBytes": token.hex()})
        if body["ErrorCode"]:
            message = body.get("ErrorMessage")
            quoted = f': "{str(message)[:300]}"' if message else ""
            raise ProbeError(f"authentication fails with {named_error(body['ErrorCode'])}{quoted}")
        return bytes.fromhex(body["AuthBytes"])

    if login.mechanism == "PLAIN":
        await answer_to(f"\0{login.user}\0{login.password}".encode())
    else:
        await authenticate(answer_to, login.mechanism, login.user, login.password)
