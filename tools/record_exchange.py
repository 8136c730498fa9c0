"""Records what passes between a client and its brokers on the loopback device: the bytes of the flows.

    tools/record_exchange.py COMMAND [ARGUMENT]...

Runs the command, and prints a JSON object for each request and each response, in the order in which they
passed: the connection, the message with its version, and the whole frame in hex. It reads the device, so it
changes nothing that either side sees; that needs Linux and root. Any programs and ports will do: a connection
counts as one of Kafka's if what its client sends first is a frame with a known API key.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from wirebook.specs.kafka.registry import embedded_protocol

USAGE = "usage: record_exchange.py COMMAND [ARGUMENT]..."
_IP, _IPV6, _TCP, _SYN = 0x0800, 0x86DD, 6, 0x02
_OUTGOING = 4  # PACKET_OUTGOING: the loopback device shows each packet twice
_APIS = {message.api_key: message.api for message in embedded_protocol() if message.type == "request"}


@dataclass(slots=True)
class Side:
    """What one side of a connection has sent: the next sequence number, early segments, and an open frame."""

    next: int | None = None
    early: dict[int, bytes] = field(default_factory=dict)
    data: bytes = b""

    def add(self, sequence: int, payload: bytes) -> None:
        """Add a segment; one that was sent again changes nothing."""
        if self.next is None:
            self.next = sequence
        self.early.setdefault(sequence, payload)
        while self.next in self.early:
            part = self.early.pop(self.next)
            self.data += part
            self.next = (self.next + len(part)) & 0xFFFFFFFF

    def frames(self) -> Iterator[bytes]:
        """The frames that are complete."""
        while len(self.data) >= 4:
            end = 4 + int.from_bytes(self.data[:4], "big")
            if len(self.data) < end:
                return
            yield self.data[:end]
            self.data = self.data[end:]


@dataclass(slots=True)
class Connection:
    """A connection, from its first packet on; `sent` are the requests without a response."""

    number: int
    client: Side = field(default_factory=Side)
    broker: Side = field(default_factory=Side)
    sent: dict[int, tuple[int, int]] = field(default_factory=dict)
    ignored: bool = False


class Recorder:
    """Packets in, exchanges out."""

    def __init__(self) -> None:
        self.connections: dict[tuple[bytes, bytes], Connection] = {}
        self.lines: list[dict[str, object]] = []

    def packet(self, data: bytes) -> None:
        """One packet with the header of its Ethernet frame."""
        kind = int.from_bytes(data[12:14], "big")
        if kind == _IP and data[23] == _TCP:
            start = 14 + (data[14] & 15) * 4
            source, target = data[26:30], data[30:34]
            end = 14 + int.from_bytes(data[16:18], "big")
        elif kind == _IPV6 and data[20] == _TCP:
            start, source, target = 54, data[22:38], data[38:54]
            end = 54 + int.from_bytes(data[18:20], "big")
        else:
            return
        segment = data[start:end]
        payload = segment[(segment[12] >> 4) * 4 :]
        ends = source + segment[:2], target + segment[2:4]
        sequence = int.from_bytes(segment[4:8], "big")
        if segment[13] & 0x12 == _SYN:
            self.connections[ends] = Connection(len(self.connections) + 1, client=Side(sequence + 1))
            return
        if not payload:
            return
        if ends in self.connections:
            connection = self.connections[ends]
            connection.client.add(sequence, payload)
            for frame in connection.client.frames():
                self.request(connection, frame)
        elif ends[::-1] in self.connections:
            connection = self.connections[ends[::-1]]
            connection.broker.add(sequence, payload)
            for frame in connection.broker.frames():
                self.response(connection, frame)

    def request(self, connection: Connection, frame: bytes) -> None:
        """Note a request, unless its connection is not one of Kafka's."""
        key, version = (int.from_bytes(frame[at : at + 2], "big", signed=True) for at in (4, 6))
        if connection.ignored or key not in _APIS:
            connection.ignored = True
            return
        connection.sent[int.from_bytes(frame[8:12], "big", signed=True)] = key, version
        self.note(connection, f"{_APIS[key]}Request", version, frame)

    def response(self, connection: Connection, frame: bytes) -> None:
        """Note a response: the correlation id leads to its request."""
        request = connection.sent.pop(int.from_bytes(frame[4:8], "big", signed=True), None)
        if request is not None:
            key, version = request
            self.note(connection, f"{_APIS[key]}Response", version, frame)

    def note(self, connection: Connection, message: str, version: int, frame: bytes) -> None:
        """Keep a frame."""
        self.lines.append(
            {
                "connection": connection.number,
                "message": message,
                "version": version,
                "hex": frame.hex(),
            }
        )


def record(command: list[str]) -> tuple[list[dict[str, object]], int]:
    """Run a command; what passed meanwhile, and its exit code."""
    recorder, done = Recorder(), threading.Event()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as device:
        device.bind(("lo", 0))
        device.settimeout(0.2)

        def read() -> None:
            while True:
                try:
                    data, origin = device.recvfrom(1 << 17)
                except TimeoutError:
                    if done.is_set():
                        return
                    continue
                if origin[2] == _OUTGOING:
                    recorder.packet(data)

        reader = threading.Thread(target=read)
        reader.start()
        code = subprocess.run(command, check=False, stdout=sys.stderr).returncode
        time.sleep(0.3)
        done.set()
        reader.join()
    return recorder.lines, code


def main() -> int:
    """Print the exchange; return the exit code of the command."""
    if len(sys.argv) < 2:
        print(USAGE, file=sys.stderr)
        return 2
    lines, code = record(sys.argv[1:])
    for line in lines:
        print(json.dumps(line))
    return code


if __name__ == "__main__":
    sys.exit(main())
