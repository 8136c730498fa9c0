"""A registry of protocol levels."""

from __future__ import annotations

from typing import Any

from tests.repositories import FOLDER

REGISTRY = f"{FOLDER}/api_versions.json"


def level(number: int, version: str) -> dict[str, Any]:
    return {"id": number, "version": version, "release": version.split("-")[0], "about": "It is there."}


LEVELS = [level(0, "1.0-IV0"), level(1, "1.1-IV0")]
