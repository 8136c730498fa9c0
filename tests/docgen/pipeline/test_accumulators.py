"""PySpark's server of accumulators: silent when Java closes the connection, and only then."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyspark import accumulators

from wirebook.docgen.pipeline.failures import ACCUMULATOR_SERVERS, quiet_accumulators


@contextmanager
def served() -> Iterator[accumulators.AccumulatorTCPServer]:
    server = accumulators.AccumulatorTCPServer(("127.0.0.1", 0), accumulators.UpdateRequestHandler, "token")
    # Errors are handled in the thread that serves; one request is all that is served.
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    try:
        yield server
        thread.join(120)
        assert not thread.is_alive()
    finally:
        server.server_close()


def send(server: accumulators.AccumulatorTCPServer, text: bytes) -> None:
    host, port = server.server_address[:2]
    with socket.create_connection((str(host), port)) as connection:
        connection.sendall(text)


def test_a_connection_that_ends_is_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    quiet_accumulators()
    with served() as server:
        # The number of updates should follow the token.
        send(server, b"token")
    assert capfd.readouterr().err == ""


def test_other_errors_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    quiet_accumulators()
    with served() as server:
        send(server, b"other")
    assert "The value of the provided token" in capfd.readouterr().err


def test_pyspark_still_has_the_servers() -> None:
    for name in ACCUMULATOR_SERVERS:
        assert getattr(accumulators, name).handle_error.__qualname__.startswith(
            ("BaseServer.", "quiet_accumulators.")
        )
