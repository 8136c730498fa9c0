"""Record batches of other clients, as facts (record_vectors.json)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

PLACE = Path(__file__).resolve().parent / "record_vectors.json"


@cache
def document() -> dict[str, Any]:
    """The whole file."""
    vectors: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return vectors


def vector(name: str, by: str = "java") -> bytes:
    """The bytes of a vector: a case as a client wrote it. Raises KeyError."""
    for vector in document()["vectors"]:
        if (vector["name"], vector["by"]) == (name, by):
            return bytes.fromhex(vector["hex"])
    raise KeyError(name)


def message(name: str) -> bytes:
    """The bytes of a message by Kafka's Java client: "ConsumerProtocolSubscription 3". Raises KeyError."""
    for message in document()["messages"]:
        if message["name"] == name:
            return bytes.fromhex(message["hex"])
    raise KeyError(name)
