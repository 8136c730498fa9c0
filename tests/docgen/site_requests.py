"""Requests for catalogs of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirebook.docgen.request import BuildRequest


def site_request(
    source: str | Path | None = None,
    history: str | Path | None = None,
    releases: str | None = None,
    **more: Any,
) -> BuildRequest:
    """A request for a SOURCE (None: the embedded specs) and the tags of a history that match a glob."""
    given = None if history is None else Path(history)
    globs = (releases,) if releases else ()
    return BuildRequest("kafka" if source is None else str(source), Path(), given, globs, **more)
