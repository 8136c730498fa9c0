"""Whether to colour what is printed: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO


def wanted(stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether a stream gets colours. NO_COLOR goes before FORCE_COLOR; both count unless they are empty."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"
