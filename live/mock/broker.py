"""A mock broker of any release: ApiVersions and Metadata, with faults on demand."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from wirebook.live.mock.conversation import Conversation, EndError, MockCluster, Setup
from wirebook.live.mock.faults import MODES, Reply
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError

MAX_NODES = 32
MAX_REQUEST = 65_536
IDLE = 60.0  # seconds for a whole request to arrive, and for an answer to be read
_BETWEEN_PIECES = 0.1

LogSink = Callable[[dict[str, Json]], None]


class MockBroker:
    """A cluster of one or more brokers that listen until they are closed; `log` receives every event."""

    def __init__(self, setup: Setup, log: LogSink) -> None:
        self.setup = setup
        mode = MODES[setup.mode]
        self.profile = mode.profile(setup.profile)
        self.nodes: list[tuple[str, int]] = []
        self._cluster = MockCluster(setup, mode, self.nodes, self.log_event)
        self._log = log
        self._begun = time.monotonic()
        self._count = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._servers: list[asyncio.Server] = []

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._open)

    def log_event(self, event: str, **more: Json) -> None:
        """Send an event to the log, with its time."""
        at = round(time.monotonic() - self._begun, 3)
        self._log({"schema": "wirebook/mock/1", "event": event, "at": at, **more})

    async def start(self, host: str = "127.0.0.1", port: int = 0, nodes: int = 1) -> None:
        """Listen on one port for each broker, on consecutive ones if `port` is given; see `nodes`.

        Raises InputError if that fails, and leaves nothing open.
        """
        for number in range(nodes):
            own_port = port + number if port else 0
            try:
                server = await asyncio.start_server(
                    self._accept,
                    host,
                    own_port,
                    limit=16_384,
                    backlog=512,
                )
            except (OSError, OverflowError, UnicodeError) as error:
                await self.close()
                why = getattr(error, "strerror", None) or str(error)
                raise InputError(f"cannot listen on {host}:{own_port}: {why}") from None
            self._servers.append(server)
            self.nodes.append(server.sockets[0].getsockname()[:2])
        listed: list[Json] = [
            {"id": number, "host": where[0], "port": where[1]} for number, where in enumerate(self.nodes, 1)
        ]
        self.log_event(
            "listening",
            host=self.nodes[0][0],
            port=self.nodes[0][1],
            brokers=listed,
            release=self.profile.name,
            mode=self.setup.mode,
        )

    async def close(self) -> None:
        """Stop listening and end every connection at once."""
        for server in self._servers:
            server.close()
        open_ = dict(self._open)
        for task, writer in open_.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        number = self._count
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        why = "the mock broker stops"
        try:
            writer.transport.set_write_buffer_limits(high=0)
            profile = self.profile.later if number > 1 and self.profile.later is not None else self.profile
            conversation = Conversation(self._cluster, number, profile)
            why = await _Connection(conversation, reader, writer).serve()
            with contextlib.suppress(OSError, TimeoutError):
                writer.close()
                async with asyncio.timeout(1):
                    await writer.wait_closed()
        except asyncio.CancelledError:
            # Only this broker cancels, and it waits for the end.
            pass
        finally:
            writer.transport.abort()
            del self._open[task]
            self.log_event("closed", connection=number, why=why)


class _Connection:
    """A connection: reads a request, answers it, and reads the next."""

    def __init__(
        self,
        conversation: Conversation,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.conversation = conversation
        self.reader = reader
        self.writer = writer

    async def serve(self) -> str:
        """Answer requests until the connection ends; returns the reason."""
        try:
            while True:
                reply = self.conversation.reply_to(await self.read())
                await self.write(reply)
                if reply.close:
                    raise EndError("the broker closes it")
                # Nothing above waits if requests are queued and their answers are read.
                await asyncio.sleep(0)
        except EndError as end:
            return str(end)
        except OSError as error:
            return f"the connection broke: {error.strerror or error}"

    async def read(self) -> bytes:
        """Read the next frame, without its length. Raises EndError, OSError."""
        size = -1
        try:
            async with asyncio.timeout(IDLE):
                size = int.from_bytes(await self.reader.readexactly(4), "big", signed=True)
                if not 0 <= size <= MAX_REQUEST:
                    raise EndError(f"a frame of {size:,} bytes is announced; the limit is {MAX_REQUEST:,}")
                return await self.reader.readexactly(size)
        except asyncio.IncompleteReadError as cut:
            between = size < 0 and not cut.partial
            raise EndError(
                f"the client closed it{'' if between else ' in the middle of a request'}"
            ) from None
        except TimeoutError:
            raise EndError(f"no complete request within {IDLE:g} s") from None

    async def write(self, reply: Reply) -> None:
        """Send an answer and wait until the client has read it. Raises EndError, OSError."""
        try:
            async with asyncio.timeout(IDLE):
                for place, piece in enumerate(reply.pieces):
                    if place:
                        await asyncio.sleep(_BETWEEN_PIECES)
                    self.writer.write(piece)
                    await self.writer.drain()
        except TimeoutError:
            raise EndError(f"the client did not read the answer within {IDLE:g} s") from None
