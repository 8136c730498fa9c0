"""The address of a broker, and a TCP connection to it within a time limit; every failure has a code."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass
from typing import Any

from wirebook.specs.problems import InputError


class ProbeError(Exception):
    """Why a probe failed: a stable code (see live/schema/probe.json) and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


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
        host, colon, port = text.strip().rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        host = host[1:-1] if bracketed else host
        if (
            not colon
            or not host
            or (":" in host) != bracketed
            or any(c.isspace() or c in "/@,[]" for c in host)
        ):
            raise InputError(f'"{text[:100]}" is not HOST:PORT (an IPv6 address needs brackets: [::1]:9092)')
        if not (port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536):
            raise InputError(f'"{text[:100]}" has no valid port: a number from 1 to 65535')
        return cls(host, int(port))


class Deadline:
    """A point in time at which every wait of a probe ends."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The remaining seconds; never below 0."""
        return max(0.0, self._end - time.monotonic())

    def part(self, share: float) -> Deadline:
        """A deadline after a share of the remaining time."""
        return Deadline(self.left * share)

    def __str__(self) -> str:
        return f"{self.seconds:g} s"


def connect(address: Address, deadline: Deadline) -> socket.socket:
    """Open a TCP connection to one of the addresses of the name. Raises ProbeError."""
    addresses = _resolve(address, deadline)
    problem: OSError | None = None
    for place, (family, kind, protocol, _, target) in enumerate(addresses):
        wait = deadline.left / (len(addresses) - place)
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(max(wait, 0.001))
            connection.connect(target)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except OSError as error:
            connection.close()
            # A refusal is not hidden by the failure of a later address: it proves that the machine exists.
            problem = problem if isinstance(problem, ConnectionRefusedError) else error
        except BaseException:
            connection.close()
            raise
    if isinstance(problem, ConnectionRefusedError):
        raise ProbeError("refused", "the connection is refused: nothing listens on this port")
    if problem is None or isinstance(problem, TimeoutError):
        raise ProbeError(
            "timeout", f"no connection within {deadline}: the host is down, or packets are dropped"
        )
    raise ProbeError("unreachable", f"no connection: {problem.strerror or problem}")


def _resolve(address: Address, deadline: Deadline) -> list[Any]:
    """Resolve a name to addresses. The resolver has no time limit, so it runs in a thread that may hang."""
    addresses: list[Any] = []
    problems: list[Exception] = []

    def look() -> None:
        try:
            addresses.extend(socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            problems.append(error)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(deadline.left)
    if problems:
        reason = getattr(problems[0], "strerror", None) or "this is not a host name"
        raise ProbeError("unresolved", f"the name {address.host} has no address: {reason}")
    if not addresses:
        raise ProbeError("unresolved", f"the name {address.host} was not resolved within {deadline}")
    return addresses
