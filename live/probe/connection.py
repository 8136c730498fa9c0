"""A connection to something that may be a broker: frames in a bounded time, and a name for every failure."""

from __future__ import annotations

import contextlib
import errno
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from wirebook.specs.problems import InputError

_T = TypeVar("_T")

# The longest answer to ApiVersions has two kilobytes; Metadata of a huge cluster some hundred.
MAX_FRAME = 4 << 20
_HTTP_FAILURE = "an HTTP server answers here, not a broker"
# What makes an HTTP server that waits for the end of a line say so; a broker takes it for a wrong length.
_LINE_ENDS = b"\r\n\r\n"


class ProbeError(Exception):
    """Why a broker could not be asked: a stable code (see docgen/schema/probe.json) and a sentence."""

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
            raise InputError(
                f'"{text[:100]}" is no HOST:PORT (an IPv6 address stands in brackets: [::1]:9092)'
            )
        if not (port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536):
            raise InputError(f'"{text[:100]}" has no port: it is a number from 1 to 65535')
        return cls(host, int(port))


class Deadline:
    """The moment at which waiting ends, whatever for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left; never below 0."""
        return max(0.0, self._end - time.monotonic())

    def part(self, share: float) -> Deadline:
        """A deadline after a share of what is left."""
        return Deadline(self.left * share)

    def __str__(self) -> str:
        return f"{self.seconds:g} s"


class Connection:
    """One connection. Every wait ends with the deadline; every failure is a ProbeError."""

    def __init__(self, address: Address, deadline: Deadline, tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self.deadline = deadline
        self.tls: dict[str, Any] | None = None
        self._spoken_to = False
        self._socket: socket.socket = connect(address, deadline)
        if tls is not None:
            try:
                self._secure(tls)
            except BaseException:
                self._socket.close()
                raise

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it, without waiting for the other side."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def ask(self, request: bytes) -> bytes:
        """Send a request as one frame and return the frame that comes back, both without their length."""
        self._send(len(request).to_bytes(4, "big") + request)
        head = self._read(4)
        self._spoken_to = True
        size = int.from_bytes(head, "big", signed=True)
        if not 0 <= size <= MAX_FRAME:
            raise self._stranger(head, size)
        answer = self._read(size, after=4)
        if answer == request:
            raise ProbeError("garbage", "it sends back what it gets: this is an echo server")
        return answer

    def listen(self) -> None:
        """Wait a moment for what is said unasked, such as a TLS alert; that is raised as ProbeError."""
        try:
            self._socket.settimeout(max(min(self.deadline.left, 1.0), 0.001))
            self._socket.recv(1)
        except TimeoutError:
            return
        except OSError as error:
            raise self._broken(error, 0, 4) from None

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(max(self.deadline.left, 0.001))
            self._socket.sendall(data)
        except TimeoutError:
            raise ProbeError("silence", f"it took no request within {self.deadline}") from None
        except OSError as error:
            raise self._broken(error, 0, 4) from None

    def _read(self, size: int, after: int = 0) -> bytes:
        """Exactly `size` bytes; `after` is how many of the same frame came before."""
        data = bytearray()
        nudge, nudged = not self._spoken_to and self.tls is None, False
        while len(data) < size:
            left = self.deadline.left
            if left <= 0:
                raise self._late(after + len(data), after + size)
            try:
                self._socket.settimeout(max(left * 0.8 if nudge else left, 0.001))
                chunk = self._socket.recv(min(size - len(data), 65536))
            except TimeoutError:
                if nudge:
                    nudge, nudged = False, True
                    with contextlib.suppress(OSError):
                        self._socket.sendall(_LINE_ENDS)
                continue
            except OSError as error:
                if not nudged:
                    raise self._broken(error, after + len(data), after + size) from None
                chunk = b""
            if not chunk:
                # What a broker closes the connection for is then the nudge.
                ended = self._late if nudged else self._closed
                raise ended(after + len(data), after + size)
            data += chunk
        return bytes(data)

    def _late(self, got: int, wanted: int) -> ProbeError:
        if got == 0:
            return ProbeError(
                "silence",
                f"it accepts the connection and says nothing within {self.deadline}"
                + ("" if self._spoken_to else "; brokers before 0.10.0 are silent on ApiVersions"),
            )
        return _half(got, wanted, f"and then nothing within {self.deadline}")

    def _closed(self, got: int, wanted: int) -> ProbeError:
        if got == 0:
            return ProbeError("closed", "it closes the connection without an answer")
        return _half(got, wanted, "and then the end of the connection")

    def _broken(self, error: OSError, got: int, wanted: int) -> ProbeError:
        if isinstance(error, ssl.SSLError) and "CERTIFICATE_REQUIRED" in _name(error):
            return ProbeError("client-certificate", "it wants a certificate from the client (--cert)")
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return ProbeError("tls", f"TLS broke off: {_reason(error)}")
        return self._closed(got, wanted)

    def _stranger(self, head: bytes, size: int) -> ProbeError:
        """What it is that answers with something else than a frame."""
        # Some web servers answer what they cannot read with a bare page.
        if head == b"HTTP" or head.lower() in (b"<!do", b"<htm"):
            return ProbeError("http", _HTTP_FAILURE)
        if self.tls is None and head[0] == 0x15 and head[1] == 3:
            return ProbeError("tls-wanted", "this port speaks TLS: ask it with --tls")
        if all(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in head):
            return ProbeError(
                "garbage", f'it answers with text, not with Kafka\'s protocol: "{self._line(head)}"'
            )
        if size < 0:
            return ProbeError("garbage", f"it announces a frame of {size:,} bytes, which no broker does")
        return ProbeError(
            "oversize", f"it announces a frame of {size:,} bytes; {MAX_FRAME:,} are read at most"
        )

    def _line(self, head: bytes) -> str:
        """The first line of a text, as far as it comes soon."""
        data = bytearray(head)
        until = self.deadline.part(0.5)
        with contextlib.suppress(OSError):
            while len(data) < 100 and b"\n" not in data:
                self._socket.settimeout(max(min(until.left, 0.5), 0.001))
                chunk = self._socket.recv(100 - len(data))
                if not chunk:
                    break
                data += chunk
        return data.decode("ascii", "replace").splitlines()[0] if data.strip() else ""

    def _secure(self, context: ssl.SSLContext) -> None:
        """Do the handshake; where it fails, find out on a second connection what speaks here instead."""
        # Some time must remain to find out.
        handshake = self.deadline.part(0.6)
        self._socket.settimeout(max(handshake.left, 0.001))
        try:
            secured = context.wrap_socket(self._socket, server_hostname=self.address.host)
        except ssl.SSLCertVerificationError as error:
            raise ProbeError("certificate", f"its certificate is not accepted: {_distrust(error)}") from None
        except TimeoutError:
            raise self._without_tls(f"no TLS handshake within {handshake.seconds:.2g} s") from None
        except ssl.SSLError as error:
            if isinstance(error, _ENDED) or _name(error) in _NO_TLS:
                raise self._without_tls("it does not speak TLS") from None
            if error.errno == errno.ENOTCONN:
                raise self._without_tls(_CLOSED_IN_HANDSHAKE) from None
            raise ProbeError("tls", f"the TLS handshake failed: {_reason(error)}") from None
        except OSError:
            raise self._without_tls(_CLOSED_IN_HANDSHAKE) from None
        except ValueError as error:
            raise ProbeError("tls", f"the TLS handshake failed: {error}") from None
        # Of a connection that was closed before, Python makes one without a handshake, and no error.
        if secured.version() is None:
            secured.close()
            raise self._without_tls(_CLOSED_IN_HANDSHAKE)
        self._socket = secured
        cipher = secured.cipher()
        self.tls = {
            "version": secured.version(),
            "cipher": cipher[0] if cipher else None,
            "verified": context.verify_mode == ssl.CERT_REQUIRED,
        }

    def _without_tls(self, what: str) -> ProbeError:
        kind = plain_speaker(self.address, self.deadline.part(0.8))
        if kind == "http":
            return ProbeError("http", _HTTP_FAILURE)
        if kind == "kafka":
            return ProbeError("no-tls", "this port speaks Kafka's protocol without TLS: leave --tls out")
        return ProbeError("no-tls", f"{what}: it may be a port without TLS, or no broker")


_CLOSED_IN_HANDSHAKE = "it closes the connection during the TLS handshake"
# What an end of the connection in the handshake is called depends on OpenSSL and on the moment.
_ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
_NO_TLS = {
    "WRONG_VERSION_NUMBER",
    "UNEXPECTED_EOF_WHILE_READING",
    "PACKET_LENGTH_TOO_LONG",
    "UNKNOWN_PROTOCOL",
    "HTTP_REQUEST",
    "RECORD_LAYER_FAILURE",
}


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
        told = getattr(problems[0], "strerror", None) or "this is no name of a host"
        raise ProbeError("unresolved", f"the name {address.host} has no address: {told}")
    if not found:
        raise ProbeError("unresolved", f"the name {address.host} was not resolved within {deadline}")
    return found


def plain_speaker(address: Address, deadline: Deadline) -> str:
    """What answers an ApiVersions request without TLS: "kafka", "http", or "" for neither."""
    try:
        with Connection(address, deadline) as connection:
            answer = connection.ask(bytes.fromhex("0012000000000023ffff"))
            return "kafka" if answer[:4] == bytes.fromhex("00000023") else ""
    except ProbeError as failure:
        return "http" if failure.code == "http" else ""


def speaks_tls(address: Address, deadline: Deadline) -> bool:
    """Whether a TLS handshake gets an answer in TLS, be it a refusal."""
    context = trust(insecure=True)
    try:
        with connect(address, deadline) as made:
            made.settimeout(max(deadline.left, 0.001))
            with context.wrap_socket(made, server_hostname=address.host):
                return True
    except ssl.SSLError as error:
        return "ALERT" in _name(error)
    except (ProbeError, OSError, ValueError):
        return False


def trust(ca: str = "", cert: str = "", key: str = "", insecure: bool = False) -> ssl.SSLContext:
    """How TLS is spoken: with the authorities of the system or of a file, and a certificate of one's own.

    Raises InputError for files that hold no such thing.
    """
    context = read_pem(ca, "certificates", lambda: ssl.create_default_context(cafile=ca or None))
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if cert:

        def no_password() -> str:
            raise InputError(
                "the key has a password; decrypt it first, for nothing asks for it here", key or cert
            )

        read_pem(
            cert, "certificate with its key", lambda: context.load_cert_chain(cert, key or None, no_password)
        )
    return context


def read_pem(path: str, what: str, load: Callable[[], _T]) -> _T:
    """What `load` makes of a file in PEM, which holds `what`; its errors as InputError with the path."""
    try:
        return load()
    except ssl.SSLError as error:
        raise InputError(f"this holds no {what} in PEM ({_reason(error)})", path) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), error.filename or path) from None


def _distrust(error: ssl.SSLCertVerificationError) -> str:
    hints = {
        10: "it has expired",
        18: "it is signed by itself (name it with --ca if you trust it)",
        19: "an authority that is not known here signed it (name it with --ca)",
        20: "an authority that is not known here signed it (name it with --ca)",
        21: "an authority that is not known here signed it (name it with --ca)",
        62: "it is for another host",
        64: "it is for another address",
    }
    hint = hints.get(error.verify_code)
    said = str(error.verify_message)
    return f"{hint} ({said})" if hint else said


def _half(got: int, wanted: int, end: str) -> ProbeError:
    return ProbeError("half-frame", f"{got} of at least {wanted} bytes of an answer came, {end}")


def _name(error: ssl.SSLError) -> str:
    # Those that Python raises itself, and not OpenSSL, have no such attribute.
    return getattr(error, "reason", None) or ""


def _reason(error: ssl.SSLError) -> str:
    return (_name(error) or str(error)).replace("_", " ").lower()
