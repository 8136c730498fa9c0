"""The formats of a result: each a pure function from a CheckResult to text, imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from wirebook.specs.printable import to_json

if TYPE_CHECKING:
    from wirebook.rules.result import CheckResult
    from wirebook.specs.problems import InputError

FORMATS = ("text", "json", "sarif", "github", "gitlab")


def failure(error: InputError, form: str) -> str:
    """What a format says of an error that stops the check before it starts; "" for most."""
    if form != "github":
        return ""
    text: str = import_module(f"wirebook.rules.report.{form}").failure(error)
    return text


def render(result: CheckResult, form: str) -> str:
    """The result in one of FORMATS, ending with a newline, or as entries of waivers.toml."""
    if form == "json":
        return to_json(result.to_json())
    text: str = import_module(f"wirebook.rules.report.{form}").render(result)
    return text
