"""A server that accepts and says nothing."""

from __future__ import annotations

import socket


def silent(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass
