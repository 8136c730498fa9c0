"""A small broker for the tests of the probe: ApiVersions, Metadata, SASL, and any fault one writes."""

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

from tests.live.scram_server import RefusedError, ScramServer
from wirebook.live.embedded import embedded_layout
from wirebook.live.probe.messages import KEYS
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.wire.codec import codec

APIS = {0: (0, 11), 3: (0, 12), 17: (0, 1), 18: (0, 4), 36: (0, 2)}
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
    """Serves requests on one connection after the other; `asked` is what came, as (API key, version)."""

    apis: Mapping[int, tuple[int, int]] = field(default_factory=lambda: APIS)
    users: Mapping[str, str] = field(default_factory=dict)
    mechanisms: Sequence[str] = ()
    topics: Sequence[str] = ()
    answers: Mapping[tuple[int, int], bytes] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    refuse: bool = True
    asked: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, connection: socket.socket) -> None:
        known = not self.mechanisms
        scram: ScramServer | None = None
        mechanism = ""
        while True:
            key, version, correlation, data = read_request(connection)
            self.asked.append((key, version))
            if (key, version) in self.answers:
                given = self.answers[key, version]
                if not given:
                    return
                connection.sendall(frame(correlation, given))
                continue
            lowest, highest = self.apis.get(key, (0, -1))
            if key == KEYS["ApiVersions"]:
                error = 0 if lowest <= version <= highest else 35
                answered = version if not error else 0
                connection.sendall(frame(correlation, self.versions(answered, error)))
                continue
            if not lowest <= version <= highest:
                return
            if key == KEYS["SaslHandshake"]:
                mechanism = decoded("SaslHandshake", version, data)["Mechanism"]
                error = 0 if mechanism in self.mechanisms else (33 if self.mechanisms else 34)
                value = {"ErrorCode": error, "Mechanisms": list(self.mechanisms)}
                connection.sendall(answer("SaslHandshake", version, correlation, value))
                if error:
                    return
                scram = self.scram(mechanism)
            elif key == KEYS["SaslAuthenticate"]:
                token = bytes.fromhex(decoded("SaslAuthenticate", version, data)["AuthBytes"])
                try:
                    back, known, scram = self.authenticate(mechanism, scram, token)
                except RefusedError as error_:
                    told = {"ErrorCode": 58, "ErrorMessage": f"Authentication failed: {error_}"}
                    connection.sendall(answer("SaslAuthenticate", version, correlation, told))
                    return
                connection.sendall(
                    answer("SaslAuthenticate", version, correlation, {"AuthBytes": back.hex()})
                )
            elif not known:
                return
            elif key == KEYS["Metadata"]:
                node = {"NodeId": 1, "Host": "127.0.0.1", "Port": 9092}
                partition = {"PartitionIndex": 0, "LeaderId": 1}
                topics = [{"Name": name, "Partitions": [partition]} for name in self.topics]
                value = {"Brokers": [node], "Topics": topics}
                connection.sendall(answer("Metadata", version, correlation, value))

    def versions(self, version: int, error: int) -> bytes:
        apis = self.apis if not error or self.refuse else {}
        if error and self.refuse:
            apis = {key: found for key, found in self.apis.items() if key == KEYS["ApiVersions"]}
        keys = [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in apis.items()]
        value = {"ErrorCode": error, "ApiKeys": keys, **(self.body if version >= 3 else {})}
        return codec(embedded_layout("ApiVersionsResponse", version)).encode(value)

    def scram(self, mechanism: str) -> ScramServer | None:
        if mechanism == "PLAIN":
            return None
        return ScramServer(mechanism, self.users)

    def authenticate(
        self, mechanism: str, scram: ScramServer | None, token: bytes
    ) -> tuple[bytes, bool, ScramServer | None]:
        if mechanism == "PLAIN":
            _, user, password = token.decode().split("\0")
            if self.users.get(user) != password:
                raise RefusedError("Invalid username or password\x1b[31m")
            return b"", True, None
        assert scram is not None
        if token.startswith(b"n,"):
            return scram.first(token), False, scram
        return scram.final(token), True, None


def read_request(connection: socket.socket) -> tuple[int, int, int, bytes]:
    """The key, version and correlation ID of the next request, and all its bytes after the length."""
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
    return struct.pack(">ii", len(rest) + 4, correlation) + rest


def answer(api: str, version: int, correlation: int, value: Mapping[str, Any]) -> bytes:
    """The frame of an answer with its header."""
    made = embedded_layout(f"{api}Response", version)
    tags = b"\0" if made.header_version else b""
    return frame(correlation, tags + codec(made).encode(value))


def decoded(api: str, version: int, data: bytes) -> dict[str, Any]:
    """The body of a request."""
    made = embedded_layout(f"{api}Request", version)
    _, start = codec(header_layout("request", made.header_version or 0)).decode_from(data)
    return codec(made).decode(data[start:])


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
    """The TLS of a server, which wants a certificate of its clients where `clients` says of whom."""
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
