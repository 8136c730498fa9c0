"""Reads and writes by the steps of a layout."""

from __future__ import annotations

from typing import Any

from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout
from wirebook.specs.wire.scalars import WireError


def read(shape: Layout, digits: str) -> Any:
    """The value, or the error as offset, path and words."""
    try:
        return codec(shape).decode(bytes.fromhex(digits))
    except WireError as error:
        return error.offset, error.path, error.message


def write(shape: Layout, value: Any) -> str:
    """The bytes in hex, or the error."""
    try:
        return codec(shape).encode(value).hex()
    except WireError as error:
        return str(error)
