"""The formats of a report: each a pure function from a CheckResult to text, imported when it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from wirebook.rules.result import CheckResult

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")


def render(report: CheckResult, form: str, *, colour: bool = False) -> str:
    """The report as one of FORMATS, with a line end at its end; `colour` only matters for "text"."""
    if form not in FORMATS:
        raise ValueError(f"there is no format {form}")
    # Each of them stays unread until it is wanted: the text of a hook must not pay for XML.
    made: Callable[..., str] = import_module(f"wirebook.rules.formats.{form}").render
    return made(report, colour=colour) if form == "text" else made(report)
