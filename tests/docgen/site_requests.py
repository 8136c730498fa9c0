"""Requests for catalogs of tests."""

from __future__ import annotations

from pathlib import Path

from wirebook.docgen.pipeline.inputs import Inputs, gather
from wirebook.docgen.request import BuildRequest, sources_of


def site_request(
    source: str | Path | None = None,
    history: str | Path | None = None,
    releases: str | None = None,
) -> BuildRequest:
    """A request for a SOURCE (None: the embedded specs) and the tags of a history that match a
    glob."""
    given = None if history is None else str(history)
    return BuildRequest("kafka" if source is None else str(source), given, releases)


def gathered(
    source: str | Path | None = None, history: str | Path | None = None, releases: str | None = None
) -> Inputs:
    """The inputs of such a request."""
    return gather(sources_of(site_request(source, history, releases)))
