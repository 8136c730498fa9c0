"""A small broker for the tests of the probe: ApiVersions, Metadata, SASL, and any fault one
writes."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.peers.scram_server import RefusedError, ScramServer
from wirebook.peers.messages import KEYS, decoded, response

APIS = {0: (0, 11), 3: (0, 12), 17: (0, 1), 18: (0, 5), 36: (0, 2)}
NAMES = {key: name for name, key in KEYS.items()}
Handler = Callable[[socket.socket], None]


class Listener:
    """Listens on loopback and gives every connection to a function, in a thread of its own."""

    def __init__(self, handler: Handler, tls: ssl.SSLContext | None = None) -> None:
        self.handler = handler
        self.tls = tls
        self.connections: list[socket.socket] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Listener:
        self.thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        for connection in self.connections:
            connection.close()
        self.thread.join(10)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError):
            if self.tls is not None:
                try:
                    connection = self.tls.wrap_socket(connection, server_side=True)
                except OSError:
                    connection.close()
                    raise
                self.connections.append(connection)
            with connection:
                self.handler(connection)


@dataclass
class Broker:
    """Serves requests on one connection after the other; `asked` is what came, as (API key,
    version).

    `answers` replace the answer to an API and version after the correlation ID; an empty one closes
    the connection. With `refuse`, error 35 names the range of ApiVersions.
    """

    apis: Mapping[int, tuple[int, int]] = field(default_factory=lambda: APIS)
    users: Mapping[str, str] = field(default_factory=dict)
    mechanisms: Sequence[str] = ()
    topics: Sequence[str] = ()
    answers: Mapping[tuple[int, int], bytes] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    refuse: bool = True
    asked: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, connection: socket.socket) -> None:
        server: ScramServer | None = None
        while True:
            key, version, correlation, data = read_request(connection)
            self.asked.append((key, version))
            if (key, version) in self.answers:
                if not self.answers[key, version]:
                    return
                connection.sendall(frame(correlation, self.answers[key, version]))
                continue
            lowest, highest = self.apis.get(key, (0, -1))
            if key == KEYS["ApiVersions"]:
                error = 0 if lowest <= version <= highest else 35
                connection.sendall(
                    framed(self.versions(version if not error else 0, error, correlation))
                )
                continue
            api = NAMES.get(key, "")
            if not lowest <= version <= highest or not api:
                return
            value: Mapping[str, Any]
            asked = decoded(f"{api}Request", version, data)
            if api == "SaslHandshake":
                mechanism = asked["Mechanism"]
                error = 0 if mechanism in self.mechanisms else (33 if self.mechanisms else 34)
                value = {"ErrorCode": error, "Mechanisms": list(self.mechanisms)}
                server = (
                    None if mechanism == "PLAIN" or error else ScramServer(mechanism, self.users)
                )
            elif api == "SaslAuthenticate":
                try:
                    value = {
                        "AuthBytes": self.authenticate(
                            server, bytes.fromhex(asked["AuthBytes"])
                        ).hex()
                    }
                except RefusedError as refusal:
                    value = {"ErrorCode": 58, "ErrorMessage": f"Authentication failed: {refusal}"}
            else:
                partition = {"PartitionIndex": 0, "LeaderId": 1}
                topics = [{"Name": name, "Partitions": [partition]} for name in self.topics]
                value = {
                    "Brokers": [{"NodeId": 1, "Host": "127.0.0.1", "Port": 9092}],
                    "Topics": topics,
                }
            connection.sendall(framed(response(api, version, value, correlation)))
            if value.get("ErrorCode"):
                return

    def versions(self, version: int, error: int = 0, correlation: int = 0) -> bytes:
        """A response to ApiVersions."""
        key = KEYS["ApiVersions"]
        named = {key: self.apis[key]} if self.refuse else {}
        keys = [
            {"ApiKey": key, "MinVersion": low, "MaxVersion": high}
            for key, (low, high) in (named if error else self.apis).items()
        ]
        value = {"ErrorCode": error, "ApiKeys": keys, **(self.body if version >= 3 else {})}
        return response("ApiVersions", version, value, correlation)

    def authenticate(self, server: ScramServer | None, token: bytes) -> bytes:
        """The answer to a token of PLAIN or SCRAM. Raises RefusedError."""
        if server is not None:
            return server.first(token) if token.startswith(b"n,") else server.final(token)
        _, user, password = token.decode().split("\0")
        if self.users.get(user) != password:
            raise RefusedError("Invalid username or password\x1b[31m")
        return b""


def read_request(connection: socket.socket) -> tuple[int, int, int, bytes]:
    """The key, version and correlation ID of the next request, and all its bytes after the
    length."""
    (size,) = struct.unpack(">i", read(connection, 4))
    if not 8 <= size < 1 << 20:
        raise EOFError
    data = read(connection, size)
    return *struct.unpack(">hhi", data[:8]), data


def read(connection: socket.socket, size: int) -> bytes:
    """Exactly so many bytes; EOFError where there are not."""
    data = b""
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data


def frame(correlation: int, rest: bytes) -> bytes:
    """An answer with its length and correlation ID."""
    return framed(correlation.to_bytes(4, "big") + rest)


def framed(data: bytes) -> bytes:
    """An answer with its length."""
    return len(data).to_bytes(4, "big") + data


def certificate(folder: Path, name: str, host: str = "localhost", days: int = 2) -> Path:
    """A key and a certificate that signs itself, for a host and for 127.0.0.1, in one PEM file."""
    path, key = folder / f"{name}.pem", folder / f"{name}.key"
    alternatives = f"DNS:{host}" + (",IP:127.0.0.1" if host == "localhost" else "")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-keyout", str(key), "-out", str(path), "-days", str(days), "-subj", f"/CN={host}"]
    command += ["-addext", f"subjectAltName={alternatives}"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    return path


def server_side(pem: Path, clients: Path | None = None) -> ssl.SSLContext:
    """The TLS of a server, which wants a certificate of its clients where `clients` says of
    whom."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)
    return context


@contextlib.contextmanager
def listening(handler: Handler, tls: ssl.SSLContext | None = None) -> Iterator[Listener]:
    """A listener while the block runs."""
    with Listener(handler, tls) as listener:
        yield listener
