"""Requests for catalogs of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirebook.docgen.request import BuildRequest
from wirebook.rules.project.workspace import Workspace


def site_request(
    source: str | Path | None = None,
    history: str | Path | None = None,
    releases: str | None = None,
    **more: Any,
) -> BuildRequest:
    """A request for a SOURCE (None: the embedded specs) and the tags of a history that match a glob."""
    workspace = Workspace.embedded() if source is None else Workspace.open(Path(), str(source))
    given = None if history is None else str(history)
    return BuildRequest(workspace, given, (releases,) if releases else (), **more)
