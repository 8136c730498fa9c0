"""What Kafka's messages are for, in our words, where no spec of our own says it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from wirebook.specs.kafka.registry import FOLDER


@dataclass(frozen=True, slots=True)
class Purpose:
    """What an API, or another message, is for. `api_key` is None for what is no API."""

    api_key: int | None
    about: str


def load_purposes() -> dict[tuple[str, str], Purpose]:
    """By kind ("api", or the message's type) and name."""
    rows = json.loads((FOLDER / "purposes.json").read_text(encoding="utf-8"))["purposes"]
    return {(row["type"], row["name"]): Purpose(row.get("api_key"), row["about"]) for row in rows}
