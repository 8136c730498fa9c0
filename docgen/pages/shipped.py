"""The JSON files of this folder: what pages show and no spec says."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def shipped(name: str) -> Any:
    """The content of a file."""
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
