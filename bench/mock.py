"""A soak of the mock broker: hundreds of connections, most of them faulty, on loopback only."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wirebook.live.embedded import embedded_layout
from wirebook.live.probe.messages import api_versions_request, request
from wirebook.specs.wire.codec import codec

ROOT = Path(__file__).resolve().parent.parent
CONNECTIONS = 500
SECONDS = 60.0
IDLE = 5.0
GOAL_MB = 150

_VERSIONS = request("ApiVersions", 4, api_versions_request(4), 7)
# Many topics make an answer that fills what the system buffers for somebody who does not read.
_TOPICS = [
    {"Name": f"topic-{number:04}", "TopicId": "00000000-0000-0000-0000-000000000000"}
    for number in range(1000)
]
_METADATA = request("Metadata", 12, {"Topics": _TOPICS}, 8)


@dataclass
class Soaked:
    """What came of it: right answers to clients that behave, and what the others did meanwhile."""

    answers: int = 0
    wrong: int = 0
    slowest: float = 0.0
    opened: int = 0
    peak_mb: float = 0.0
    begun_mb: float = 0.0
    alive: bool = False


class _Soak:
    def __init__(self, port: int, seconds: float) -> None:
        self.port = port
        self.end = time.monotonic() + seconds
        self.random = random.Random(1)
        self.done = Soaked()

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.end

    async def worker(
        self, act: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> None:
        """One connection after the other, until the time is over."""
        # All at once would only try the backlog of the system.
        await asyncio.sleep(self.random.random())
        while not self.over:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 16)
            except OSError:
                await asyncio.sleep(0.1)
                continue
            self.done.opened += 1
            try:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                    await act(reader, writer)
            finally:
                writer.transport.abort()
            await asyncio.sleep(0.01 + self.random.random() / 10)

    async def behaves(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        layout = codec(embedded_layout("ApiVersionsResponse", 4))
        while not self.over:
            asked = time.monotonic()
            writer.write(len(_VERSIONS).to_bytes(4, "big") + _VERSIONS)
            size = int.from_bytes(await reader.readexactly(4), "big")
            answer = await reader.readexactly(size)
            self.done.slowest = max(self.done.slowest, time.monotonic() - asked)
            right = (
                answer[:4] == (7).to_bytes(4, "big") and len(str(layout.decode(answer[4:])["ApiKeys"])) > 1000
            )
            self.done.answers += right
            self.done.wrong += not right
            await asyncio.sleep(0.2 + self.random.random() / 5)

    async def does_not_read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The stream itself would read ahead.
        transport = writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        while not self.over and not transport.is_closing():
            writer.write(len(_METADATA).to_bytes(4, "big") + _METADATA)
            if writer.transport.get_write_buffer_size() > 1 << 18:
                await asyncio.sleep(1)
            await asyncio.sleep(0.05)

    async def half_frames(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((60_000).to_bytes(4, "big") + bytes(self.random.randrange(40_000)))
        await reader.read(1)

    async def nonsense(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(20):
            data = self.random.randbytes(self.random.randrange(1, 400))
            framed = self.random.random() < 0.7
            head = b"\0\x12\0\x04" if self.random.random() < 0.5 else b""
            data = head + data
            writer.write((len(data).to_bytes(4, "big") if framed else b"") + data)
            await writer.drain()
            await asyncio.sleep(0.02)
            if writer.transport.is_closing():
                return

    async def nothing(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)

    async def run(self, connections: int) -> None:
        kinds = [self.behaves, self.half_frames, self.nonsense, self.nothing, self.does_not_read]
        # An answer to one that does not read takes a hundred times the work of the others.
        parts = [0.4, 0.2, 0.15, 0.15, 0.1]
        work = [
            self.worker(act)
            for act, part in zip(kinds, parts, strict=True)
            for _ in range(round(connections * part))
        ]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.end - time.monotonic() + IDLE + 10):
                await asyncio.gather(*work)


def soak(seconds: float) -> Soaked:
    """Run a mock broker in a process of its own and make its life hard; both end by themselves."""
    command = [sys.executable, "-m", "wirebook.cli.main", "mock", "--release", "3.9", "--log", "none"]
    command += ["--idle", str(IDLE), "--seconds", str(seconds + 60)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = json.loads(process.stdout.readline())["port"]
            made = _Soak(port, seconds)
            made.done.begun_mb = _peak(process.pid)
            asyncio.run(made.run(CONNECTIONS))
            made.done.peak_mb = _peak(process.pid)
            made.done.alive = asyncio.run(_answers(port)) and process.poll() is None
        finally:
            process.terminate()
    return made.done


async def _answers(port: int) -> bool:
    """Whether somebody new is answered."""
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(len(_VERSIONS).to_bytes(4, "big") + _VERSIONS)
        head = await reader.readexactly(8)
        writer.transport.abort()
    return head[4:] == (7).to_bytes(4, "big")


def _peak(process: int) -> float:
    """The most memory that a process had, in MB; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def rows(seconds: float = SECONDS) -> Iterator[tuple[str, str, str]]:
    """The rows of the bench."""
    found = soak(seconds)
    what = f"mock broker: {CONNECTIONS} connections for {seconds:.0f} s, most of them hostile"
    goal = f"still answering, below {GOAL_MB} MB"
    told = "answering" if found.alive and not found.wrong else "NOT ANSWERING"
    yield (what, f"{told}, {found.peak_mb:.0f} MB ({found.begun_mb:.0f} MB before)", goal)
    yield ("  answers to clients that behave, the slowest", f"{found.answers:,}, {found.slowest:.2f} s", "")
    yield ("  connections opened", f"{found.opened:,}", "")
