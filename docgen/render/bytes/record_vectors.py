"""Record batches of other clients, as facts: record_vectors.json, by tools/record_vectors/make.py."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

PLACE = Path(__file__).resolve().parent / "record_vectors.json"


@cache
def document() -> dict[str, Any]:
    """The whole file."""
    found: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return found


def vector(name: str, by: str = "java") -> bytes:
    """The bytes of a vector: a case as a client wrote it. Raises KeyError."""
    for item in document()["vectors"]:
        if (item["name"], item["by"]) == (name, by):
            return bytes.fromhex(item["hex"])
    raise KeyError(name)


def message(name: str) -> bytes:
    """The bytes of a message by Kafka's Java client: "ConsumerProtocolSubscription 3". Raises KeyError."""
    for item in document()["messages"]:
        if item["name"] == name:
            return bytes.fromhex(item["hex"])
    raise KeyError(name)
