"""The formats of a result: each a pure function from a CheckResult to text, imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from wirebook.specs.printable import to_json

if TYPE_CHECKING:
    from wirebook.rules.result import CheckResult

FORMATS = ("text", "json", "sarif", "github", "gitlab")


def render(result: CheckResult, form: str) -> str:
    """The result in one of FORMATS, ending with a newline. Raises ModuleNotFoundError for another
    one."""
    if form == "json":
        return to_json(result.to_json())
    text: str = import_module(f"wirebook.rules.report.{form}").render(result)
    return text
