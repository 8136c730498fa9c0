"""The formats of a report: each a pure function from a CheckResult to text, imported on demand."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from wirebook.rules.result import CheckResult

FORMATS = ("text", "json", "sarif", "github", "gitlab")


def render(report: CheckResult, form: str, *, colour: bool = False, explain: bool = False) -> str:
    """The report in one of FORMATS, ending with a newline; `colour` and `explain` only matter for "text"."""
    if form not in FORMATS:
        raise ValueError(f"there is no format {form}")
    renderer: Callable[..., str] = import_module(f"wirebook.rules.formats.{form}").render
    return renderer(report, colour=colour, explain=explain) if form == "text" else renderer(report)
