"""The recorder of exchanges: packets in, frames with their messages out."""

from __future__ import annotations

import json

from tests.support import ROOT
from tools.record_exchange import Recorder
from wirebook.specs.kafka.flows import all_flows

CLIENT, BROKER = (b"\x7f\0\0\x01", 40000), (b"\x7f\0\0\x01", 9092)
ACK, SYN = 0x10, 0x02


def packet(source: tuple[bytes, int], target: tuple[bytes, int], at: int, flags: int, data: bytes) -> bytes:
    segment = source[1].to_bytes(2, "big") + target[1].to_bytes(2, "big") + at.to_bytes(4, "big")
    segment += bytes(4) + bytes((5 << 4, flags)) + bytes(6) + data
    head = bytes((0x45, 0)) + (20 + len(segment)).to_bytes(2, "big") + bytes(5) + b"\x06" + bytes(2)
    # Ethernet pads short frames.
    return bytes(12) + b"\x08\0" + head + source[0] + target[0] + segment + bytes(3)


def test_frames_are_put_together_and_named() -> None:
    step = all_flows()[0].steps
    request, answer = step[0].messages[0].frame, step[1].messages[0].frame
    recorder = Recorder()
    recorder.packet(packet(CLIENT, BROKER, 99, SYN, b""))
    recorder.packet(packet(BROKER, CLIENT, 499, SYN | ACK, b""))
    # In three segments, out of order, one of them twice.
    recorder.packet(packet(CLIENT, BROKER, 100, ACK, request[:10]))
    recorder.packet(packet(CLIENT, BROKER, 130, ACK, request[30:]))
    recorder.packet(packet(CLIENT, BROKER, 100, ACK, request[:10]))
    recorder.packet(packet(CLIENT, BROKER, 110, ACK, request[10:30]))
    recorder.packet(packet(BROKER, CLIENT, 500, ACK, answer))
    assert recorder.lines == [
        {"connection": 1, "message": "ApiVersionsRequest", "version": 4, "hex": request.hex()},
        {"connection": 1, "message": "ApiVersionsResponse", "version": 4, "hex": answer.hex()},
    ]


def test_other_connections_are_ignored() -> None:
    recorder = Recorder()
    recorder.packet(packet(CLIENT, BROKER, 7, ACK, b"GET / HTTP/1.1\r\n\r\n"))
    recorder.packet(packet(CLIENT, BROKER, 7, SYN, b""))
    recorder.packet(packet(CLIENT, BROKER, 8, ACK, b"\0\0\0\x08" + b"\x7f" * 8))
    recorder.packet(packet(BROKER, CLIENT, 8, ACK, b"\0\0\0\x08" + b"\x7f" * 8))
    assert recorder.lines == []
    assert json.dumps(recorder.lines) == "[]"
    assert (ROOT / "tools" / "record_exchange.py").is_file()
