"""Where a broker listens, and a TCP connection to it in a bounded time, with a name for every failure."""

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
    """Where a broker listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """HOST:PORT, an IPv6 address in brackets. Raises InputError."""
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
        """The seconds that are left; never below 0."""
        return max(0.0, self._end - time.monotonic())

    def part(self, share: float) -> Deadline:
        """A deadline after a share of the remaining time."""
        return Deadline(self.left * share)

    def __str__(self) -> str:
        return f"{self.seconds:g} s"


def connect(address: Address, deadline: Deadline) -> socket.socket:
    """A TCP connection to one of the addresses that the name has. Raises ProbeError."""
    found = _resolve(address, deadline)
    problem: OSError | None = None
    for place, (family, kind, protocol, _, target) in enumerate(found):
        wait = deadline.left / (len(found) - place)
        made = socket.socket(family, kind, protocol)
        try:
            made.settimeout(max(wait, 0.001))
            made.connect(target)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        except OSError as error:
            made.close()
            # What a later address says hides no refusal: that one proves that the machine is there.
            problem = problem if isinstance(problem, ConnectionRefusedError) else error
        except BaseException:
            made.close()
            raise
    if isinstance(problem, ConnectionRefusedError):
        raise ProbeError("refused", "the connection is refused: nothing listens on this port")
    if problem is None or isinstance(problem, TimeoutError):
        raise ProbeError(
            "timeout", f"no connection within {deadline}: the host is down, or packets are dropped"
        )
    raise ProbeError("unreachable", f"no connection: {problem.strerror or problem}")


def _resolve(address: Address, deadline: Deadline) -> list[Any]:
    """The addresses of a name. The resolver knows no time limit, so it has a thread to hang in."""
    found: list[Any] = []
    problems: list[Exception] = []

    def look() -> None:
        try:
            found.extend(socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            problems.append(error)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(deadline.left)
    if problems:
        reason = getattr(problems[0], "strerror", None) or "this is not a host name"
        raise ProbeError("unresolved", f"the name {address.host} has no address: {reason}")
    if not found:
        raise ProbeError("unresolved", f"the name {address.host} was not resolved within {deadline}")
    return found
