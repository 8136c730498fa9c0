"""The exchange of requests and responses with one broker, within a time limit."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirebook.live.probe.address import Address, Deadline, ProbeError
from wirebook.live.probe.answer import Answer, ProbeStep
from wirebook.live.probe.connection import Connection
from wirebook.live.probe.messages import BODY, KEYS, decoded, newest_version, request
from wirebook.specs.limits import MAX_NOTES, PROBE_SECONDS
from wirebook.specs.model import Json
from wirebook.specs.versions import Versions
from wirebook.specs.wire.codec import WireError


@dataclass(frozen=True)
class Login:
    """A user, password and SASL mechanism."""

    mechanism: str
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Settings:
    """How to query brokers: the seconds for each of them, and TLS and SASL unless these are None.

    Without TLS, a password is sent in plain text (PLAIN) only with `allow_plaintext`.
    """

    timeout: float = PROBE_SECONDS
    tls: ssl.SSLContext | None = None
    login: Login | None = None
    allow_plaintext: bool = False


class ProbeSession:
    """The exchange with one broker, and the answer so far."""

    def __init__(self, address: Address, settings: Settings) -> None:
        self.address = address
        self.settings = settings
        self.deadline = Deadline(settings.timeout)
        self.answer = Answer(address)
        self.correlation = 0
        self._open: Connection | None = None

    def connection(self) -> Connection:
        if self._open is None:
            self._open = Connection(self.address, self.deadline, self.settings.tls)
            self.answer.tls = self._open.tls
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def note(self, text: str) -> None:
        if text not in self.answer.notes and len(self.answer.notes) < MAX_NOTES:
            self.answer.notes.append(text)

    def send(self, api: str, version: int, value: Mapping[str, Json]) -> bytes:
        """Send a request and return the header and body of its answer, whose correlation ID was checked.

        Every request and its outcome are recorded in the conversation. Raises ProbeError.
        """
        self.correlation += 1
        step = ProbeStep(api, version)
        self.answer.conversation.append(step)
        try:
            data = self.connection().exchange(request(api, version, value, self.correlation))
            if len(data) < BODY:
                raise ProbeError("empty", f"the answer to {api} {version} is a frame of {len(data)} bytes")
            number = int.from_bytes(data[:BODY], "big", signed=True)
            if number != self.correlation:
                raise ProbeError(
                    "garbage",
                    f"the answer to {api} {version} has the correlation ID {number}, not {self.correlation}",
                )
            if len(data) == BODY:
                raise ProbeError("empty", f"the answer to {api} {version} is empty: only a correlation ID")
        except ProbeError as failure:
            step.outcome = failure.message
            self.close()
            raise
        step.outcome = f"{len(data)} bytes"
        return data

    def outcome(self, text: str) -> None:
        self.answer.conversation[-1].outcome = text

    def call(self, api: str, version: int, value: Mapping[str, Json]) -> Mapping[str, Any]:
        """Send a request and read the answer. Raises ProbeError."""
        body = self.body(api, version, self.send(api, version, value))
        self.outcome("answered")
        return body

    def body(self, api: str, version: int, data: bytes) -> Mapping[str, Any]:
        """Read the body of an answer, which may be longer than its layout. Raises ProbeError."""
        body = decoded(api, version, data)
        if isinstance(body, WireError):
            longer = decoded(api, version, data, strict=False)
            if isinstance(longer, WireError):
                self.outcome("an answer that does not parse")
                self.close()
                raise ProbeError("garbage", f"the answer to {api} {version} does not parse: {body}")
            self.note(f"its answer to {api} {version} is longer than its layout: {body}")
            return longer
        return body

    def usable(self, api: str) -> int | None:
        """The highest version of an API that the broker lists and that is stable in the embedded specs."""
        both = self.answer.versions.get(KEYS[api], Versions.NONE) & Versions(0, newest_version(api))
        return both.highest if both else None
