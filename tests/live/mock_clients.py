"""A client of the mock broker."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from tests.live.mocks import Mocked
from tests.live.small_broker import read
from wirebook.live.probe.messages import decoded, request
from wirebook.specs.wire.scalars import WireError


class Client:
    """A connection to a mock broker that waits a minute at most."""

    def __init__(self, broker: Mocked) -> None:
        self.socket = socket.create_connection(("127.0.0.1", broker.port), 60)

    def send(self, data: bytes) -> None:
        self.socket.sendall(len(data).to_bytes(4, "big") + data)

    def frame(self) -> bytes:
        return read(self.socket, int.from_bytes(read(self.socket, 4), "big"))

    def ask(self, api: str, version: int, value: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        self.send(request(api, version, value or {}, 9))
        answer = self.frame()
        assert answer[:4] == (9).to_bytes(4, "big")
        body = decoded(api, version, answer)
        assert not isinstance(body, WireError), body
        return body

    def ended(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


@contextlib.contextmanager
def client(broker: Mocked) -> Iterator[Client]:
    made = Client(broker)
    with made.socket:
        yield made
