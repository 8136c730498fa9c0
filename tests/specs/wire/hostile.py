"""Messages that make much of few bytes: each is a layout of a hostile spec, and bytes of at most 10 kB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.specs.wire.layouts import field, message, varint
from wirebook.specs.limits import MAX_EMPTY, MAX_STRUCT_DEPTH
from wirebook.specs.wire.layout import Layout, layout


def _within(count: int, *innermost: dict[str, Any]) -> dict[str, Any]:
    """As many structs, each the only field of the one around it."""
    inner = list(innermost)
    for number in reversed(range(count)):
        inner = [field(f"S{number}", f"Struct{number}", fields=inner)]
    return inner[0]


def _of(*fields: dict[str, Any], flexible: str = "none") -> Layout:
    return layout(message(*fields, flexible=flexible), 0)


def _counted(count: int, element: bytes) -> bytes:
    """An array of equal elements, in a version that is not flexible."""
    return count.to_bytes(4, "big") + element * count


_LATER = field("Later", "int8", "2+")
_NESTED = _of(field("A", "[]S", fields=[field("B", "[]T", fields=[_LATER])]))
_DEEP = _of(field("A", "[]S", fields=[_within(MAX_STRUCT_DEPTH - 4, field("X", "int8"))]))
_WIDE = _of(
    field(
        "A",
        "[]S",
        fields=[field("X", "int8"), *(field(f"E{n}", f"E{n}s", fields=[_LATER]) for n in range(999))],
    )
)
_NULLABLE = _of(
    field(
        "A", "[]S", fields=[field("N", "T", nullableVersions="0+", fields=[_within(40, field("X", "int8"))])]
    )
)
_LONG = "N" * 250
_TAGS = [field(f"T{number}", "int8", "0+", taggedVersions="0+", tag=number) for number in range(19_990)]

# Refused: the name of the case, its layout, the bytes, the path and the offset of the error.
REFUSED: dict[str, tuple[Layout, bytes, str, int]] = {
    "many arrays": (
        _NESTED, _counted(2_499, (65_536).to_bytes(4, "big")), "A[0].B", 4,
    ),
    "many small arrays": (
        _NESTED, _counted(2_499, (1_000).to_bytes(4, "big")), "A[26].B", 108,
    ),
    "structs within each other": (_DEEP, _counted(9_996, b"\0"), "A", 0),
    "structs beside each other": (_WIDE, _counted(9_996, b"\0"), "A", 0),
    "nullable structs": (_NULLABLE, _counted(4_998, b"\x01\0"), "A[676].N", 1_356),
}  # fmt: skip

# Read: no limit refuses these, and they cost the most. Made on demand: 20,000 fields take a second.
READ: dict[str, Callable[[], tuple[Layout, bytes]]] = {
    "empty structs": lambda: (_NESTED, bytes.fromhex("00000001") + (MAX_EMPTY + 7).to_bytes(4, "big")),
    "structs of one byte": lambda: (
        _of(field("A", "[]S", fields=[field("X", "int8")])), _counted(9_996, b"\0"),
    ),
    "long names": lambda: (_of(field("A", "[]S", fields=[field(_LONG, "int8")])), _counted(9_996, b"\0")),
    "long names of empty structs": lambda: (
        _of(field("A", "[]S", fields=[field(_LONG, "T", fields=[_LATER])])), _counted(8_000, b""),
    ),
    "tagged fields": lambda: (
        _of(field("A", "[]S", fields=_TAGS), flexible="0+"),
        bytes.fromhex(varint(2_001)) + bytes.fromhex("01000107") * 2_000 + b"\0",
    ),
}  # fmt: skip
