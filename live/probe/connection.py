"""A connection to a supposed broker: frames within a time limit; every failure has a code."""

from __future__ import annotations

import contextlib
import errno
import socket
import ssl

from wirebook.live.probe.address import Address, Deadline, ProbeError, connect
from wirebook.live.probe.answer import TlsSession
from wirebook.live.probe.tls import distrust, reason, reason_code
from wirebook.specs.limits import MAX_FRAME


# The longest answer to ApiVersions has two kilobytes, Metadata of a huge cluster a few hundred.
class Connection:
    """A connection. Every wait ends at the deadline; every failure raises ProbeError."""

    def __init__(self, address: Address, deadline: Deadline, tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self.deadline = deadline
        self.tls: TlsSession | None = None
        self._answered = False
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
        """Close the connection without waiting for the peer."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def exchange(self, request: bytes) -> bytes:
        """Send a request as a frame and return the response frame, both without the length."""
        self._send(len(request).to_bytes(4, "big") + request)
        head = self._read(4)
        self._answered = True
        size = int.from_bytes(head, "big", signed=True)
        if not 0 <= size <= MAX_FRAME:
            raise self._not_kafka(head, size)
        return self._read(size, after=4)

    def await_alert(self) -> None:
        """Wait briefly for an unsolicited message, such as a TLS alert, and raise it as ProbeError."""
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
            raise ProbeError("silence", f"it did not read the request within {self.deadline}") from None
        except OSError as error:
            raise self._broken(error, 0, 4) from None

    def _read(self, size: int, after: int = 0) -> bytes:
        """Read exactly `size` bytes; `after` is how many bytes of the same frame came before."""
        data = bytearray()
        while len(data) < size:
            left = self.deadline.left
            if left <= 0:
                raise self._timed_out(after + len(data), after + size)
            try:
                self._socket.settimeout(max(left, 0.001))
                chunk = self._socket.recv(min(size - len(data), 65536))
            except TimeoutError:
                continue
            except OSError as error:
                raise self._broken(error, after + len(data), after + size) from None
            if not chunk:
                raise self._closed(after + len(data), after + size)
            data += chunk
        return bytes(data)

    def _timed_out(self, received: int, expected: int) -> ProbeError:
        if received == 0:
            return ProbeError(
                "silence",
                f"it accepts the connection and sends nothing within {self.deadline}"
                + ("" if self._answered else "; brokers before 0.10.0 do not answer ApiVersions"),
            )
        return _half(received, expected, f"and then nothing within {self.deadline}")

    def _closed(self, received: int, expected: int) -> ProbeError:
        if received == 0:
            return ProbeError("closed", "it closes the connection without an answer")
        return _half(received, expected, "and then the end of the connection")

    def _broken(self, error: OSError, received: int, expected: int) -> ProbeError:
        if isinstance(error, ssl.SSLError) and "CERTIFICATE_REQUIRED" in reason_code(error):
            return ProbeError("client-certificate", "it requires a client certificate (--cert)")
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return ProbeError("tls", f"TLS failed: {reason(error)}")
        return self._closed(received, expected)

    def _not_kafka(self, head: bytes, size: int) -> ProbeError:
        """Describe a peer that answers with something other than a frame."""
        # Some web servers answer requests that they cannot parse with a bare page.
        if head == b"HTTP" or head.lower() in (b"<!do", b"<htm"):
            return ProbeError("http", "an HTTP server answers here, not a broker")
        if self.tls is None and head[0] == 0x15 and head[1] == 3:
            return ProbeError("tls-wanted", "this port uses TLS: add --tls")
        if all(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in head):
            return ProbeError("garbage", "it answers with text, not with Kafka's protocol")
        if size < 0:
            return ProbeError("garbage", f"it announces a frame of {size:,} bytes, an invalid length")
        return ProbeError("oversize", f"it announces a frame of {size:,} bytes; the limit is {MAX_FRAME:,}")

    def _secure(self, context: ssl.SSLContext) -> None:
        """Do the TLS handshake."""
        self._socket.settimeout(max(self.deadline.left, 0.001))
        try:
            secured = context.wrap_socket(self._socket, server_hostname=self.address.host)
        except ssl.SSLCertVerificationError as error:
            raise ProbeError("certificate", f"its certificate is not accepted: {distrust(error)}") from None
        except TimeoutError:
            raise _no_tls(f"no TLS handshake within {self.deadline}") from None
        except ssl.SSLError as error:
            if isinstance(error, _ENDED) or reason_code(error) in _NO_TLS:
                raise _no_tls("it does not use TLS") from None
            if error.errno == errno.ENOTCONN:
                raise _no_tls(_CLOSED_IN_HANDSHAKE) from None
            raise ProbeError("tls", f"the TLS handshake failed: {reason(error)}") from None
        except OSError:
            raise _no_tls(_CLOSED_IN_HANDSHAKE) from None
        except ValueError as error:
            raise ProbeError("tls", f"the TLS handshake failed: {error}") from None
        # If the connection was closed before, Python returns a socket without a handshake, and no error.
        if secured.version() is None:
            secured.close()
            raise _no_tls(_CLOSED_IN_HANDSHAKE)
        self._socket = secured
        cipher = secured.cipher()
        verified = context.verify_mode == ssl.CERT_REQUIRED
        self.tls = TlsSession(secured.version(), cipher[0] if cipher else None, verified)


_CLOSED_IN_HANDSHAKE = "it closes the connection during the TLS handshake"
# The error for a connection that ends in the handshake depends on OpenSSL and on timing.
_ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
_NO_TLS = {
    "WRONG_VERSION_NUMBER",
    "UNEXPECTED_EOF_WHILE_READING",
    "PACKET_LENGTH_TOO_LONG",
    "UNKNOWN_PROTOCOL",
    "HTTP_REQUEST",
    "RECORD_LAYER_FAILURE",
}


def _no_tls(what: str) -> ProbeError:
    return ProbeError("no-tls", f"{what}: it may be a port without TLS (remove --tls), or not a broker")


def _half(received: int, expected: int, end: str) -> ProbeError:
    return ProbeError("half-frame", f"{received} of at least {expected} bytes of an answer arrived, {end}")
