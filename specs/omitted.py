"""Declares that a field of a record has no key in JSON while it has its default."""

from dataclasses import field
from typing import Any


def omitted(default: object, about: str = "") -> Any:
    """A field that has no key in JSON while it is `default`; `about` describes it in the JSON
    Schema."""
    return field(default=default, metadata={"omit": True, "about": about})
