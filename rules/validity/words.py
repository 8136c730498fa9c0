"""The words that a spec may use where it names a thing, and the nearest of them to a wrong one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirebook.specs.model import PRIMITIVES, Field

STRUCT_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)

# What other languages and formats call the types, in lower case.
_ALIASES = {
    "int": "int32", "integer": "int32", "long": "int64", "short": "int16", "byte": "int8", "char": "int8",
    "boolean": "bool", "float": "float64", "double": "float64", "str": "string", "text": "string",
    "unsigned": "uint32", "uint": "uint32", "ushort": "uint16", "bytearray": "bytes", "buffer": "bytes",
    "varchar": "string", "guid": "uuid",
}  # fmt: skip


def names_struct(item: Field) -> bool:
    """Whether the type of a field, or of its elements, reads as the name of a struct."""
    return item.element not in PRIMITIVES and STRUCT_NAME.fullmatch(item.element) is not None


def primitive_meant(item: Field) -> str:
    """The primitive type that a type of no meaning stands for in other languages or with other capitals
    ("Int", "String"), as an array where it is one; "" where it is like none.
    """
    plain = item.element.casefold().replace("_", "")
    meant = plain if plain in PRIMITIVES else _ALIASES.get(plain, "")
    return f"[]{meant}" if meant and item.is_array else meant


def one_of(word: str, known: Sequence[str]) -> str:
    """What to write instead of a word that is not known: the nearest that is, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return f'write "{near[0]}"' if near else f"write one of {', '.join(known)}"
