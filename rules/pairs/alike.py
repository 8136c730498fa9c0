"""Which types leave the same bytes."""

from __future__ import annotations

_BYTES_OF = {"records": "bytes", "uint16": "int16", "uint32": "int32"}


def bytes_of(element: str) -> str:
    """The type that stands for all that leave the same bytes: signed numbers, and plain bytes."""
    return _BYTES_OF.get(element, element)


def types_alike(old: str, new: str) -> bool:
    """Whether two types, arrays among them, leave the same bytes as far as their names say."""
    return old == new or (
        old.startswith("[]") == new.startswith("[]")
        and bytes_of(old.removeprefix("[]")) == bytes_of(new.removeprefix("[]"))
    )
